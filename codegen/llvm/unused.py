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
_CHOICES = frozenset({"phi", "select", "bitcast", "extractvalue", "insertelement"})
_PURE = _ARITHMETIC | _CASTS | _CHOICES
"""LLVM's instructions without effects: those that addresses and masks are computed with."""


def drop_unused(function: ir.Function) -> None:
    """Drop the instructions of a function that are without effects and results that are used."""
    found = [each for block in function.blocks for each in block.instructions if _acts(each)]
    used = set(found)
    while found:
        for operand in _operands(found.pop()):
            if isinstance(operand, Instruction) and operand not in used:
                used.add(operand)
                found.append(operand)
    for block in function.blocks:
        block.instructions = list(filter(used.__contains__, block.instructions))


def _acts(instruction: Instruction) -> bool:
    """Whether an instruction does more than to make its result."""
    name = instruction.opname
    if name in _PURE:
        return False
    if name == "call":
        callee = instruction.callee
        return type(callee) is not ir.InlineAsm or callee.side_effect
    return True


def _operands(instruction: Instruction) -> Iterable[ir.Value]:
    if type(instruction) is PhiInstr:
        return [value for value, _ in instruction.incomings]
    return instruction.operands
