"""The ops of the block IR: rows of its own, and those of Tile IR with what they add."""

from __future__ import annotations

from dataclasses import replace

from tileir.formats.ops import OPS
from tileir.formats.ops.spec import Attribute, Constraint, Op, Operand, Row

from .rows import ROWS as OWN
from .tile_ops import ADDED, REPLACED, WIDENED


def _extended(row: Op) -> Op:
    """Return a row of Tile IR with the slots that the block IR adds."""
    added = ADDED.get(row.mnemonic, ())
    operands = tuple(_widened(row, slot) for slot in row.operands)
    return replace(
        row,
        operands=(*operands, *(slot for slot in added if isinstance(slot, Operand))),
        attributes=(*row.attributes, *(slot for slot in added if isinstance(slot, Attribute))),
    )


def _widened(row: Op, slot: Operand) -> Operand:
    kinds = WIDENED.get((row.mnemonic, slot.name))
    return replace(slot, type=Constraint(kinds)) if kinds else slot


ROWS: dict[str, Row | Op] = {
    **{row.mnemonic: _extended(row) for row in OPS if row.in_body and row.mnemonic not in REPLACED},
    **{row.mnemonic: row for row in OWN},
}
"""Mnemonic -> the row of an op of the block IR."""
