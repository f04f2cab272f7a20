"""How each op that is not element-wise is lowered: one row an op.

An op is *inline* when its result is computed where it is wanted: element-wise ops, and those of
`inline`. All others have a row here. They run loops of their own, at their place in the program,
and leave their tiles in buffers.
"""

from __future__ import annotations

from tileir.codegen.ops import Family, family_of
from tileir.ir import Op

from .chapters import (
    atomics,
    control,
    indirect,
    memory,
    messages,
    mma,
    pieces,
    reductions,
    values,
    variables,
)
from .inline import INLINE
from .row import Row


def is_inline(op: Op) -> bool:
    """Whether the op's tile is computed where it is wanted, unless it is worth keeping."""
    return family_of(op) is Family.ELEMENT_WISE or op.name in INLINE


def row_of(op: Op) -> Row:
    """The row of an op that is not inline."""
    return ROWS[op.name]


ROWS: dict[str, Row] = {
    **atomics.ROWS,
    **control.ROWS,
    **indirect.ROWS,
    **memory.ROWS,
    **messages.ROWS,
    **mma.ROWS,
    **pieces.ROWS,
    **reductions.ROWS,
    **values.ROWS,
    **variables.ROWS,
}
"""Mnemonic -> row, gathered from the files that lower them."""
