"""Expressions about the parameters of extern functions, which are in public preview.

They are attributes, and parts of types: the extents of a tile, the layout of a fragment. `compact`
and `layout_text` give the short texts that NVIDIA's disassembler prints where it can. A type in an
expression is a `tileir.types.Type`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ExprInt:
    """A number."""

    number: int


@dataclass(frozen=True, slots=True)
class ExprVar:
    """The value of a parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class _Binary:
    lhs: Expression
    rhs: Expression


class ExprMul(_Binary):
    """A product."""

    __slots__ = ()


class ExprDiv(_Binary):
    """A quotient."""

    __slots__ = ()


class ExprAdd(_Binary):
    """A sum."""

    __slots__ = ()


class ExprSub(_Binary):
    """A difference."""

    __slots__ = ()


class ExprFloorDiv(_Binary):
    """A quotient, rounded down."""

    __slots__ = ()


class ExprCeilDiv(_Binary):
    """A quotient, rounded up."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ExprNeg:
    """A negated expression."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class ExprBuiltin:
    """A value that the compiler knows, by its dotted name; `type` is index."""

    name: str
    type: Any


@dataclass(frozen=True, slots=True)
class ExprConstStr:
    """A string."""

    string: str


@dataclass(frozen=True, slots=True)
class ConcreteType:
    """A type."""

    type: Any


@dataclass(frozen=True, slots=True)
class SymbolicTuple:
    """Expressions in order."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A map from coordinates to numbers; a mode of `shape` and `stride` may be a SymbolicTuple."""

    shape: tuple[Expression, ...]
    stride: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ScratchRequest:
    """Shared memory that an implementation needs: its size and alignment in bytes."""

    size: Expression
    alignment: Expression


@dataclass(frozen=True, slots=True)
class ConstParam:
    """A parameter that is known when an extern function is compiled; the name may be ``?``."""

    name: str
    type: Any


Expression = (
    ExprInt
    | ExprVar
    | ExprMul
    | ExprDiv
    | ExprAdd
    | ExprSub
    | ExprFloorDiv
    | ExprCeilDiv
    | ExprNeg
    | ExprBuiltin
    | ExprConstStr
    | ConcreteType
    | SymbolicTuple
)

EXPRESSIONS = (
    ExprInt,
    ExprVar,
    ExprMul,
    ExprDiv,
    ExprAdd,
    ExprSub,
    ExprFloorDiv,
    ExprCeilDiv,
    ExprNeg,
    ExprBuiltin,
    ExprConstStr,
    ConcreteType,
    SymbolicTuple,
)
PREVIEW_ATTRIBUTES = (*EXPRESSIONS, Layout, ScratchRequest, ConstParam)
"""The classes of attributes in public preview; each has the fields of its record."""

SIGNS = {ExprAdd: ("+", 1), ExprSub: ("-", 1), ExprMul: ("*", 2), ExprFloorDiv: ("/", 2)}
SIGNS |= {ExprCeilDiv: ("/+", 2)}
"""Class of an expression -> its sign in short texts, and how strongly it binds."""

TIGHTEST = 3


class NoShortText(ValueError):
    """An expression has only its full text."""


def short(expression: Any, blank: str = "", weakest: int = 0) -> str:
    """Return the short text of an expression with a `blank` on both sides of signs.

    It is in parentheses if it binds more weakly than `weakest`. NoShortText if it has none.
    """
    match expression:
        case ExprInt():
            return str(expression.number)
        case ExprVar() | ExprBuiltin():
            return expression.name
        case ExprNeg():
            return _parenthesised(f"-{short(expression.operand, blank, 4)}", weakest > TIGHTEST)
    if expression.__class__ not in SIGNS:
        raise NoShortText(expression)
    sign, strength = SIGNS[expression.__class__]
    lhs = short(expression.lhs, blank, strength)
    text = f"{lhs}{blank}{sign}{blank}{short(expression.rhs, blank, strength + 1)}"
    return _parenthesised(text, strength < weakest)


def _parenthesised(text: str, needed: bool) -> str:
    return f"({text})" if needed else text


def short_layout(layout: Layout) -> str:
    """Return the short text of a layout, ``(3, N):(1, 3)``. NoShortText if it has none."""
    return f"{_modes(layout.shape)}:{_modes(layout.stride)}"


def _modes(modes: tuple[Any, ...]) -> str:
    return f"({', '.join(map(_mode, modes))})"


def _mode(mode: Any) -> str:
    return short_tuple(mode, _mode) if isinstance(mode, SymbolicTuple) else short(mode, " ")


def short_tuple(tuple_: SymbolicTuple, spell: Callable[[Any], str]) -> str:
    """Return ``(3, N)``, with a comma behind a single element."""
    inner = [spell(element) for element in tuple_.elements]
    return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
