"""The result types of an op being built: from its row where they follow, else from the caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard, cast

from tileir.errors import BuildError
from tileir.formats.ops.spec import Result, TileOf
from tileir.formats.version import Version
from tileir.ir import Op
from tileir.ir.slot_types import Slots, infer, operand_slots, why_not
from tileir.types import Pointer, Scalar, Tile, Token, Type

from .type_spelling import legal_type, value_type

Stated = Type | str | Sequence[int] | None
"""A result as a caller states it: its type; its element type or its shape alone, where the row ties
the rest to an operand; or None."""


def result_types(op: Op, result: Stated, results: Sequence | None, version: Version) -> list[Type]:
    """Return the types of the results of an op whose operands and attributes are known.

    `result` states the one result whose type does not follow from the row; `results` states them
    all. BuildError if a type is missing or superfluous.
    """
    try:
        return _result_types(op, result, results, version)
    except BuildError as error:
        if str(error).startswith(f"{op.name}: "):
            raise
        raise BuildError(f"{op.name}: result: {error}") from None


def _result_types(op: Op, result: Stated, results: Sequence | None, version: Version) -> list[Type]:
    slots = operand_slots(op)
    rows = [slot for slot in op.spec.results if slot.since <= version]
    if results is not None:
        return _all_stated(op, rows, results)
    made: list[Type] = []
    open_slots = [slot for slot in rows if follows(op, slot, slots) is None]
    if result is not None:
        if not rows:
            raise BuildError(f"{op.name}: result is given, the op has none")
        chosen = open_slots[0] if open_slots else rows[0]
        if chosen.arity == "many":
            raise BuildError(f"{op.name}: state {chosen.name} as a list: results=[...]")
    for slot in rows:
        if result is not None and slot is chosen:
            made.append(_stated(op, slot, result, slots))
            continue
        types = follows(op, slot, slots)
        if types is None and slot.arity != "many":
            like = _tied(slot, op.spec.same_element, slots)
            what = f"type of {slot.name} ({slot.type})"
            if like is not None:
                what = f"shape of {slot.name} (a tile of {like.element})"
            raise BuildError(
                f"{op.name}: result= is missing: the {what} does not follow from the operands"
            )
        made += types or ()
    return made


def _all_stated(op: Op, rows: Sequence[Result], results: Sequence) -> list[Type]:
    if isinstance(results, str) or not isinstance(results, Sequence):
        raise BuildError(f"{op.name}: results must be a list of types, found {results!r}")
    if not any(slot.arity == "many" for slot in rows) and len(results) != len(rows):
        raise BuildError(f"{op.name}: {len(rows)} results, found {len(results)} types")
    return [value_type(type) for type in results]


def unsaid(op: Op) -> bool:
    """Whether only the caller can say how many results an op has, and said nothing."""
    first = op.spec.results[:1]
    return not op.results and any(s.arity == "many" and s.inference is None for s in first)


def follows(op: Op, slot: Result, slots: Slots) -> list[Type] | None:
    """Return the types of a result slot that follow from the row; None if they do not."""
    if slot.inference is not None:
        types = infer(op, slot.inference, slots)
        if types is None:
            raise BuildError(f"{op.name}: {why_not(op, slot.inference, slots)}")
        return types
    if slot.arity == "many":
        return None
    for group in op.spec.same_type:
        if slot.name in group:
            agreeing = [value.type for name in group for value in slots.get(name, ())]
            if agreeing:
                return agreeing[:1]
    only = _only_type(slot)
    return None if only is None else [only]


def _only_type(slot: Result) -> Type | None:
    """Return the type of a slot whose constraint admits only one, else None."""
    constraint = slot.type
    if constraint.kinds == ("token",):
        return Token()
    if isinstance(constraint, TileOf) and constraint.rank == 0 and len(constraint.elements) == 1:
        (name,) = constraint.elements
        return None if name == "ptr" else Tile(Scalar(name))
    return None


def _stated(op: Op, slot: Result, stated: Stated, slots: Slots) -> Type:
    """Return the type that the caller states: in full, or by element type or shape alone."""
    if _is_shape(stated):
        like = _tied(slot, op.spec.same_element, slots)
        if like is None:
            raise BuildError(
                f"{op.name}: result: {stated!r} is no type, and no operand has the element type"
            )
        return legal_type(Tile(like.element, tuple(stated)))
    stated = legal_type(cast("Type | str", stated))
    if isinstance(stated, Scalar | Pointer):
        like = _tied(slot, op.spec.same_shape, slots)
        return Tile(stated, like.shape if like else ())
    return stated


def _is_shape(stated: object) -> TypeGuard[Sequence[int]]:
    return isinstance(stated, tuple | list) and all(isinstance(size, int) for size in stated)


def _tied(slot: Result, groups: Sequence[Sequence[str]], slots: Slots) -> Tile | None:
    """Return the type of an operand that shares one of the groups with the result."""
    for group in groups:
        if slot.name in group:
            for name in group:
                for value in slots.get(name, ()):
                    return value.type
    return None
