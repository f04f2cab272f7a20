"""flush_to_zero, exactly as specified: subnormal operands, and results that are subnormal after
rounding, become zeros of the same sign. Tile IR has it for f32 only."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.ir import Op

from . import ptx
from .bits import intrinsic, single
from .machine import machine_of

_SMALLEST_NORMAL = 1 << 23


def flush(builder: Builder, value: ir.Value) -> ir.Value:
    """Return the f32, or a zero of its sign if it is subnormal."""
    if machine_of(builder).ptx:
        return ptx.flush(builder, value)
    magnitude = intrinsic(builder, "llvm.fabs", value)
    tiny = builder.fcmp_ordered("<", magnitude, single(_SMALLEST_NORMAL))
    zero = intrinsic(builder, "llvm.copysign", single(0), value)
    return builder.select(tiny, zero, value)


def flushable(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """Add flush_to_zero to an emitter."""

    def flushed(builder: Builder, op: Op, *arguments: ir.Value) -> ir.Value:
        if not op.attributes.get("flush_to_zero"):
            return emit(builder, op, *arguments)
        inputs = [flush(builder, argument) for argument in arguments]
        return flush(builder, emit(builder, op, *inputs))

    return flushed
