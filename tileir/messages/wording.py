"""Phrases in messages: choices, counts, names in words, suggestions for misspelled names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

CLOSE = 0.75
"""The least similarity, from 0 to 1, of a suggested name: at most one letter of four is wrong."""

LONGEST = 100
"""Most characters of a name that are compared; no known name is longer."""


def did_you_mean(name: str, known: Iterable[str], close: float = CLOSE) -> str:
    """Return ``, did you mean addf?``, or "" if no name is `close` enough."""
    longer = max(1, len(name) * 5 // 8)  # difference in length: foo does not mean floor
    spelled = {other.lower(): other for other in known if abs(len(other) - len(name)) <= longer}
    near = difflib.get_close_matches(name[:LONGEST].lower(), spelled, 1, close)
    return f", did you mean {spelled[near[0]]}?" if near else ""


def choice(cases: Iterable[str], quoted: bool = True) -> str:
    """Return names of which one is expected as a phrase: ``'a', 'b' or 'c'``."""
    shown = [f"'{case}'" if quoted else case for case in cases]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def counted(number: int, noun: str) -> str:
    """Return a phrase such as ``no values``, ``one value`` or ``2 values``."""
    return {0: f"no {noun}s", 1: f"one {noun}"}.get(number, f"{number} {noun}s")


def in_words(name: str) -> str:
    """Return the name of a slot or region in words: ``then region`` for ``thenRegion``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
