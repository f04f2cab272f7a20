"""Where the tiles of each op lie: in registers, by a layout, and in shared memory, by an order.

An access of shared memory has, beside that, what lanes access at once and how many turns they take,
by the same count as in `tileir advise` (`block/bank_conflicts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tileir.codegen.block.accesses import layout_of
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.bank_conflicts import Together, exchange_of, together
from tileir.codegen.block.op_facts import accessed
from tileir.codegen.block.roles import role_of
from tileir.codegen.block.types import Frag, Shared, registers_of
from tileir.codegen.nvptx.launch.tensor_maps import outside_prologues
from tileir.codegen.nvptx.schedule.mma_plan import plan_of
from tileir.codegen.nvptx.schedule.mma_reads import (
    DESCRIPTORS,
    REGISTERS,
    ROW_BYTES,
    MatrixReads,
    read_by,
    reads_of,
)
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value

from .gallery import Gallery, Row


def tiles(each: KernelState, gallery: Gallery) -> list[Row]:
    """Return the tiles in registers of each op that is of Tile IR: its results, or its operands."""
    found: dict[tuple[object, ...], Row] = {}
    for op in outside_prologues(each.kernel.body.block):
        number = gallery.number_of(op)
        for what, value in _held(op) if number is not None else ():
            kind = registers_of(value.type)
            if isinstance(kind, Frag):
                role = role_of(op)
                row = {
                    "op": number,
                    "in": op.name,
                    "in_role": None if role is None else role.attributes["name"],
                    "what": what,
                    "element": str(kind.element),
                    "layout": gallery.layout(kind.layout, kind.shape),
                }
                found.setdefault((number, what, row["element"], row["layout"]), row)
    return list(found.values())


def _held(op: Op) -> Iterator[tuple[str, Value]]:
    """Yield the results of an op, each with what it is; of products, and of ops without results in
    registers, the operands as well."""
    results = [value for value in op.results if isinstance(registers_of(value.type), Frag)]
    for number, value in enumerate(results):
        yield f"result {number}" if len(results) > 1 else "result", value
    if op.name in PRODUCT_NAMES or not results:
        for slot, operand in op.operands.items():
            several = operand if isinstance(operand, tuple) else (operand,)
            yield from ((slot, value) for value in several if value is not None)


def accesses(each: KernelState, gallery: Gallery) -> list[Row]:
    """Return the accesses of tiles in shared memory, by the number of the op that they are of."""
    found: list[Row] = []
    for op in outside_prologues(each.kernel.body.block):
        number = gallery.number_of(op)
        if number is None:
            continue
        for tile, writes in accessed(op):
            by, lanes = _by(op, tile) if isinstance(tile.type, Shared) else ("", None)
            if by:
                row = {
                    "op": number,
                    "in": op.name,
                    "by": by,
                    "writes": writes,
                    "memory": gallery.order(cast(Shared, tile.type)),
                    "lanes": None if lanes is None else list(lanes.at_once),
                    "width": None if lanes is None else lanes.width,
                    "turns": None if lanes is None else lanes.turns,
                }
                if row not in found:
                    found.append(row)
    return found


def _by(op: Op, tile: Value) -> tuple[str, Together | None]:
    """Return how an op accesses a tile, "" if it only waits, and what lanes access at once."""
    kind = cast(Shared, tile.type)
    if op.name in PRODUCT_NAMES:
        slot = next(slot for slot in ("lhs", "rhs", *op.operands) if op.operands[slot] is tile)
        return _read(op, slot, kind)
    if op.name in ("copy_tensor", "store_tensor"):
        return "tensor copies", None
    if op.name in ("store_shared", "load_shared"):
        by = "stmatrix" if op.attributes.get("matrices") else "lanes"
        return by, None if by == "stmatrix" else exchange_of(op)
    layout = layout_of(op)
    if layout is not None and op.name in ("copy_async", "gather_async"):
        return "lanes", together(kind, layout.lane, op.attributes["vector"])
    return "", None


def _read(op: Op, slot: str, kind: Shared) -> tuple[str, Together | None]:
    """Return how a product reads an operand."""
    if slot not in ("lhs", "rhs"):
        return "lanes", None
    by = read_by(op, slot)
    if by in (DESCRIPTORS, REGISTERS):
        return by, None
    plan = plan_of(op)
    reads = reads_of(plan, slot, kind)
    if isinstance(reads, MatrixReads):
        return by, together(kind, reads.rows, ROW_BYTES // memory_bytes(kind.element))
    lane = plan.part(slot).lane
    if None in lane:
        return by, None
    return by, together(kind, cast("tuple[int, ...]", lane), 1 << len(reads.together))
