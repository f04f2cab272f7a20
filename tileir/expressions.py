"""Expressions about the parameters of extern functions, which are in public preview.

They are attributes, and parts of types: the extents of a tile, the layout of a fragment. `full`
gives the text of any of them, `short` the one that NVIDIA's disassembler prints in some places
where it can. A type in an expression is a `tileir.types.Type`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, get_args

from tileir.messages.quoting import quoted


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
EXPRESSIONS: tuple[type, ...] = get_args(Expression)
PREVIEW_ATTRIBUTES = (*EXPRESSIONS, Layout, ScratchRequest, ConstParam)
"""The classes of attributes in public preview; each has the fields of its record."""


NUMBERS = (ExprInt, ExprVar, ExprMul, ExprAdd, ExprSub, ExprNeg, ExprBuiltin)
"""The expressions that the extent of a tile may be made of."""


def is_extent(expression: Any) -> bool:
    """Whether an expression may be the extent of a tile."""
    return all(
        isinstance(part, NUMBERS) for part in parts_of(expression) if isinstance(part, EXPRESSIONS)
    )


def problem_of(value: Any) -> str:
    """Return why an attribute in public preview is not legal, apart from its parts; "" if it is.

    NVIDIA's reader refuses these, in the same words.
    """
    match value:
        case ExprVar(""):
            return "expression variable name cannot be empty"
        case ExprVar(str(name)) if "." in name:
            reserved = "dotted names are reserved for builtins"
            return f"expression variable name cannot contain '.'; {reserved}"
        case ConstParam(""):
            return "constant parameter name cannot be empty"
        case ExprBuiltin() if str(value.type) != "index":
            return f"builtin expression result type must be index, got '{qualified(value.type)}'"
        case Layout():
            return _modes_problem(value.shape, value.stride)
    return ""


def _modes_problem(shape: tuple[Any, ...], stride: tuple[Any, ...]) -> str:
    """Return why the modes of a layout do not fit each other."""
    if len(shape) != len(stride):
        return "shapes and strides must have the same nesting structure"
    for mode, (extent, step) in enumerate(zip(shape, stride, strict=True)):
        nested = isinstance(extent, SymbolicTuple), isinstance(step, SymbolicTuple)
        if nested == (True, True):
            wrong = _modes_problem(extent.elements, step.elements)
            if wrong:
                return wrong
        elif any(nested):
            return "shapes and strides must have the same nesting structure"
        if isinstance(extent, ExprInt) and extent.number <= 0:
            return f"shape extents must be positive, but mode {mode} is {extent.number}"
        if isinstance(step, ExprInt) and step.number < 0:
            return f"strides must be non-negative, but mode {mode} is {step.number}"
    return ""


def parts_of(value: Any) -> Iterator[Any]:
    """Yield an attribute in public preview, and whatever is in it: texts, numbers, types."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, tuple):
            waiting += part
        elif isinstance(part, PREVIEW_ATTRIBUTES):
            waiting += [getattr(part, field.name) for field in fields(part)]


def height(value: Any) -> int:
    """Return the levels of attributes in public preview in one another: 1 for a number."""
    highest, waiting = 0, [(value, 0)]
    while waiting:
        part, level = waiting.pop()
        highest = max(highest, level)
        if isinstance(part, tuple):
            waiting += [(item, level) for item in part]
        elif isinstance(part, PREVIEW_ATTRIBUTES):
            waiting += [(getattr(part, field.name), level + 1) for field in fields(part)]
    return highest


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


def full(value: Any) -> str:
    """Return the full text of an attribute in public preview."""
    return f"#cuda_tile<preview${_body(value)}>"


def _body(value: Any) -> str:
    match value:
        case ExprInt():
            return f"expr_int<{value.number}>"
        case ExprVar():
            return f"expr_var<{quoted(value.name)}>"
        case ExprNeg():
            return f"expr_neg<{full(value.operand)}>"
        case ExprBuiltin():
            return f"expr_builtin<{quoted(value.name)}, {qualified(value.type)}>"
        case ExprConstStr():
            return f"expr_const_str<{quoted(value.string)}>"
        case ConcreteType():
            return f"concrete_type<{qualified(value.type)}>"
        case SymbolicTuple():
            return f"symbolic_tuple<{_listed(value.elements)}>"
        case Layout():
            return f"layout{layout_text(value)}"
        case ScratchRequest():
            size, alignment = full(value.size), full(value.alignment)
            return f"scratch_request<smem.size = {size}, smem.alignment = {alignment}>"
        case ConstParam():
            return f"const_param<name = {quoted(value.name)}, type = {qualified(value.type)}>"
    return f"{BINARY[value.__class__]}<{full(value.lhs)}, {full(value.rhs)}>"


BINARY = {
    ExprMul: "expr_mul",
    ExprDiv: "expr_div",
    ExprAdd: "expr_add",
    ExprSub: "expr_sub",
    ExprFloorDiv: "expr_floor_div",
    ExprCeilDiv: "expr_ceil_div",
}
"""Class of an expression of two others -> its word in full texts."""


def _listed(expressions: tuple[Any, ...]) -> str:
    return f"[{', '.join(map(full, expressions))}]"


def layout_text(layout: Layout) -> str:
    """Return a layout in angle brackets: its short text, or the full one."""
    try:
        return f"<{short_layout(layout)}>"
    except NoShortText:
        shapes, strides = full(SymbolicTuple(layout.shape)), full(SymbolicTuple(layout.stride))
        return f"<shapes = {shapes}, strides = {strides}>"


def expression_text(expression: Any) -> str:
    """Return the short text of an expression without blanks, or the full one."""
    try:
        return short(expression)
    except NoShortText:
        return full(expression)


def argument_list(arguments: tuple[Any, ...]) -> str:
    """Return constant arguments in brackets: all with their short texts, or all with full ones."""
    try:
        return f"[{', '.join(map(_argument, arguments))}]"
    except NoShortText:
        return _listed(arguments)


def _argument(argument: Any) -> str:
    match argument:
        case SymbolicTuple():
            return short_tuple(argument, _argument)
        case ConcreteType():
            return qualified(argument.type)
        case ExprConstStr():
            return quoted(argument.string)
        case ExprInt() | ExprVar():
            return short(argument)
    raise NoShortText(argument)


def qualified(type: Any) -> str:
    """Return a type as attributes spell it: with its dialect, unless it is one of MLIR's own."""
    text = str(type)
    if text.startswith("preview$"):
        return f"!cuda_tile<{text}>"
    return f"!cuda_tile.{text}" if text == "token" or "<" in text or "(" in text else text
