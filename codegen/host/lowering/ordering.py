"""Accesses to elements under the memory orderings of Tile IR.

Weak accesses are plain. All others are LLVM's atomics, so that each is really made where it
stands: a loop that waits for a flag reads it again and again, and what a release publishes has been
written before. Scopes make no difference, as the blocks of a launch share all memory.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.scalar.types import BYTE, OPAQUE
from tileir.ir import Op

_ORDERINGS = {
    "weak": None,
    "relaxed": "monotonic",
    "acquire": "acquire",
    "release": "release",
    "acq_rel": "acq_rel",
}


def ordering_of(op: Op) -> str | None:
    """LLVM's word for the ordering of an op's accesses; None for plain ones."""
    return _ORDERINGS[op.attributes["memory_ordering_semantics"]]


def load(
    builder: ir.IRBuilder, address: ir.Value, kind: ir.Type, align: int, ordering: str | None
) -> ir.Instruction:
    """Read a value of the LLVM type `kind`."""
    if ordering is None:
        return builder.load(address, typ=kind, align=align)
    return builder.load_atomic(address, ordering, align, typ=kind)


def store(
    builder: ir.IRBuilder, value: ir.Value, address: ir.Value, align: int, ordering: str | None
) -> ir.Instruction:
    """Write a value."""
    if ordering is None:
        return builder.store(value, address, align=align)
    # builder.store_atomic insists on typed pointers, which LLVM no longer has.
    written = ir.instructions.StoreAtomicInstr(builder.block, value, address, ordering, align)
    builder._insert(written)
    return written


def pointer(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """An address as a pointer and what is added to it.

    LLVM does not look behind a cast of an integer; steps from a pointer it follows, and finds out
    which elements lie side by side.
    """
    steps = []
    while isinstance(address, ir.Instruction) and address.opname == "add":
        address, step = address.operands
        steps.append(step)
    result = builder.inttoptr(address, OPAQUE)
    for step in reversed(steps):
        result = builder.gep(result, [step], source_etype=BYTE)
    return result
