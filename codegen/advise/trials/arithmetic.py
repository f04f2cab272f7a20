"""Trials of arithmetic: narrower types, divisors that are known, products for powers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import e, log2
from typing import Any

from tileir.attributes import FloatAttribute
from tileir.builder import Editor, number, splat
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.ops import Family, family_of
from tileir.codegen.ops.powers import constant_exponent
from tileir.ir import Op, Value
from tileir.ir.constants import Constant, to_constant
from tileir.read.function import Function
from tileir.types import Scalar, Tile

from .parameters import Called, constant_of, origin
from .trial import Trial, at_ops

F32, F64 = Scalar("f32"), Scalar("f64")
DIVISIONS = ("divi", "remi")
_HANDED_ON = (
    *(Family.ELEMENT_WISE, Family.RENUMBERING, Family.FOLD, Family.GENERATOR),
    *(Family.LOOP, Family.TERMINATOR),
)
_KNOWN = 64
"""A divisor that is tried for one that is not known."""
_POWERS = (5, 6, 7, 8)
"""Exponents for which three or four products do. They round more often than a power may err, so
the compiler does not make them; smaller ones it does (see `codegen.ops.powers`)."""


def is_double(value: Value) -> bool:
    """Whether a value is a tile of f64."""
    return isinstance(value.type, Tile) and value.type.element == F64


def doubles(function: Function) -> set[Op]:
    """Return the ops that compute in f64 though no tile is f64 that the kernel gets or gives.

    That is what begins with conversions, constants and single numbers, and ends with conversions.
    """
    found = {op for op in function.walk() if family_of(op) in _HANDED_ON and _with_doubles(op)}
    while True:
        wrong = {op for op in found if not _is_inside(op, found)}
        if not wrong:
            return found
        found -= wrong


def taken(op: Op, found: set[Op]) -> tuple[list[Value], bool]:
    """Return the single numbers of f64 that come from outside to the ops around one of these.

    With it, whether a tile of floats is made f64 there.
    """
    numbers: dict[Value, None] = {}
    widened = False
    seen, waiting = {op}, [op]
    while waiting:
        each = waiting.pop()
        given = [*filter(is_double, each.operand_list())]
        numbers |= {value: None for value in given if _giver(value) not in found}
        own = [*filter(is_double, _own(each))]
        widened |= each.name == "ftof" and any(value.type.size > 1 for value in own)
        users = {use.op for value in own for use in value.uses}
        for other in {*filter(None, map(_giver, given)), *users, *_ends(each)} & found - seen:
            seen.add(other)
            waiting.append(other)
    return [*numbers], widened


def _own(op: Op) -> list[Value]:
    """Return what an op defines: its results, and the arguments of its regions."""
    blocks = (block for region in op.regions for block in region.blocks)
    return [*op.results, *(value for block in blocks for value in block.arguments)]


def _giver(value: Value) -> Op | None:
    """Return the op that defines a value, as a result or in a region; None for parameters."""
    return value.owner if isinstance(value.owner, Op) else value.owner.parent_op


def _with_doubles(op: Op) -> bool:
    return any(map(is_double, (*op.operand_list(), *_own(op))))


def _is_inside(op: Op, found: set[Op]) -> bool:
    """Whether the tiles that an op takes as f64, and all that it gives so, are of these ops."""
    for value in filter(is_double, op.operand_list()):
        if _giver(value) not in found and not _is_number(value):
            return False
    if family_of(op) is Family.TERMINATOR and _ended(op) not in found:
        return False
    if not found.issuperset(_ends(op)):
        return False
    return all(use.op in found for value in filter(is_double, _own(op)) for use in value.uses)


def _is_number(value: Value) -> bool:
    """Whether a value is one number, of a parameter or an op."""
    return value.type.size == 1 and (isinstance(value.owner, Op) or _giver(value) is None)


def _ends(op: Op) -> list[Op]:
    """Return the terminators that hand f64 to an op with regions."""
    inside = op.walk() if op.regions else ()
    ends = (each for each in inside if family_of(each) is Family.TERMINATOR)
    return [each for each in ends if _with_doubles(each) and _ended(each) is op]


def _ended(terminator: Op) -> Op | None:
    """Return the op that gets what a terminator hands on."""
    around = terminator.parent.parent_op if terminator.parent else None
    if terminator.name in ("break", "continue"):
        while around is not None and around.parent and family_of(around) is not Family.LOOP:
            around = around.parent.parent_op
    return around


def _in_single(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Compute in f32 what begins and ends narrower than f64."""
    told: dict[Site, str] = {}
    for symbol in {site.symbol for site in sites}:
        function = copy.by_symbol[symbol]
        found, called = doubles(function), Called(function.body)
        for site in sites:
            if site.symbol == symbol and site.number is not None:
                numbers, _ = taken(copy.ops[site.number], found)
                told[site] = _said([*dict.fromkeys(map(called, numbers))])
        _take_single(function, found)
        for op in found:
            _make_single(op)
        for op in found:
            if op.name == "ftof" and op.operands["from"].type == op.result.type:
                op.result.replace_all_uses_with(op.operands["from"])
                op.remove()
    return told


def _said(numbers: Sequence[str]) -> str:
    if not numbers:
        return "compute it in f32: a constant or a conversion makes it f64"
    return f"convert {' and '.join(numbers)} to f32 before it meets a tile, and compute in f32"


def _take_single(function: Function, found: set[Op]) -> None:
    """Convert the numbers that ops take as f64, each once, where it is defined."""
    singles: dict[Value, Value] = {}
    editor = Editor(function)

    def single(value: Value) -> Value:
        if not is_double(value) or _giver(value) in found:
            return value
        if value not in singles:
            owner = value.owner
            place = editor.after(owner) if isinstance(owner, Op) else editor.at_start(owner)
            singles[value] = place.ftof(value, result=Tile(F32, value.type.shape))
        return singles[value]

    for op in found:
        for slot, given in list(op.operands.items()):
            if isinstance(given, tuple):
                op.operands[slot] = tuple(map(single, given))
            elif given is not None:
                op.operands[slot] = single(given)


def _make_single(op: Op) -> None:
    for value in filter(is_double, _own(op)):
        value.type = Tile(F32, value.type.shape)
    for name, given in op.attributes.items():
        if isinstance(given, tuple):
            op.attributes[name] = tuple(map(_single, given))
        else:
            op.attributes[name] = _single(given)


def _single(given: Any) -> Any:
    """Return an attribute of f64 as one of f32."""
    if isinstance(given, FloatAttribute) and given.type == F64:
        return number(given.value, F32)
    if isinstance(given, Constant) and given.type.element == F64:
        kind, one = replace(given.type, element=F32), [*map(given.value, range(given.type.size))]
        return splat(given.value(), kind) if given.is_splat else to_constant(one, kind)
    return given


def _by_constant(op: Op, editor: Editor) -> str | None:
    """Divide by a constant where the divisor is a parameter."""
    divisor = op.operands["rhs"]
    source = origin(divisor)
    if isinstance(source.owner, Op) and source.owner.name == "constant":
        return None
    op.operands["rhs"] = editor.constant(splat(_KNOWN, divisor.type))
    called = Called(editor.function.body)
    return f"let {called(source)} be a constant, a power of two if it may be one"


def _unsigned(op: Op, editor: Editor) -> str | None:
    """Divide unsigned numbers."""
    if op.attributes["signedness"] == "unsigned":
        return None
    editor.set(op, signedness="unsigned")
    return f"let {op.name} be unsigned, if nothing is negative"


def _as_products(op: Op, editor: Editor) -> str | None:
    """Multiply instead of raising to a small whole power."""
    exponent = exponent_of(op)
    if exponent is None:
        return None
    made = base = next(op.operand_list())
    for bit in f"{exponent:b}"[1:]:
        made = editor.mulf(made, made)
        if bit == "1":
            made = editor.mulf(made, base)
    op.result.replace_all_uses_with(made)
    return f"multiply, instead of raising to the power of {exponent}, if errors of some ulp will do"


def _as_exponential(op: Op, editor: Editor) -> str | None:
    """Compute powers of a constant by an exponential with base two."""
    base = base_of(op)
    if base is None:
        return None
    exponent = [*op.operand_list()][1]
    factor = editor.constant(splat(log2(base), exponent.type))
    op.result.replace_all_uses_with(editor.exp2(editor.mulf(exponent, factor)))
    return f"use exp2, of the exponent times {log2(base):.6g}"


def base_of(op: Op) -> float | None:
    """Return the constant, greater than 0, that an op raises to powers; None if there is none."""
    base = constant_of(next(op.operand_list())) if op.name == "fpowf" else None
    return base if base is not None and base > 0 else None


def _approximate(op: Op, editor: Editor) -> str | None:
    """Let functions be approximate, and exponentials powers of two."""
    if not may_be_approximate(op):
        return None
    if op.name == "exp":
        source = next(op.operand_list())
        factor = editor.constant(splat(log2(e), source.type))
        made = editor.exp2(editor.mulf(source, factor), flush_to_zero=True)
        made.owner.location = op.location
        op.result.replace_all_uses_with(made)
        op.remove()
        return "use exp2 with flush_to_zero, of the argument times log2(e), if that is enough"
    if is_scaled(op):
        editor.set(op, flush_to_zero=True)
        return f"let {op.name} take subnormal numbers for zero (flush_to_zero), if that is enough"
    editor.set(op, rounding_mode="approx")
    return f"let {op.name} be approximate (rounding<approx>), if that is enough"


def may_be_approximate(op: Op) -> bool:
    """Whether an op of f32 computes more exactly than the unit that it could leave it to."""
    if op.name not in ("divf", "sqrt", "tanh", "exp", "exp2", "rsqrt"):
        return False
    if op.result.type.element != F32:
        return False
    enough = ("approx", "full") if op.name == "divf" else ("approx",)
    told = op.name in ("exp2", "rsqrt") or op.attributes.get("rounding_mode") in enough
    return not told or is_scaled(op)


def is_scaled(op: Op) -> bool:
    """Whether an op is approximate, but scales subnormal numbers, which its unit has for zero."""
    if op.name in ("exp2", "rsqrt"):
        return not op.attributes.get("flush_to_zero")
    if op.name not in ("sqrt", "divf") or op.attributes.get("rounding_mode") != "approx":
        return False
    return not op.attributes.get("flush_to_zero")


def exponent_of(op: Op) -> int | None:
    """Return the exponent of a power that a few products give; None for others."""
    found = constant_exponent(op)
    return int(found) if found in _POWERS else None


IN_SINGLE = Trial(_in_single)
"""What is f64 between f32 values is f32."""
BY_CONSTANT = at_ops(_by_constant)
"""Divisors are constants."""
UNSIGNED = at_ops(_unsigned)
"""Whole numbers that are divided are not negative."""
AS_EXPONENTIAL = at_ops(_as_exponential)
"""Powers of a constant are exponentials."""
APPROXIMATE = at_ops(_approximate)
"""Divisions, square roots, tangents and exponentials are approximate."""
AS_PRODUCTS = at_ops(_as_products)
"""Small powers are products."""
