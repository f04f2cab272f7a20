"""How each op that is not element-wise is lowered: one row an op.

An op is *inline* when its result is computed where it is wanted: element-wise ops, and those of
`inline`. All others have a row here. They run loops of their own, at their place in the program,
and leave their tiles in buffers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from tileir.codegen.ops import Family, family_of
from tileir.ir import Op

from .inline import INLINE

if TYPE_CHECKING:
    from .block import BlockLowering


@dataclass(frozen=True, slots=True)
class Row:
    """What the planner has to know about an op, and the function that lowers it.

    `together`: its loop reads all tile operands at the same position; otherwise each has a loop.
    `staged`: operand slots it wants in a buffer. `onto`: the operand slot whose buffer the result
    takes over, if nobody needs it any more. `temporaries`: sizes in bytes of the buffers that it
    needs while it runs, or, `lasting`, as long as the kernel runs. `direct`: a view load may be
    deferred to its loop.
    """

    lower: Callable[[BlockLowering, Op], None]
    together: bool = True
    staged: tuple[str, ...] = ()
    onto: str | None = None
    temporaries: Callable[[Op], list[int]] | None = None
    lasting: bool = False
    direct: bool = False


def is_inline(op: Op) -> bool:
    """Whether the op's tile is computed where it is wanted, unless it is worth keeping."""
    return family_of(op) is Family.ELEMENT_WISE or op.name in INLINE


def row_of(op: Op) -> Row:
    """The row of an op that is not inline."""
    return rows()[op.name]


@cache
def rows() -> dict[str, Row]:
    """Mnemonic -> row, gathered from the files that lower them."""
    chapters = [import_module(f".{name}", __package__) for name in _CHAPTERS]
    return {name: row for chapter in chapters for name, row in chapter.ROWS.items()}


_CHAPTERS = (
    "atomics", "control", "indirect", "memory", "messages", "mma", "pieces", "reductions", "values",
    "variables",
)  # fmt: skip
"""Files beside this one, which import it."""
