"""The asynchronous copy that does what a load does: of the tile of a view, or through pointers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Frag
from tileir.codegen.nvptx.machine.async_copy import COPY_BYTES
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.nvptx.schedule.access_attributes import copy_attributes
from tileir.codegen.nvptx.schedule.async_loads import MOST_COPIES, copy_problem
from tileir.codegen.nvptx.schedule.view_facts import streaming
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.ir import Op, Value
from tileir.types import Token


def problem_of(load: Op, threads: int, facts: Divisibility) -> Reason | None:
    """Return why asynchronous copies cannot make a load; None if they can."""
    if load.name == "load_view_tko":
        return copy_problem(load, threads, facts)
    kind, element = load.results[0].type, load.results[0].type.element
    if not isinstance(kind, Frag):
        return Reason("single")
    if is_packed(element):
        return Reason("packed")
    vector = _vector(load)
    if (size := memory_bytes(element) * vector) not in COPY_BYTES:
        return Reason("narrow_copies", size)
    padding = load.operands["paddingValue"]
    if load.operands["mask"] is not None and padding is not None and not _is_zero(padding):
        return Reason("masked")
    copies = (1 << len(kind.layout.register)) // vector
    return Reason("many_copies", copies) if copies > MOST_COPIES else None


def attributes_of(load: Op, threads: int, facts: Divisibility) -> dict[str, Any]:
    """Return the attributes of the copy that makes a load."""
    if load.name == "load_view_tko":
        return copy_attributes(load, streaming(load, threads, facts), facts)
    along, run = load.attributes["along"], load.attributes["run"]
    return {"vector": _vector(load), "along": along, "run": run}


def copy_of(
    load: Op,
    attributes: Mapping[str, Any],
    values: Mapping[Value, Value],
    slot: Value,
    exists: Value | None,
    token: Value | None,
) -> Op:
    """Return the copy that makes a load into a slot, of the iteration that `values` are of.

    Nothing is copied where `exists` is false.
    """

    def mapped(value: Value | None) -> Value | None:
        return None if value is None else values.get(value, value)

    operands: dict[str, Any]
    if load.name == "load_view_tko":
        name, index = "copy_async", load.operands["index"]
        operands = {"view": mapped(load.operands["view"]), "index": tuple(map(mapped, index))}
    else:
        name = "gather_async"
        operands = {each: mapped(load.operands[each]) for each in ("source", "mask")}
    operands |= {"destination": slot, "predicate": exists, "token": token}
    return make(name, operands, dict(attributes), [Token()], origin=load)


def _vector(load: Op) -> int:
    """Return the neighbours that one copy through pointers copies: under one mask."""
    vector, masked = load.attributes["vector"], load.attributes["masked"]
    return vector if load.operands["mask"] is None else min(vector, masked)


def _is_zero(value: Value) -> bool:
    """Whether all elements of a tile are a constant whose bits are all zero."""
    while isinstance(value.owner, Op) and family_of(value.owner) is Family.RENUMBERING:
        value = next(value.owner.operand_list())
    op = value.owner
    return isinstance(op, Op) and op.name == "constant" and not any(op.attributes["value"].data)
