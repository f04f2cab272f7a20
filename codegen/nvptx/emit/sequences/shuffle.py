"""Shuffles and votes: data exchange within a warp. All 32 lanes take part."""

from __future__ import annotations

from llvmlite import ir

I32 = ir.IntType(32)
ALL_LANES = ir.Constant(I32, 0xFFFFFFFF)
_WHOLE_WARP = ir.Constant(I32, 31)
_WORD = 32


def shuffle(builder: ir.IRBuilder, mode: str, bits: ir.Value, lane: ir.Value) -> ir.Value:
    """Return another lane's value of an integer of any width.

    With mode "idx" it is that of `lane`, with "bfly" that of this lane's number xor `lane`.
    """
    width = bits.type.width
    if width < _WORD:
        moved = _word(builder, mode, builder.zext(bits, I32), lane)
        return builder.trunc(moved, bits.type)
    if width == _WORD:
        return _word(builder, mode, bits, lane)
    result = None
    for low in range(0, width, _WORD):
        part = builder.lshr(bits, ir.Constant(bits.type, low)) if low else bits
        moved = _word(builder, mode, builder.trunc(part, I32), lane)
        moved = builder.zext(moved, bits.type)
        if low:
            moved = builder.shl(moved, ir.Constant(bits.type, low))
        result = moved if result is None else builder.or_(result, moved)
    return result


def any_lane(builder: ir.IRBuilder, flag: ir.Value) -> ir.Value:
    """Return whether a flag, i1, is set in some lane of the warp."""
    name, module = "llvm.nvvm.vote.any.sync", builder.module
    kind = ir.FunctionType(ir.IntType(1), [I32, ir.IntType(1)])
    function = module.globals.get(name) or ir.Function(module, kind, name)
    return builder.call(function, [ALL_LANES, flag])


def _word(builder: ir.IRBuilder, mode: str, word: ir.Value, lane: ir.Value) -> ir.Value:
    name, module = f"llvm.nvvm.shfl.sync.{mode}.i32", builder.module
    kind = ir.FunctionType(I32, [I32] * 4)
    function = module.globals.get(name) or ir.Function(module, kind, name)
    return builder.call(function, [ALL_LANES, word, lane, _WHOLE_WARP])
