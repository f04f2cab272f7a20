"""Stores past the caches, for tensors that are larger than what caches keep.

An ordinary store first reads the line that it writes to, and evicts another one. Of a large tensor
neither is of use: what is written is gone from the caches before anybody reads it. So whole lines
are made on the stack, which are registers where the loop is short, and are stored at once.

Such stores are not ordered with others before a fence, which the function that runs blocks has at
its end. So they are only for kernels without atomics and orderings, whose blocks exchange nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.codegen.scalar.types import BYTE, memory_bytes, memory_type, to_memory
from tileir.ir import Value

from .ahead import CHUNK, LINE
from .block import Lowering
from .evaluate import Evaluator
from .loops import chunk_elements, chunks
from .position import INDEX, ZERO
from .window import Window

LARGE_BYTES = 16 << 20
"""Tensors of so many bytes are not expected to stay in caches: a last level has 32 MB or less a
core complex, and what a kernel reads is in it, too."""

MAX_INSTRUCTIONS = 120
"""Loops with more of them are bound by arithmetic, and not emitted again for this."""


def store_streaming(
    lowering: Lowering, window: Window, tile: Value, otherwise: Callable[[], None]
) -> None:
    """Emit a store of a tile inside its tensor: past the caches, or `otherwise` as usual.

    The kernel chooses when it runs: by the bytes of the tensor, and by whether all lines are whole.
    """
    builder = lowering.builder
    if not _may_stream(lowering, window):
        otherwise()
        return
    chosen = _is_large_and_aligned(builder, window)
    names = "stream", "plain", "stored"
    stream, plain, after = (builder.append_basic_block(name) for name in names)
    builder.cbranch(chosen, stream, plain)
    before = len(lowering.function.blocks)
    builder.position_at_end(plain)
    otherwise()
    made = [plain, *lowering.function.blocks[before:]]
    builder.branch(after)
    builder.position_at_end(stream)
    if sum(len(block.instructions) for block in made) > MAX_INSTRUCTIONS:
        builder.branch(plain)
    else:
        lowering.streams = True
        _store_lines(lowering, window, tile)
        builder.branch(after)
    builder.position_at_end(after)


def fence(builder: ir.IRBuilder) -> None:
    """Emit the fence that orders these stores with what follows."""
    kind = ir.FunctionType(ir.VoidType(), [])
    builder.call(builder.module.declare_intrinsic("llvm.x86.sse.sfence", (), kind), [])


def _may_stream(lowering: Lowering, window: Window) -> bool:
    inner = window.inner
    if not lowering.may_stream or inner is None or window.sparse is not None or window.is_packed:
        return False
    return window.tile[inner] * memory_bytes(window.element) >= LINE


def _is_large_and_aligned(builder: ir.IRBuilder, window: Window) -> ir.Value:
    size = ir.Constant(INDEX, memory_bytes(window.element))
    total, bits = size, builder.ptrtoint(window.origin, INDEX)
    for d, stride in enumerate(window.strides):
        if d != window.inner and window.tile[d] > 1:
            bits = builder.or_(bits, builder.mul(stride, size))
    for extent in window.shape:
        total = builder.mul(total, extent)
    large = builder.icmp_unsigned(">=", total, ir.Constant(INDEX, LARGE_BYTES))
    rest = builder.and_(bits, ir.Constant(INDEX, LINE - 1))
    return builder.and_(large, builder.icmp_unsigned("==", rest, ZERO))


def _store_lines(lowering: Lowering, window: Window, tile: Value) -> None:
    builder, size, inner = lowering.builder, memory_bytes(window.element), window.inner
    stored = memory_type(window.element)
    count = min(window.tile[inner], CHUNK // size)
    chunk = lowering.shared_slot(ir.ArrayType(stored, count), "stream", LINE)
    line = ir.VectorType(stored, LINE // size)
    mark = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
    with chunks(builder, window.tile, inner, count) as first:
        with chunk_elements(builder, first, inner, count) as (number, position):
            at = Evaluator(lowering, position)
            value = to_memory(builder, at.element(tile), window.element)
            builder.store(value, builder.gep(chunk, [ZERO, number], inbounds=True), align=size)
        address = window.address(first)
        for offset in range(0, count * size, LINE):
            step = [ir.Constant(INDEX, offset)]
            source = builder.gep(chunk, step, inbounds=True, source_etype=BYTE)
            target = builder.gep(address, step, inbounds=True, source_etype=BYTE)
            whole = builder.load(source, typ=line, align=LINE)
            builder.store(whole, target, align=LINE).set_metadata("nontemporal", mark)
