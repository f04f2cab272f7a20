"""Dropping instructions that nobody uses, before LLVM sees them.

A tile of pointers has an address for every element, and accesses use that of the first one of a
vector. The others are inline assembly, which LLVM keeps until it selects instructions: all of its
passes would look at them, and at the arithmetic that they are computed from. Halves of words are
taken, and then the word itself is stored.
"""

from __future__ import annotations

from collections.abc import Iterable

from llvmlite import ir
from llvmlite.ir.instructions import Instruction, PhiInstr

_ARITHMETIC = frozenset({"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "icmp"})
_CASTS = frozenset({"sext", "zext", "trunc", "inttoptr", "ptrtoint"})
_PURE = frozenset({*_ARITHMETIC, *_CASTS, "phi", "extractvalue", "insertelement"})
"""LLVM's instructions without effects: those that addresses and masks are computed with."""


def drop_unused(function: ir.Function) -> None:
    """Drop the instructions of a function that are without effects and results that are used."""
    blocks = function.blocks
    used = {each for block in blocks for each in block.instructions if not _is_pure(each)}
    found = list(used)
    while found:
        for operand in _operands(found.pop()):
            if isinstance(operand, Instruction) and operand not in used:
                used.add(operand)
                found.append(operand)
    for block in blocks:
        block.instructions = [each for each in block.instructions if each in used]


def _is_pure(instruction: Instruction) -> bool:
    if instruction.opname == "call":
        callee = instruction.callee
        return isinstance(callee, ir.InlineAsm) and not callee.side_effect
    return instruction.opname in _PURE or instruction.opname in ("bitcast", "select")


def _operands(instruction: Instruction) -> Iterable[ir.Value]:
    if isinstance(instruction, PhiInstr):
        return [value for value, _ in instruction.incomings]
    return instruction.operands
