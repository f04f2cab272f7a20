"""The function that Python calls: it runs a range of tile blocks, to amortise the cost of a call.

`void <symbol>.blocks(ptr arguments, i64 first, i64 last, i32 size x, i32 size y, i32 size z, ptr
workspace, ptr context)` runs blocks first up to last of the grid counted with x fastest.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.scalar.types import OPAQUE

from .block import WORD
from .entry import llvm_name
from .ordering import fence_streams
from .position import INDEX

BLOCKS = ir.FunctionType(ir.VoidType(), [OPAQUE, INDEX, INDEX, WORD, WORD, WORD, OPAQUE, OPAQUE])


def build_driver(
    module: ir.Module, symbol: str, block: ir.Function, streams: bool = False
) -> ir.Function:
    """Add the function that loops over blocks and calls `block` for each.

    `streams`: whether blocks store past the caches, which is fenced at the end.
    """
    function = ir.Function(module, BLOCKS, llvm_name(symbol, "blocks"))
    function.attributes.add("nounwind")
    arguments, first, last, *grid, workspace, context = function.args
    entry, body, done = (function.append_basic_block(name) for name in ("entry", "block", "done"))
    builder = ir.IRBuilder(entry)
    size_x, size_y = (builder.zext(extent, INDEX) for extent in grid[:2])
    builder.cbranch(builder.icmp_signed("<", first, last), body, done)
    builder.position_at_end(body)
    number = builder.phi(INDEX)
    number.add_incoming(first, entry)
    row = builder.udiv(number, size_x)
    block_id = builder.urem(number, size_x), builder.urem(row, size_y), builder.udiv(row, size_y)
    block_id = [builder.trunc(index, WORD) for index in block_id]
    builder.call(block, [arguments, *block_id, *grid, workspace, context])
    following = builder.add(number, ir.Constant(INDEX, 1))
    number.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, last), body, done)
    builder.position_at_end(done)
    if streams:
        fence_streams(builder)
    builder.ret_void()
    return function
