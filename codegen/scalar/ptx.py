"""What PTX has an instruction for and LLVM no name: arithmetic that rounds or flushes otherwise.

The instructions are inline assembly, so this is only for machines that run PTX.
"""

from __future__ import annotations

from llvmlite import ir

from .bits import DOUBLE

_NAMES = {"addf": "add", "divf": "div", "fma": "fma", "mulf": "mul", "sqrt": "sqrt", "subf": "sub"}
_MODES = {"zero": "rz", "negative_inf": "rm", "positive_inf": "rp"}


def directed(builder: ir.IRBuilder, op: str, mode: str, *arguments: ir.Value) -> ir.Value:
    """An arithmetic op on f32 or f64 that rounds in a direction."""
    wide = arguments[0].type == DOUBLE
    return _instruction(
        builder, f"{_NAMES[op]}.{_MODES[mode]}.{'f64' if wide else 'f32'}", arguments
    )


def flush(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The f32, or a zero of its sign if it is subnormal."""
    return _instruction(builder, "mul.ftz.f32", [value, ir.Constant(value.type, 1.0)])


def exp2(builder: ir.IRBuilder, value: ir.Value, flushed: bool = False) -> ir.Value:
    """2^x of an f32 within 2 ulp; subnormal results become zeros if `flushed`."""
    return _instruction(builder, f"ex2.approx{'.ftz' if flushed else ''}.f32", [value])


def reciprocal(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """One over an f32, within 1 ulp; subnormal numbers are taken, and given, as zeros."""
    return _instruction(builder, "rcp.approx.ftz.f32", [value])


def rsqrt(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """One over the square root of an f32, within 2 ulp."""
    return _instruction(builder, "rsqrt.approx.f32", [value])


def _instruction(builder: ir.IRBuilder, name: str, arguments: list[ir.Value]) -> ir.Value:
    kind = arguments[0].type
    letter = "d" if kind == DOUBLE else "f"
    places = ", ".join(f"${number}" for number in range(len(arguments) + 1))
    constraints = ",".join([f"={letter}", *[letter] * len(arguments)])
    function = ir.FunctionType(kind, [kind] * len(arguments))
    return builder.asm(function, f"{name} {places};", constraints, list(arguments), False)
