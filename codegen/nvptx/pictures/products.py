"""The fragments of each matrix product: which lane holds which element of one instruction."""

from __future__ import annotations

from math import prod

from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.nvptx.launch.tensor_maps import outside_prologues
from tileir.codegen.nvptx.machine.mma_atoms import BY_MNEMONIC, Atom
from tileir.codegen.nvptx.schedule.mma_plan import Part, extents_of, plan_of, product_plan
from tileir.codegen.nvptx.schedule.mma_reads import DESCRIPTORS, read_by
from tileir.codegen.nvptx.state import KernelState

from .gallery import Gallery, Row

SLOTS = {"lhs": "mk", "rhs": "kn", "acc": "mn"}
"""Operand -> the dimensions of its matrix."""


def products(each: KernelState, gallery: Gallery) -> list[Row]:
    """Return the products by tensor cores, by the number of the op that they are of."""
    found: list[Row] = []
    for op in outside_prologues(each.kernel.body.block):
        number = gallery.number_of(op)
        if op.name not in PRODUCT_NAMES or number is None:
            continue
        atom = BY_MNEMONIC[op.attributes["atom"]]
        if atom.fused:
            continue
        along = plan_of(op).along
        read = {slot: read_by(op, slot) for slot in ("lhs", "rhs")}
        row = {
            "op": number,
            "in": op.name,
            "instruction": atom.mnemonic,
            "extents": [atom.m, atom.n, atom.k],
            "tile": [extents_of(op)[dim] for dim in "mnk"],
            "warps": 1 << len(atom.warps.lanes.split()),
            "count": prod(1 << len(steps) for dim, steps in along.items() if dim in "bmnk"),
            "read": read,
            **fragments(atom, gallery, without=[s for s in read if read[s] == DESCRIPTORS]),
        }
        if row not in found:
            found.append(row)
    return found


def fragments(
    atom: Atom, gallery: Gallery, without: list[str] | tuple[str, ...] = ()
) -> dict[str, int | None]:
    """Return the layouts of the operands of one instruction; None for those `without` lanes."""
    extents = {"b": 1, "m": atom.m, "n": atom.n, "k": atom.k}
    warps = atom.warps.lane if atom.of_warpgroup else []
    plan = product_plan(atom, extents, tuple(warps), "")
    parts: dict[str, Part] = {"lhs": plan.lhs, "rhs": plan.rhs, "acc": plan.acc}
    return {
        slot: None
        if slot in without
        else gallery.layout(parts[slot].layout, [extents[dim] for dim in dims])
        for slot, dims in SLOTS.items()
    }
