"""The block IR as a dialect: rows of its own, and those of Tile IR with what it adds; its types."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from tileir.formats.ops import OPS
from tileir.formats.ops.assembly import default_format
from tileir.formats.ops.spec import Attribute, Op, Operand, Result, Row
from tileir.ir.dialect import KINDS as TILE_IR_KINDS
from tileir.ir.dialect import Dialect

from .attributes import KINDS
from .op_rules import OP_RULES
from .rows import ROWS as OWN
from .tile_ops import ADDED, REPLACED, WIDENED
from .types import Flight, Frag, Mbarrier, Shared, Turn, type_problem
from .verifier import RULES

Slot = TypeVar("Slot", Operand, Result)


def _extended(row: Op) -> Op:
    """Return a row of Tile IR with the slots that the block IR adds; the row itself if none."""
    added = ADDED.get(row.mnemonic, ())
    operands = tuple(_widened(row, slot) for slot in row.operands)
    results = tuple(_widened(row, slot) for slot in row.results)
    if not added and (operands, results) == (row.operands, row.results):
        return row
    return replace(
        row,
        results=results,
        operands=(*operands, *(slot for slot in added if isinstance(slot, Operand))),
        attributes=(*row.attributes, *(slot for slot in added if isinstance(slot, Attribute))),
        format=default_format(row) if row.format is None else row.format,
    )


def _widened(row: Op, slot: Slot) -> Slot:
    widened = WIDENED.get((row.mnemonic, slot.name))
    return replace(slot, type=widened) if widened else slot


ROWS: dict[str, Row | Op] = {
    **{
        row.mnemonic: _extended(row)
        for row in OPS
        if row.in_body and row.mnemonic not in REPLACED and not row.since.preview
    },
    **{row.mnemonic: row for row in OWN},
}
"""Mnemonic -> the row of an op of the block IR."""

BLOCK = Dialect(
    "block IR",
    ROWS,
    {
        **TILE_IR_KINDS,
        Frag: "tile",
        Shared: "shared",
        Flight: "flight",
        Turn: "turn",
        Mbarrier: "mbarrier",
    },
    type_problem,
    KINDS,
    OP_RULES,
    RULES,
)
