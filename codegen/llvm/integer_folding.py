"""Integer operations of LLVM IR whose result is known when they are asked for.

A function returns the value that stands for the result: a constant, or an operand; None if there is
something to be computed. What is undefined (a shift by the width, a division by zero) is left to
LLVM.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping

from llvmlite import ir
from llvmlite.ir.instructions import CastInstr, InsertElement, Instruction

_WORD = ir.IntType(32)
_HALF_BITS = 16
_OF_BITS = re.compile(r"bitcast \(i(\d+) (\d+) to (?:half|float|double)\)")
"""How llvmlite writes a float given by its bits."""

_RESULTS: Mapping[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "and_": operator.and_,
    "or_": operator.or_,
    "xor": operator.xor,
}
_SHIFTS: Mapping[str, Callable[[int, int], int]] = {"shl": operator.lshift, "lshr": operator.rshift}
_DIVISIONS: Mapping[str, Callable[[int, int], int]] = {
    "udiv": operator.floordiv,
    "urem": operator.mod,
}
_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_KEEPS_LEFT = {
    **dict.fromkeys(("add", "sub", "or_", "xor", "shl", "lshr", "ashr"), 0),
    **dict.fromkeys(("mul", "udiv"), 1),
}
"""Operation -> the right operand with which the result is the left one."""
_COMMUTES = frozenset({"add", "mul", "and_", "or_", "xor"})
_IDEMPOTENT = frozenset({"and_", "or_"})
_CANCELS = frozenset({"sub", "xor"})


def number(value: ir.Value) -> int | None:
    """Return the number of an integer constant, unsigned; None for any other value."""
    if isinstance(value, ir.Constant) and isinstance(value.type, ir.IntType):
        found = value.constant
        if found is None:
            return 0
        if isinstance(found, int):
            return found & ((1 << value.type.width) - 1)
    return None


def binary(name: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value | None:
    """Fold an operation of two operands, by the name of the builder's method."""
    kind = lhs.type
    if not isinstance(kind, ir.IntType):
        return None
    if lhs is rhs:
        if name in _IDEMPOTENT:
            return lhs
        if name in _CANCELS:
            return ir.Constant(kind, 0)
    b = number(rhs)
    a = number(lhs)
    if a is None and b is None:
        return None
    mask = (1 << kind.width) - 1
    if a is not None and b is not None:
        result = _constant(name, a, b, kind.width)
        return None if result is None else ir.Constant(kind, result & mask)
    if b is None and name in _COMMUTES:
        lhs, rhs, a, b = rhs, lhs, b, a
    if b is None:
        return None
    if b == _KEEPS_LEFT.get(name):
        return lhs
    if b == 0 and name in ("mul", "and_"):
        return rhs
    if b == mask:
        if name == "and_":
            return lhs
        if name == "or_":
            return rhs
        if name == "xor" and _is_complement(lhs):
            return lhs.operands[0]
    return None


def _constant(name: str, a: int, b: int, width: int) -> int | None:
    if name in _RESULTS:
        return _RESULTS[name](a, b)
    if name in _SHIFTS and b < width:
        return _SHIFTS[name](a, b)
    if name in _DIVISIONS and b:
        return _DIVISIONS[name](a, b)
    return None


def _is_complement(value: ir.Value) -> bool:
    if not isinstance(value, Instruction) or value.opname != "xor":
        return False
    return number(value.operands[1]) == (1 << value.type.width) - 1


def comparison(operation: str, lhs: ir.Value, rhs: ir.Value, signed: bool) -> ir.Value | None:
    """Fold a comparison: "<" and the like."""
    if not isinstance(lhs.type, ir.IntType):
        return None
    a, b = number(lhs), number(rhs)
    if lhs is rhs:
        a = b = 0
    if a is None or b is None:
        return None
    if signed:
        a, b = _signed(a, lhs.type.width), _signed(b, lhs.type.width)
    return ir.Constant(ir.IntType(1), int(_COMPARISONS[operation](a, b)))


def _signed(number: int, width: int) -> int:
    return number - (1 << width) if number >> (width - 1) else number


def selection(condition: ir.Value, lhs: ir.Value, rhs: ir.Value) -> ir.Value | None:
    """Fold a selection."""
    if lhs is rhs:
        return lhs
    known = number(condition)
    return None if known is None else lhs if known else rhs


def cast(name: str, value: ir.Value, kind: ir.Type) -> ir.Value | None:
    """Fold a cast to another type, by the name of the builder's method."""
    if isinstance(value, ir.Constant):
        return _cast_constant(name, value, kind)
    if not isinstance(value, Instruction):
        return None
    if isinstance(value, CastInstr):
        source = value.operands[0]
        if source.type == kind and (name, value.opname) in _INVERSE:
            return source
    if name == "bitcast" and isinstance(value, InsertElement) and kind == _WORD:
        return _whole(value)
    return None


_INVERSE = frozenset({("bitcast", "bitcast"), ("trunc", "zext"), ("trunc", "sext")})


def _cast_constant(name: str, value: ir.Constant, kind: ir.Type) -> ir.Value | None:
    known = number(value)
    if known is None:
        bits = _OF_BITS.fullmatch(value.constant) if isinstance(value.constant, str) else None
        if (
            name == "bitcast"
            and bits
            and isinstance(kind, ir.IntType)
            and kind.width == int(bits[1])
        ):
            return ir.Constant(kind, int(bits[2]))
        return None
    if name in ("zext", "trunc"):
        return ir.Constant(kind, known & ((1 << kind.width) - 1))
    if name == "sext":
        return ir.Constant(kind, _signed(known, value.type.width) & ((1 << kind.width) - 1))
    if name == "bitcast" and not isinstance(kind, (ir.IntType, ir.VectorType)):
        return value.bitcast(kind)
    return None


def _whole(pair: InsertElement) -> ir.Value | None:
    """Return the word whose halves are put together again: of which LLVM's vector is the bits."""
    first = pair.operands[0]
    if pair.operands[0].type.count != 2 or number(pair.operands[2]) != 1:
        return None
    if not isinstance(first, InsertElement) or number(first.operands[2]) != 0:
        return None
    low, high = _bits(first.operands[1]), _bits(pair.operands[1])
    a, b = number(low), number(high)
    if a is not None and b is not None:
        return ir.Constant(_WORD, a | b << _HALF_BITS)
    if not isinstance(low, CastInstr) or not isinstance(high, CastInstr):
        return None
    word, upper = low.operands[0], high.operands[0]
    if low.opname != "trunc" or high.opname != "trunc" or word.type != _WORD:
        return None
    if not isinstance(upper, Instruction) or upper.opname != "lshr":
        return None
    return word if upper.operands[0] is word and number(upper.operands[1]) == _HALF_BITS else None


def _bits(value: ir.Value) -> ir.Value:
    """Return the integer of which a half has the bits."""
    if isinstance(value, CastInstr) and value.opname == "bitcast":
        return value.operands[0]
    if isinstance(value, ir.Constant) and not isinstance(value.type, ir.IntType):
        return _cast_constant("bitcast", value, ir.IntType(_HALF_BITS)) or value
    return value
