"""Arithmetic and extremes of f16 and bf16 by PTX's instructions, on one element or two in an i32.

They round once, as computing in f32 does. bf16 got fused multiply-adds before other instructions,
so its sums and products are made of those: multiplied by one, or added to -0, which changes no
zero.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.ir import Op

from .bits import SHORT, WORD, bits_of, like, pair_of
from .machine import machine_of

Pair = tuple[ir.Value, ir.Value]

_ARITHMETIC = {"addf": "add.rn", "subf": "sub.rn", "mulf": "mul.rn", "fma": "fma.rn"}
_EXTREMES = {"maxf": "max", "minf": "min"}
_FUSED: dict[str, Callable[..., tuple[ir.Value | int, ...]]] = {
    "addf": lambda lhs, rhs: (lhs, 0x3F80, rhs),
    "subf": lambda lhs, rhs: (rhs, 0xBF80, lhs),
    "mulf": lambda lhs, rhs: (lhs, rhs, 0x8000),
    "fma": lambda lhs, rhs, acc: (lhs, rhs, acc),
}
"""Operands of the fused multiply-add for each op of bf16; integers are bits of 1, -1 and -0."""


def has_instruction(builder: Builder, op: Op) -> bool:
    """Whether the machine has an instruction for the op, its element type and its attributes."""
    machine = machine_of(builder)
    if not machine.ptx or op.name not in _ARITHMETIC.keys() | _EXTREMES.keys():
        return False
    element = op.result.type.element.name
    if op.name in _EXTREMES:
        return machine.nan_extremes and element in ("f16", "bf16")
    if op.attributes.get("rounding_mode") != "nearest_even":
        return False
    return element == "f16" or element in machine.rounds & {"bf16"}


def native(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """Make an emitter use the machine's instruction if there is one."""

    def on_halves(builder: Builder, op: Op, *arguments: ir.Value) -> ir.Value:
        if not has_instruction(builder, op):
            return emit(builder, op, *arguments)
        bits = [bits_of(builder, value) for value in arguments]
        return like(builder, _instruction(builder, op, SHORT, bits), arguments[0])

    return on_halves


def emit_pair(builder: Builder, op: Op, operands: list[Pair]) -> Pair:
    """Emit the op on two elements."""
    kind = operands[0][0].type
    words = [pair_of(builder, *pair) for pair in operands]
    both = builder.bitcast(_instruction(builder, op, WORD, words), ir.VectorType(kind, 2))
    return tuple(builder.extract_element(both, ir.Constant(WORD, index)) for index in range(2))


def _instruction(builder: Builder, op: Op, kind: ir.IntType, operands: list[ir.Value]) -> ir.Value:
    element, two = op.result.type.element.name, kind == WORD
    if op.name in _EXTREMES:
        name = _EXTREMES[op.name] + (".NaN" if op.attributes.get("propagate_nan") else "")
    elif element == "f16":
        name = _ARITHMETIC[op.name]
    else:
        name = _ARITHMETIC["fma"]
        operands = [
            ir.Constant(kind, value * (0x10001 if two else 1)) if isinstance(value, int) else value
            for value in _FUSED[op.name](*operands)
        ]
    registers = ", ".join(f"${number}" for number in range(len(operands) + 1))
    letter = "r" if two else "h"
    constraints = ",".join([f"={letter}", *[letter] * len(operands)])
    function = ir.FunctionType(kind, [kind] * len(operands))
    text = f"{name}.{element}{'x2' if two else ''} {registers};"
    return builder.asm(function, text, constraints, operands, False)
