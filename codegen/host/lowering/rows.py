"""The table of lowerings: one row for each op that is not inline.

An op is *inline* when its result is computed in the loop that uses it: element-wise ops, and those
of `inline`. All others have a row here: they run loops of their own, in program order, and leave
their tiles in buffers.
"""

from __future__ import annotations

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
from .inline import is_inline
from .row import Row

__all__ = ["ROWS", "is_inline", "row_of"]


def row_of(op: Op) -> Row:
    """Return the row of an op that is not inline."""
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
"""Mnemonic -> row, collected from the chapters."""
