"""Flags that callers pass: true, false, and nothing that merely counts as one of them.

A NumPy array has no truth, and the text "no" is true for Python; neither says what was meant.
"""

from __future__ import annotations

from tileir.formats.errors import shorten

LONGEST = 60
"""Characters of a wrong value that the message repeats."""


def flag(name: str, value: object) -> bool:
    """Return a flag: a bool of Python or NumPy, 0, 1, or None for false.

    TypeError for anything else; `name` is that of the parameter.
    """
    if isinstance(value, bool):
        return value
    if value is None or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    shown = shorten(" ".join(repr(value).split()), LONGEST)
    raise TypeError(f"{name} is to be true or false, found {shown}")
