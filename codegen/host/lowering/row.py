"""What a chapter says of an op that it lowers: the row that `rows` gathers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tileir.ir import Op

from .block import Lowering


@dataclass(frozen=True, slots=True)
class Row:
    """What the planner has to know about an op, and the function that lowers it.

    `together`: its loop reads all tile operands at the same position; otherwise each has a loop.
    `staged`: operand slots it wants in a buffer. `onto`: the operand slot whose buffer the result
    takes over, if nobody needs it any more. `temporaries`: sizes in bytes of the buffers that it
    needs while it runs, or, `lasting`, as long as the kernel runs. `direct`: a view load may be
    deferred to its loop.
    """

    lower: Callable[[Lowering, Op], None]
    together: bool = True
    staged: tuple[str, ...] = ()
    onto: str | None = None
    temporaries: Callable[[Op], list[int]] | None = None
    lasting: bool = False
    direct: bool = False
