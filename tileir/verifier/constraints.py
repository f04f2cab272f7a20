"""The rules that follow from the rows of the op table: types, agreement, inference, enum cases.

The rules about types depend only on the types, so a caller may cache the result for a combination
of types (`signature`). Messages are worded like NVIDIA's; `GROUPS` has those that differ by op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from tileir.formats.leaves import EnumValue
from tileir.formats.ops.control_flow import CARRIED
from tileir.formats.ops.spec import (
    Attribute,
    Constraint,
    Like,
    Operand,
    Pointee,
    Reduced,
    Result,
    Row,
    TileOf,
    ViewTile,
)
from tileir.formats.ops.spec import Op as TileRow
from tileir.formats.version import LATEST, Version
from tileir.ir import Op, Value
from tileir.ir.dialect import TILE_IR, Dialect
from tileir.ir.slot_types import Slots, admits, all_slots, infer, operand_slots
from tileir.ir.type_kinds import is_foreign
from tileir.messages.other_dialects import not_tile_ir
from tileir.types import GatherScatterView, Pointer, Scalar, TensorView, Tile, Type, ValueType

from .catalogue import Rule, declare
from .wording import LOOSE, listed, quoted, sizes, wanted

Problem = tuple[Rule, str, str]
"""The rule that an op breaks, what is wrong, and a hint (or "")."""

RESULT_COUNT = declare(
    "result-count",
    "An op has as many results as its row says; only ops with a list of results may choose.",
)
VERSION = declare(
    "version",
    "Every version of the format has the ops, operands, attributes and results of the one before, "
    "and more. Bytecode.to_version says all that an older one lacks.",
)
OPERAND_TYPE = declare(
    "operand-type",
    "Every operand slot admits some types: kinds (tile, token, view), element types, and for "
    "scalars rank 0. Convert the operand with ftof, itof, ftoi, exti, trunci or reshape first.",
)
RESULT_TYPE = declare(
    "result-type",
    "Every result slot admits some types: kinds (tile, token, view), element types, and for "
    "scalars rank 0. The type is stated by whoever writes the op.",
)
SAME_TYPE = declare(
    "same-type",
    "Some operands and results of an op must be of the very same type: nothing is converted or "
    "broadcast implicitly. Use ftof, exti, trunci, reshape and broadcast.",
)
SAME_ELEMENT = declare(
    "same-element-type",
    "Some operands and results of an op must have one element type; their shapes may differ.",
)
SAME_RANK = declare(
    "same-rank",
    "Some operands and results of an op must have one rank. Use reshape to add dimensions of size "
    "1, or to drop them.",
)
SAME_SHAPE = declare(
    "same-shape",
    "Some operands and results of an op must have one shape: nothing is broadcast implicitly. Use "
    "reshape and broadcast.",
)
INFERRED = declare(
    "inferred-type",
    "Where the type of a slot follows from another (the tile of a view, the pointee of a pointer), "
    "it must be that type.",
)
CASE = declare(
    "attribute-case",
    "An attribute that names one of several cases (a rounding mode, a memory order) must name one "
    "that this op has.",
)
LISTED = 4
"""Most types of a list that a hint shows."""

AGREEMENTS: tuple[tuple[str, str, Rule, Callable[[ValueType], object]], ...] = (
    ("same_type", "same type", SAME_TYPE, lambda type: type),
    ("same_element", "the same element type", SAME_ELEMENT, lambda type: type.element),
    ("same_shape", "same shape", SAME_SHAPE, lambda type: type.shape),
)
"""Field of a row with groups of slots, words, rule, and the part of a type that must agree."""

_LOADED = "failed to verify that `source` type is expected a pointer type of `result` type"
_STORED = "failed to verify that `destination` type is expected a pointer type of `value` type"
_PADDED = "failed to verify that type of 'paddingValue' must match the type of 'result'"
_SLICED = "source and result element type do not match"
_ALL_ELEMENTS = "requires the same element type for all operands and results"
GROUPS = {
    ("atomic_cas_tko", "mask"): (
        "failed to verify that all of {pointers, val, cmp and mask} have same shape"
    ),
    ("atomic_rmw_tko", "mask"): (
        "failed to verify that all of {pointers, arg, mask} have same shape"
    ),
    ("broadcast", "result"): _ALL_ELEMENTS,
    ("cmpf", "result"): (
        "failed to verify that Result type has i1 element type and same shape as operands"
    ),
    ("cmpi", "result"): (
        "failed to verify that Result type has i1 element type and same shape as operands"
    ),
    ("extract", "result"): _SLICED,
    ("insert", "destination"): _SLICED,
    ("load_ptr_tko", "mask"): (
        "failed to verify that shape of 'mask' must match the shape of 'source'"
    ),
    ("load_ptr_tko", "result"): _LOADED,
    ("offset", "offset"): "requires the same shape for all operands and results",
    ("reduce", "operands"): "requires the same shape for all operands",
    ("reshape", "result"): _ALL_ELEMENTS,
    ("scan", "operands"): "requires the same shape for all operands",
    ("store_ptr_tko", "mask"): (
        "failed to verify that shape of 'destination' must match the shape of 'mask'"
    ),
    ("store_ptr_tko", "value"): _STORED,
}
"""Op and the slot that does not agree -> NVIDIA's message, where it has one for that op."""


RESULT_FIRST = ("fpowf", "fpowi", "offset", "remi")
"""Ops whose result NVIDIA's message names first among the slots of one type."""

RANKED = {
    "broadcast": ("source", "result"),
    "cat": ("lhs", "rhs", "result"),
    "extract": ("source", "result"),
    "mmaf": ("lhs", "rhs", "acc"),
    "mmaf_scaled": ("lhs", "rhs", "acc", "lhs_scale", "rhs_scale"),
    "mmai": ("lhs", "rhs", "acc"),
    "pack": ("source", "result"),
    "permute": ("source", "result"),
    "unpack": ("source", "result"),
}
"""Op -> the slots that must have the same rank."""

RANKED_LAST = ("mmaf", "mmaf_scaled", "mmai", "permute")
"""Ops whose ranks NVIDIA compares after their types."""


def signature(op: Op) -> tuple:
    """Return the types of an op as a key, which is valid as long as the types are alive."""
    key: list = [op.spec.mnemonic]
    for value in op.operands.values():
        if value is None:
            key.append(0)
        elif value.__class__ is tuple:
            key.append(len(value))
            key += [id(one.type) for one in value]
        else:
            key.append(id(value.type))
    key += [id(value.type) for value in op.results]
    return tuple(key)


def operand_problem(op: Op) -> Problem | None:
    """Return what is wrong with the types of the operands of an op without results yet."""
    slots = operand_slots(op)
    rows = [(slot, slots.get(slot.name, ())) for slot in op.spec.operands]
    return _refused(op, rows, "operand", OPERAND_TYPE, TILE_IR) or _disagreement(op, slots)


def type_problem(op: Op, dialect: Dialect = TILE_IR) -> Problem | None:
    """Return the first thing that is wrong with the types of an op's operands and results."""
    slots = all_slots(op)
    operands = [(slot, slots.get(slot.name, ())) for slot in op.spec.operands]
    problem = _refused(op, operands, "operand", OPERAND_TYPE, dialect) or _miscounted(op)
    if problem:
        return problem
    results = [(slot, slots.get(slot.name, ())) for slot in op.spec.results]
    return (
        _refused(op, results, "result", RESULT_TYPE, dialect)
        or (_ranks(op, slots) if op.name not in RANKED_LAST else None)
        or _disagreement(op, slots)
        or _uninferred(op, slots)
        or _ranks(op, slots)
    )


def _miscounted(op: Op) -> Problem | None:
    rows = op.spec.results
    if len(rows) == 1 and rows[0].arity == "many":
        return None
    if len(op.results) == len(rows):
        return None
    since = op.spec.since if isinstance(op.spec, TileRow) else LATEST
    least = len([slot for slot in rows if slot.since <= since])
    if least <= len(op.results) <= len(rows):
        return None
    words = {0: "requires zero results", 1: "requires one result"}
    return RESULT_COUNT, words.get(len(rows), f"expected {len(rows)} results"), ""


def version_problem(op: Op, version: Version) -> Problem | None:
    """Return the problem of an op, or a result, that the version of the format does not have."""
    if op.spec.since > version:
        return VERSION, f"{op.name} needs {op.spec.since}, the file is {version}", ""
    rows = op.spec.results
    if len(rows) == 1 and rows[0].arity == "many":
        return None
    due = len([slot for slot in rows if slot.since <= version])
    if len(op.results) == due:
        return None
    name = "".join(part.title() for part in op.name.split("_"))
    text = f"result count mismatch for {name}Op: expected {due} compatible results but got "
    return RESULT_COUNT, f"{text}{len(op.results)}", ""


# Slots ------------------------------------------------------------------------------------------


def _refused(
    op: Op,
    rows: Sequence[tuple[Operand | Result, Sequence]],
    kind: str,
    rule: Rule,
    dialect: Dialect,
) -> Problem | None:
    index = 0
    for slot, values in rows:
        if slot.arity == "one" and not values and isinstance(slot, Operand):
            return rule, f"operand #{index} is missing", f"it is {slot.name}"
        for position, value in enumerate(values):
            if not _admitted(op, slot, value.type, dialect):
                text = _particular(op, slot, value.type, position)
                if dialect is TILE_IR and is_foreign(value.type):
                    text = not_tile_ir(str(value.type))
                if text is None:
                    many = "variadic of " if slot.arity == "many" else ""
                    what = wanted(slot.type, op.name, slot.name, value.type)
                    got = quoted(value.type)
                    text = f"{kind} #{index} must be {many}{what}, but got {got}"
                return rule, text, f"{kind} #{index} is {slot.name}"
            index += 1
    return None


def _admitted(op: Op, slot: Operand | Result, type: Type, dialect: Dialect) -> bool:
    """Whether a slot admits a type, as far as NVIDIA's tools check slots."""
    if admits(slot.type, type, dialect):
        return True
    if slot.type is CARRIED:  # a terminator's operands are checked by `control_flow`
        return op.spec.terminator or isinstance(type, Scalar | Pointer)
    loose = slot.name != "view" and slot.name in LOOSE.get(op.name, ())
    return loose and isinstance(type, Tile)


def _particular(op: Op, slot: Operand | Result, type: Type, position: int) -> str | None:
    """Return NVIDIA's message for a type that its tools refuse by a rule of its own, else None."""
    if slot.type is CARRIED:
        what = "a tensor_view" if isinstance(type, TensorView) else "a tile view"
        which = "loop-carried value" if isinstance(slot, Operand) else "result type"
        return f"{which} {position} is {what}, which is not supported"
    if op.name.startswith("multimem") and slot.name == "view" and "View" in type.__class__.__name__:
        return f"multimem view operations support only partition_view; got {quoted(type)}"
    if (
        op.name == "atomic_red_view_tko"
        and slot.name == "view"
        and isinstance(type, GatherScatterView)
    ):
        return "gather_scatter_view is not supported; use partition_view instead"
    if not isinstance(type, Tile):
        return None
    element = "ptr" if isinstance(type.element, Pointer) else type.element.name
    match op.name:
        case "iota" if _another_rank(slot.type, type.rank, element):
            return "expects result type to be 1-d tile"
        case "pack" | "unpack" if _another_rank(slot.type, type.rank, element):
            return "expects source and result to be rank-1 tiles"
        case "itof" if element == "f8E8M0FNU" and slot.name == "to":
            return (
                "integer to f8E8M0FNU conversion is not supported, please first convert to "
                "another float type"
            )
    return None


# Agreement --------------------------------------------------------------------------------------


def _ranks(op: Op, slots: Slots) -> Problem | None:
    names = RANKED.get(op.name, ())
    if len({value.type.rank for name in names for value in slots[name]}) < 2:
        return None
    hint = ", ".join(f"{name} is {slots[name][0].type}" for name in names)
    text = f"failed to verify that all of {{{', '.join(names)}}} have same rank"
    return SAME_RANK, text, hint


def _disagreement(op: Op, slots: Slots) -> Problem | None:
    for field, words, rule, part in AGREEMENTS:
        for group in getattr(op.spec, field):
            odd = _odd_one(op.spec, group, slots, part)
            if odd is not None:
                text = GROUPS.get((op.name, odd))
                if field == "same_type" and "paddingValue" in group:
                    text = _PADDED
                if text is None or (field == "same_type" and text is not _PADDED):
                    names = [name for name in group if name == odd or not _optional(op.spec, name)]
                    if op.name in RESULT_FIRST and field == "same_type":
                        names = [names[-1], *names[:-1]]
                    text = f"failed to verify that all of {{{', '.join(names)}}} have {words}"
                hint = ", ".join(
                    f"{name} is {_some(slots[name])}" for name in group if slots.get(name)
                )
                return rule, text, hint
    return None


def _some(values: Sequence[Value]) -> str:
    """Return the first few types of values as a list."""
    shown = [str(value.type) for value in values[:LISTED]]
    return ", ".join([*shown, "..."] if len(values) > LISTED else shown)


def _optional(row: Row, name: str) -> bool:
    return any(slot.name == name and slot.arity == "optional" for slot in row.operands)


def _odd_one(
    row: Row, group: Sequence[str], slots: Slots, part: Callable[[Type], object]
) -> str | None:
    """Return the first slot that does not agree with the first one of its group.

    Values of lists must agree pair by pair; those of a list alone in its group, all with each
    other.
    """
    if len(group) == 1:
        alike = {part(value.type) for value in slots.get(group[0], ())}
        return group[0] if len(alike) > 1 else None
    lists = _lists(row)
    there = [name for name in group if slots.get(name) or (name in lists and name in slots)]
    for name in there[1:]:
        first, others = slots[there[0]], slots[name]
        if len(first) != len(others):
            return name
        for one, other in zip(first, others, strict=True):
            if one.type is not other.type and part(one.type) != part(other.type):
                return name
    return None


def _lists(row: Row) -> list[str]:
    """Return the slots of a row that hold lists."""
    return [slot.name for slot in (*row.operands, *row.results) if slot.arity == "many"]


def _another_rank(allowed: Constraint, rank: int, element: str) -> bool:
    """Whether a slot admits tiles of an element, but not of that rank."""
    return isinstance(allowed, TileOf) and allowed.rank != rank and element in allowed.elements


def _uninferred(op: Op, slots: Slots) -> Problem | None:
    for slot in (*op.spec.operands, *op.spec.results):
        rule = slot.inference
        if rule is None or isinstance(rule, Reduced) or not slots.get(slot.name):
            continue
        due = infer(op, rule, slots)
        given = [value.type for value in slots[slot.name]]
        if isinstance(rule, ViewTile):
            given = [type.bare if isinstance(type, Tile) else type for type in given]
        if due != given:
            hint = f"{slot.name} follows from {rule.slot}"
            return INFERRED, _inference_words(op, slot, slots, due or [], given), hint
    return None


def _inference_words(
    op: Op,
    slot: Operand | Result,
    slots: Slots,
    due: Sequence[ValueType],
    given: Sequence[ValueType],
) -> str:
    """Return the problem of a slot of the types `given` instead of `due`, in tileiras' words."""
    match slot.inference:
        case ViewTile() if op.name == "atomic_red_view_tko" and due[0].element != given[0].element:
            pair = quoted(due[0].element), quoted(given[0].element)
            return f"view element type ({pair[0]}) must match value element type ({pair[1]})"
        case ViewTile() if op.name == "atomic_red_view_tko":
            return (
                f"view tile shape {sizes(due[0].shape)} must match value shape "
                f"{sizes(given[0].shape)} for element-wise atomic operations"
            )
        case ViewTile():
            return (
                f"expected tile type to be {listed(due)} (based on view type), got {listed(given)}"
            )
        case Pointee() if op.name.startswith("atomic"):
            pointee, element = quoted(due[0].element), quoted(given[0].element)
            name = "val" if op.name == "atomic_cas_tko" else "arg"
            return (
                f"expected pointee type ({pointee}) to match element type of '{name}' ({element})"
            )
        case Like(source) if op.name == "scan":
            for index, (one, other) in enumerate(zip(due, given, strict=False)):
                if one != other:
                    return (
                        f"expect same type for operand at index: {index} and result at index: "
                        f"{index}"
                    )
            return "expect same number of operands and results"
        case Like(source, "") if (op.name, slot.name) not in GROUPS:
            return f"failed to verify that all of {{{source}, {slot.name}}} have same type"
    text = GROUPS.get((op.name, slot.name))
    return text or f"expected {slot.name} to be {listed(due)}, got {listed(given)}"


# Attributes -------------------------------------------------------------------------------------


@cache
def _cases(
    mnemonic: str, dialect: Dialect = TILE_IR
) -> tuple[tuple[Attribute, frozenset[str]], ...]:
    """Return the enum attributes of a row, and the cases that each may have."""
    attributes = dialect.rows[mnemonic].attributes
    slots = [slot for slot in attributes if isinstance(slot.node, EnumValue)]
    return tuple((slot, frozenset(slot.cases)) for slot in slots)


def case_problem(op: Op, dialect: Dialect = TILE_IR) -> Problem | None:
    """Return the problem of an enum attribute that is missing, or not a case its row allows."""
    name = op.spec.mnemonic
    for slot, legal in _cases(name) if dialect is TILE_IR else _cases(name, dialect):
        value = op.attributes.get(slot.name)
        if value is None:
            if not slot.optional:
                return CASE, f"{slot.name} is missing", ""
        elif value not in legal:
            return CASE, _case_words(op, slot, value), f"{slot.name} is {value}"
    return None


def _case_words(op: Op, slot: Attribute, value: object) -> str:
    cases = slot.cases
    match slot.name:
        case "rounding_mode" | "rounding" if op.name in ("ftoi", "itof"):
            return f"invalid rounding mode specified. Only '{cases[0]}' is supported"
        case "rounding_mode" | "rounding":
            order = sorted(cases) if cases[0] == "full" else cases
            return f"invalid rounding mode specified, expect one of [{', '.join(order)}]"
        case "memory_ordering_semantics" if cases == ("relaxed",):
            return "only 'relaxed' memory ordering is supported for view-based atomic reductions"
        case "memory_ordering_semantics" if cases[0] == "weak":
            return f"expect one of: weak, relaxed, or {cases[2]}, but got: {value}"
        case "memory_ordering_semantics":
            return f"memory ordering semantics must be one of: {', '.join(cases)}"
        case "memory_scope" if slot.allowed:
            return (
                f"memory scope '{value}' is not supported for view-based atomic reductions; use "
                "'tl_blk' or 'device' for TMA compatibility"
            )
        case "mode" if slot.allowed:
            return f"{op.name} op cannot use {value} operation"
        case "overflow" if slot.allowed:
            return f"'{value}' overflow flag is not supported"
    return f"{slot.name} must be one of: {', '.join(cases)}, but got: {value}"
