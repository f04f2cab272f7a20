"""The check for malformed ops and items: edited in Python, they may lack what decoded ones have.

All other rules rely on well-formed ops, so this is checked first.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from types import UnionType
from typing import Any, cast

from tileir.formats.leaves import EnumValue
from tileir.formats.ops import OPS
from tileir.formats.ops.spec import Attribute, Kind, Row
from tileir.ir import Block, Body, Op, Region, Value
from tileir.ir.attribute_kinds import slot_problem
from tileir.ir.dialect import TILE_IR, Dialect
from tileir.ir.location_kinds import location_problem
from tileir.ir.locations import Location
from tileir.ir.type_kinds import types_problem
from tileir.messages.other_dialects import FOREIGN, not_tile_ir

from .catalogue import declare
from .constraints import Problem

MALFORMED = declare(
    "malformed-op",
    "An op has, in every operand slot of its row, a value, or None where it is optional, or a "
    "tuple of values; a list of values as results, of regions with lists of blocks; and in every "
    "attribute slot what the slot holds, cases of enums by their names. Ops of a file always do; "
    "one that was edited in Python may not.",
)
MALFORMED_ITEM = declare(
    "malformed-item",
    "The functions and globals of a module are lists of functions and globals, and each field of "
    "those holds what it is for: a name, a type, a truth. Those of a file always do; one that was "
    "edited in Python may not.",
)
OTHER_DIALECT = declare(
    "other-dialect",
    "The ops and types of a module are those of Tile IR. Compiling makes block IR of them, which "
    "says what the threads of a block do; it cannot be put back into a module.",
)

OUTSIDE = frozenset(row.mnemonic for row in OPS if not row.in_body)
"""Mnemonics of ops that are in a section of their own."""


@cache
def _slots(
    mnemonic: str, dialect: Dialect = TILE_IR
) -> tuple[dict[str, str], tuple[tuple[str, Attribute, type], ...]]:
    """Return operand slots with their arity, and attribute slots with a class that is right."""
    row = dialect.rows[mnemonic]
    attributes = tuple((slot.name, slot, _plain(slot)) for slot in row.attributes)
    return {slot.name: slot.arity for slot in row.operands}, attributes


def _plain(slot: Attribute) -> type:
    """Return a class all of whose objects a slot can hold as far as their kind goes."""
    if slot.node is None:
        return bool
    return str if isinstance(slot.node, EnumValue) else _Never


class _Never:
    """No value is of this class."""


Right = set[tuple[int, int]]
"""Attribute slots and values that were found to fit, by identity; the ops that have them live."""


def malformed(op: object, right: Right | None = None, dialect: Dialect = TILE_IR) -> Problem | None:
    """Return what makes an object no well-formed op of the dialect.

    Ops share many attributes: those that are right are added to `right`, and not looked at again.
    """
    text = _problem(op, set() if right is None else right, dialect)
    if not text:
        return None
    if dialect is TILE_IR and isinstance(op, Op) and _foreign(op.spec):
        return OTHER_DIALECT, text, ""
    return MALFORMED, text, ""


def _foreign(row: object) -> bool:
    return isinstance(row, Row) and not TILE_IR.has(row)


def all_well_formed(body: Body) -> bool:
    """Whether a body and all ops in it are well-formed."""
    if malformed_body(body):
        return False
    waiting, located, right = [body.block], set(), set()
    for block in waiting:
        if malformed_types(block.arguments):
            return False
        for op in block.ops:
            if malformed(op, right) or malformed_types(op.results):
                return False
            if op.unread_location is None and malformed_location(op.location, located):
                return False
            if op.spec.regions:
                waiting += [inner for region in op.regions for inner in region.blocks]
    return True


def malformed_body(body: object) -> Problem | None:
    """Return what makes an object no body; its ops are not looked at."""
    if not isinstance(body, Body):
        return MALFORMED, f"a {type(body).__name__} is no body", ""
    text = _block_problem(body.block)
    return (MALFORMED, text, "") if text else None


def malformed_location(location: object, known: set[Location]) -> Problem | None:
    """Return what is wrong with a location; records that are right are added to `known`."""
    text = location_problem(location, known)
    return (MALFORMED, text, "") if text else None


def malformed_types(values: Iterable[Value], dialect: Dialect = TILE_IR) -> Problem | None:
    """Return what is wrong with the types of values."""
    if dialect is TILE_IR:
        text = types_problem(values)
    else:
        text = next(filter(None, (dialect.type_problem(value.type) for value in values)), "")
    if not text:
        return None
    if dialect is TILE_IR and text.endswith(FOREIGN):
        return OTHER_DIALECT, text, ""
    return MALFORMED, f"the type of a value: {text}", ""


def _problem(op: Any, right: Right, dialect: Dialect) -> str:
    """Return what makes an object no well-formed op; right attributes are added to `right`."""
    if not isinstance(op, Op):
        return f"a {type(op).__name__} is no op"
    row = op.spec
    if not isinstance(row, Row) or row.mnemonic in OUTSIDE:
        return "it has no row in the table of ops"
    if dialect.rows.get(row.mnemonic) is not row:
        return (
            not_tile_ir(f"this {row.mnemonic}")
            if dialect is TILE_IR
            else f"it is not of {dialect.name}"
        )
    tile_ir = dialect is TILE_IR  # a cache is faster with one argument
    slots, kinds = _slots(row.mnemonic) if tile_ir else _slots(row.mnemonic, dialect)
    operands, attributes = op.operands, op.attributes
    if not isinstance(operands, dict) or operands.keys() != slots.keys():
        return f"operands are a dictionary with {', '.join(slots) or 'nothing'}"
    for name, arity in slots.items():
        value = operands[name]
        if value.__class__ is Value or (value is None and arity == "optional"):
            if arity == "many":
                return f"operand {name} is a tuple of values"
        elif arity != "many" or not _values(value, tuple):
            return f"operand {name} is {'a tuple of values' if arity == 'many' else 'a value'}"
    if not isinstance(attributes, dict) or len(attributes) != len(kinds):
        return f"attributes are a dictionary with {', '.join(name for name, *_ in kinds)}"
    for name, slot, plain in kinds:
        if name not in attributes:
            return f"attributes are a dictionary with {', '.join(name for name, *_ in kinds)}"
        value = attributes[name]
        if value.__class__ is not plain and (id(slot), id(value)) not in right:
            text = (
                _kind_problem(slot, value, dialect)
                if isinstance(slot.node, Kind)
                else slot_problem(slot, value)
            )
            if text:
                return f"attribute {name}: {text}"
            right.add((id(slot), id(value)))
    if not _values(op.results, list | tuple):
        return "results are a list of values"
    regions = op.regions
    bare = isinstance(regions, list) and not regions and not op.spec.regions
    return "" if bare else _region_problem(op)


def _kind_problem(slot: Attribute, value: object, dialect: Dialect) -> str:
    """Return why a slot for a kind of value of the dialect's own cannot hold one."""
    if value is None:
        return "" if slot.optional else "it is missing"
    return dialect.attribute_kinds[cast(Kind, slot.node)](value)


def _region_problem(op: Op) -> str:
    regions, due = op.regions, len(op.spec.regions)
    if not isinstance(regions, list) or len(regions) != due:
        return f"it has {due or 'no'} region{'' if due == 1 else 's'}"
    for region in regions:
        if not isinstance(region, Region) or not isinstance(region.blocks, list):
            return "regions are a list of regions with lists of blocks"
        for block in region.blocks:
            text = _block_problem(block)
            if text:
                return text
    return ""


def _block_problem(block: object) -> str:
    if not isinstance(block, Block):
        return f"a {type(block).__name__} is no block"
    if not isinstance(block.ops, list):
        return "the ops of a block are a list"
    return "" if _values(block.arguments, list | tuple) else "arguments are a list of values"


def _values(given: Any, kind: type | UnionType) -> bool:
    return isinstance(given, kind) and all(isinstance(value, Value) for value in given)
