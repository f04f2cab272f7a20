"""The row type of the lowering table: `rows` collects one for each op from the chapters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tileir.ir import Op

from .block import Lowering


@dataclass(frozen=True, slots=True)
class Row:
    """The function that lowers an op, and the facts about it that the planner needs.

    `together`: its loop reads all tile operands at the same position; otherwise each has a loop.
    `staged`: operand slots that must be in a buffer. `onto`: the operand slot whose buffer the
    result reuses if the operand is not read later. `temporaries`: sizes in bytes of the buffers
    that it needs while it runs or, if `lasting`, as long as the kernel runs. `direct`: a view load
    may be deferred to its loop.
    """

    lower: Callable[[Lowering, Op], None]
    together: bool = True
    staged: tuple[str, ...] = ()
    onto: str | None = None
    temporaries: Callable[[Op], list[int]] | None = None
    lasting: bool = False
    direct: bool = False
