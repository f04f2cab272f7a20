"""Loads and stores of elements under the memory orderings of Tile IR.

Weak accesses are plain. All others are LLVM atomics, so that each is really made: a loop that
waits for a flag reads it in every iteration, and a release store follows all stores that it
publishes. Scopes make no difference, as the blocks of a launch share all memory.
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
    """Return LLVM's name for the ordering of an op's accesses; None for plain ones."""
    return _ORDERINGS[op.attributes["memory_ordering_semantics"]]


def load(
    builder: ir.IRBuilder, address: ir.Value, kind: ir.Type, align: int, ordering: str | None
) -> ir.Instruction:
    """Load a value of the LLVM type `kind`; `align` is in bytes."""
    if ordering is None:
        return builder.load(address, typ=kind, align=align)
    return builder.load_atomic(address, ordering, align, typ=kind)


def store(
    builder: ir.IRBuilder, value: ir.Value, address: ir.Value, align: int, ordering: str | None
) -> ir.Instruction:
    """Store a value; `align` is in bytes."""
    if ordering is None:
        return builder.store(value, address, align=align)
    # builder.store_atomic insists on typed pointers, which LLVM no longer has.
    written = ir.instructions.StoreAtomicInstr(builder.block, value, address, ordering, align)
    builder._insert(written)
    return written


def pointer(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """Convert an address to a pointer, turning the additions that made it into GEPs.

    LLVM does not look through a cast from an integer, but analyses GEPs and recognises contiguous
    elements.
    """
    steps = []
    while isinstance(address, ir.Instruction) and address.opname == "add":
        address, step = address.operands
        steps.append(step)
    result = builder.inttoptr(address, OPAQUE)
    for step in reversed(steps):
        result = builder.gep(result, [step], source_etype=BYTE)
    return result
