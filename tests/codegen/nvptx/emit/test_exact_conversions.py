"""What is stored as it is stays as it is, whatever its type."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.sequences.exact_conversions import vector_in_memory
from tileir.types import Pointer, Scalar


def test_pointers_are_stored_as_they_are() -> None:
    """Their type has no name to ask for a conversion by."""
    addresses = [ir.Constant(ir.IntType(64), number) for number in range(4)]
    kind = Pointer(Scalar("f32"))
    assert vector_in_memory(ir.IRBuilder(), addresses, kind, kind) == addresses
