"""How a value from the caller is printed in a message: on one line, and shortened."""

from __future__ import annotations

from tileir.formats.errors import shorten

LONGEST = 60


def shown(value: object) -> str:
    """Return the value's repr on one line of at most `LONGEST` characters."""
    return shorten(" ".join(repr(value).split()), LONGEST)
