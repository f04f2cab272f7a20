"""PTX instructions that LLVM IR has no operation for: rounding modes, flushing, approximations.

They are emitted as inline assembly, so only for machines that run PTX.
"""

from __future__ import annotations

from llvmlite import ir

from .bits import DOUBLE, HALF, SHORT, SINGLE, WORD

_NAMES = {"addf": "add", "divf": "div", "fma": "fma", "mulf": "mul", "sqrt": "sqrt", "subf": "sub"}
_FLUSHED = {False: "", True: ".ftz"}
"""Modifier that replaces subnormal operands and results by zeros of their sign."""
PAIRS = {"f8E4M3FN": "e4m3x2", "f8E5M2": "e5m2x2"}
"""Element types that are converted two at a time -> PTX's name of such a pair."""
_MODES = {
    "nearest_even": "rn",
    "zero": "rz",
    "negative_inf": "rm",
    "positive_inf": "rp",
    "approx": "approx",
    "full": "full",
}


def arithmetic(
    builder: ir.IRBuilder, op: str, mode: str, flushed: bool, *arguments: ir.Value
) -> ir.Value:
    """Emit an arithmetic op on f32 or f64 in a rounding mode.

    "approx" and "full" are within 2 ulp; "approx" treats a divisor above 2^126 as infinite.
    """
    kind = "f64" if arguments[0].type == DOUBLE else "f32"
    return _instruction(
        builder, f"{_NAMES[op]}.{_MODES[mode]}{_FLUSHED[flushed]}.{kind}", [*arguments]
    )


def flush(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return the f32, or a zero of its sign if it is subnormal."""
    return _instruction(builder, "mul.ftz.f32", [value, ir.Constant(value.type, 1.0)])


def exp2(builder: ir.IRBuilder, value: ir.Value, flushed: bool = False) -> ir.Value:
    """Return 2^x of an f32, within 2 ulp of the nearest."""
    return _instruction(builder, f"ex2.approx{_FLUSHED[flushed]}.f32", [value])


def reciprocal(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return 1/x of an f32, within 1 ulp of the nearest; subnormal numbers count as zeros."""
    return _instruction(builder, "rcp.approx.ftz.f32", [value])


def rsqrt(builder: ir.IRBuilder, value: ir.Value, flushed: bool = False) -> ir.Value:
    """Return 1/sqrt(x) of an f32, with a relative error of up to 2^-22.9."""
    return _instruction(builder, f"rsqrt.approx{_FLUSHED[flushed]}.f32", [value])


def tanh(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return the hyperbolic tangent of an f32, with a relative error of up to 2^-11."""
    return _instruction(builder, "tanh.approx.f32", [value])


def saturated_fma(builder: ir.IRBuilder, *arguments: ir.Value) -> ir.Value:
    """Return lhs * rhs + acc of f32, clamped to 0 .. 1; NaN becomes 0."""
    return _instruction(builder, "fma.rn.sat.f32", [*arguments])


def round_to_bf16(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return the bits of the bf16 nearest to an f32, ties to even; NaN becomes 0x7FFF."""
    kind = ir.FunctionType(SHORT, [SINGLE])
    return builder.asm(kind, "cvt.rn.bf16.f32 $0, $1;", "=h,f", [value], False)


def round_to_tf32(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return the tf32 nearest to an f32, as the bits of an f32, ties to even."""
    kind = ir.FunctionType(WORD, [SINGLE])
    return builder.asm(kind, "cvt.rn.tf32.f32 $0, $1;", "=r,f", [value], False)


def round_pair(builder: ir.IRBuilder, low: ir.Value, high: ir.Value, name: str) -> ir.Value:
    """Round two f32 to a type of `PAIRS`, ties to even, saturating; return both in an i16."""
    kind = ir.FunctionType(SHORT, [SINGLE, SINGLE])
    text = f"cvt.rn.satfinite.{PAIRS[name]}.f32 $0, $2, $1;"
    return builder.asm(kind, text, "=h,f,f", [low, high], False)


def half_pair(builder: ir.IRBuilder, pair: ir.Value, name: str) -> ir.Value:
    """Convert two elements of a type of `PAIRS`, in an i16, to f16; return both in an i32."""
    text = f"cvt.rn.f16x2.{PAIRS[name]} $0, $1;"
    return builder.asm(ir.FunctionType(WORD, [SHORT]), text, "=r,h", [pair], False)


def half_pair_fma(builder: ir.IRBuilder, *pairs: ir.Value) -> ir.Value:
    """Return lhs * rhs + acc of two f16 each, in an i32."""
    kind = ir.FunctionType(WORD, [WORD] * len(pairs))
    return builder.asm(kind, "fma.rn.f16x2 $0, $1, $2, $3;", "=r,r,r,r", list(pairs), False)


def widen_pair(builder: ir.IRBuilder, pair: ir.Value, name: str) -> tuple[ir.Value, ir.Value]:
    """Convert two elements of a type of `PAIRS`, in an i16, to f32."""
    both = builder.bitcast(half_pair(builder, pair, name), ir.VectorType(HALF, 2))
    index = ir.IntType(32)
    low, high = (
        builder.fpext(builder.extract_element(both, ir.Constant(index, number)), SINGLE)
        for number in range(2)
    )
    return low, high


def sequence(builder: ir.IRBuilder, text: str, result: ir.Type, *arguments: ir.Value) -> ir.Value:
    """Emit instructions as one op, of which LLVM only sees operands and result, $0.

    So it is compiled faster; of many sums with one number, for example, LLVM's straight-line
    strength reduction would compare every two.
    """
    function = ir.FunctionType(result, [argument.type for argument in arguments])
    letters = [_LETTERS[argument.type] for argument in arguments]
    constraints = ",".join([f"=&{_LETTERS[result]}", *letters])
    return builder.asm(function, text, constraints, arguments, False)


_LETTERS = {WORD: "r", SINGLE: "f", DOUBLE: "d"}
"""Type -> the letter of its registers in constraints."""


def _instruction(builder: ir.IRBuilder, name: str, arguments: list[ir.Value]) -> ir.Value:
    kind = arguments[0].type
    letter = "d" if kind == DOUBLE else "f"
    registers = ", ".join(f"${number}" for number in range(len(arguments) + 1))
    constraints = ",".join([f"={letter}", *[letter] * len(arguments)])
    function = ir.FunctionType(kind, [kind] * len(arguments))
    return builder.asm(function, f"{name} {registers};", constraints, list(arguments), False)
