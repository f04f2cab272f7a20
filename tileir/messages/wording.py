"""How messages say things: choices, counts, names in words, what was probably meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tileir.formats.ops.spec import Region
    from tileir.ir import Op

CLOSE = 0.75
"""The least likeness, from 0 to 1, of a name that is suggested: one letter of four is wrong."""

LONGEST = 100
"""Characters that are compared; there is no longer name."""


def did_you_mean(name: str, known: Iterable[str], close: float = CLOSE) -> str:
    """``, did you mean addf?``, or nothing if no name is `close` enough."""
    longer = max(1, len(name) * 5 // 8)  # and no more letters: floor is not meant by foo
    spelled = {other.lower(): other for other in known if abs(len(other) - len(name)) <= longer}
    near = difflib.get_close_matches(name[:LONGEST].lower(), spelled, 1, close)
    return f", did you mean {spelled[near[0]]}?" if near else ""


def choice(cases: Iterable[str], quoted: bool = True) -> str:
    """Names of which one is expected, as a list in words: ``'a', 'b' or 'c'``."""
    shown = [f"'{case}'" if quoted else case for case in cases]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def counted(number: int, noun: str) -> str:
    """``no values``, ``one value``, ``2 values``."""
    return {0: f"no {noun}s", 1: f"one {noun}"}.get(number, f"{number} {noun}s")


def in_words(name: str) -> str:
    """The name of a slot or region of a row: ``then region`` for ``thenRegion``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def region_name(op: Op | None, row: Region) -> str:
    """A region in words: ``region of for``, or ``body`` for that of a kernel."""
    return f"{in_words(row.name)} of {op.name}" if op else "body"
