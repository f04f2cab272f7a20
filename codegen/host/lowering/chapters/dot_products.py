"""Instructions that multiply words of several narrow elements, and add the products to one sum.

A word has neighbours along K: two of bf16, or four bytes. A product of words adds to each f32 or
i32 of the accumulator the products of the elements of its word.

`vdpbf16ps` rounds to nearest after each product, as `fma` does; subnormal factors count as zero,
and subnormal sums become zero. So of a sum over K, an error of K roundings of f32, relative to the
magnitudes of its terms, is left, and what numbers below 2**-126 contribute. Tile IR leaves internal
precision and order of `mmaf` to the target.

`vpdpbusd` is exact modulo 2**32. One factor is unsigned, the other one signed. Where both are
signed, or both unsigned, the top bits of lhs are flipped, which adds 128 to each element or takes
it away; the microkernel takes back 128 times the sum of the column of rhs: that is the product with
a row of lhs of flipped zeros.
"""

from __future__ import annotations

from llvmlite import ir

WORDS = {"bf16x2": 2, "i8x4": 4}
"""Operand type of a microkernel -> elements of one word."""

FLIPPED_ZERO = 0x80
"""A byte of lhs that stands for zero where its top bit was flipped."""

_WORD = ir.IntType(32)
_LANES = 16


class _Bfloat(ir.Type):
    """LLVM's bfloat, which llvmlite does not have."""

    def _to_string(self) -> str:
        return "bfloat"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bfloat)

    def __hash__(self) -> int:
        return hash(_Bfloat)


def takes(operand: str, n: int) -> bool:
    """Whether a panel of n columns fills the registers of the instruction."""
    return operand in WORDS and n >= _LANES


def is_flipped(signs: str) -> bool:
    """Whether lhs has flipped top bits: `signs` has "s" or "u" of lhs and rhs; "" of floats."""
    return signs in ("ss", "uu")


def flipped_zeros() -> ir.Constant:
    """Return a vector of words of lhs that stand for zeros."""
    word = int.from_bytes(bytes([FLIPPED_ZERO] * 4), "little")
    return ir.Constant(ir.VectorType(_WORD, _LANES), [word] * _LANES)


def multiply_add(
    builder: ir.IRBuilder, operand: str, signs: str, lhs: ir.Value, rhs: ir.Value, total: ir.Value
) -> ir.Value:
    """Emit total + lhs * rhs, of vectors of words."""
    if operand == "bf16x2":
        name, element, count = "llvm.x86.avx512bf16.dpbf16ps.512", _Bfloat(), 2
        factors = (lhs, rhs)
    else:
        name, element, count = "llvm.x86.avx512.vpdpbusd.512", ir.IntType(8), 4
        # With a flipped lhs, it has the sign that rhs does not have.
        factors = (rhs, lhs) if signs[1] == "u" else (lhs, rhs)
    kind = ir.VectorType(element, count * _LANES)
    module = builder.module
    function = module.globals.get(name) or ir.Function(
        module, ir.FunctionType(total.type, [total.type, kind, kind]), name
    )
    return builder.call(function, [total, *(builder.bitcast(factor, kind) for factor in factors)])
