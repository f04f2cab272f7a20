"""What was probably meant by a name that is none: said only where it is close."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

CLOSE = 0.7
"""The least likeness, from 0 to 1, of a name that is suggested; one letter of three is too much."""

LONGEST = 100
"""Characters that are compared; there is no longer name."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``, did you mean addf?``, or nothing."""
    spelled = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name[:LONGEST].lower(), spelled, 1, CLOSE)
    return f", did you mean {spelled[near[0]]}?" if near else ""


def choice(cases: Iterable[str], quoted: bool = True) -> str:
    """Names of which one is expected, as a list in words: ``'a', 'b' or 'c'``."""
    shown = [f"'{case}'" if quoted else case for case in cases]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
