"""Prefetching of one line of the cache; what is worth it, those know who compute on tiles."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.scalar.types import OPAQUE

LINE = 64
"""Bytes of a line of the cache."""


def prefetch_line(
    builder: ir.IRBuilder, address: ir.Value, level: int = 2, write: bool = False
) -> None:
    """Prefetch the line at an address into the L2 cache, or that of another level.

    It is prefetched for reading, or to `write` to it.
    """
    number = ir.IntType(32)
    name = "llvm.prefetch.p0"
    module = builder.module
    function = module.globals.get(name) or ir.Function(
        module, ir.FunctionType(ir.VoidType(), [OPAQUE, number, number, number]), name
    )
    builder.call(
        function, [address, *(ir.Constant(number, each) for each in (int(write), 4 - level, 1))]
    )
