"""Whether a body has the shape that the op table promises: what code generation relies on.

From the rows alone: every operand and result is of a type its slot admits, groups that must agree
do, result types follow from operands where the row says how, enum attributes are legal cases,
regions have their blocks and blocks end with a terminator. `RULES` adds what rows cannot say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from tileir.formats.ops.spec import Constraint, Inference, Like, Pointee, Reduced, TileOf, ViewTile

from .errors import Diagnostic, VerifyError
from .ir import Op, Value
from .types import (
    FunctionType,
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Token,
    Type,
)

if TYPE_CHECKING:
    from .bytecode import Function

KINDS = {
    Tile: "tile",
    Token: "token",
    TensorView: "tensor_view",
    PartitionView: "partition_view",
    StridedView: "strided_view",
    GatherScatterView: "gather_scatter_view",
    FunctionType: "func",
}


Slots = dict[str, list[Value]]
"""The values in each operand and result slot of an op."""


def check(functions: Iterable[Function]) -> None:
    """Raise one VerifyError that lists everything, if a body does not fit the op table."""
    found = [finding for function in functions for finding in findings(function)]
    if found:
        count = "one problem" if len(found) == 1 else f"{len(found)} problems"
        raise VerifyError(f"not valid Tile IR, {count}:", found)


def findings(function: Function) -> list[Diagnostic]:
    """What is wrong with a function's body, op by op."""
    found = [
        Diagnostic("error", "structure", f"{op.name}: {text}", op.offset, function.name, place(op))
        for op in function.body.walk()
        for text in problems(op)
    ]
    ops = function.body.block.ops
    for op in ops[:-1]:
        if op.spec.terminator:
            text = f"{op.name} is not the last op of the body"
            found.append(
                Diagnostic("error", "structure", text, op.offset, function.name, place(op))
            )
    if not ops or not ops[-1].spec.terminator:
        text = "the body does not end with a terminator"
        found.append(Diagnostic("error", "structure", text, function=function.name))
    return found


def place(op: Op) -> str:
    """The op's source location as text, empty if unknown."""
    return str(op.location) if op.location is not None else ""


def problems(op: Op) -> list[str]:
    """What is wrong with one op, its regions' terminators included.

    Each check relies on the ones before it, so the first that finds something is the last.
    """
    slots = _slots(op)
    if slots is None:
        return [f"expected {len(op.spec.results)} results, found {len(op.results)}"]
    for checks in (_refused_types, _disagreements, _uninferred, _illegal_cases, _regions, _rule):
        found = list(checks(op, slots))
        if found:
            return found
    return []


def _slots(op: Op) -> Slots | None:
    """The values of every operand and result slot; None if there are too few or many results."""
    slots: Slots = {}
    for name, value in op.operands.items():
        slots[name] = list(value) if isinstance(value, tuple) else [value] if value else []
    results = list(op.results)
    if len(op.spec.results) == 1 and op.spec.results[0].arity == "many":
        slots[op.spec.results[0].name] = results
        return slots
    newest = [slot for slot in op.spec.results if slot.since > op.spec.since]
    if not len(op.spec.results) - len(newest) <= len(results) <= len(op.spec.results):
        return None
    for slot, value in zip(op.spec.results, results, strict=False):
        slots[slot.name] = [value]
    return slots


def _refused_types(op: Op, slots: Slots) -> Iterator[str]:
    for slot in (*op.spec.operands, *op.spec.results):
        for value in slots.get(slot.name, ()):
            if not admits(slot.type, value.type):
                yield f"{slot.name} must be {slot.type}, found {value.type}"


def admits(constraint: Constraint, type: Type) -> bool:
    """Whether a value of that type may stand in a slot with that constraint."""
    if not constraint.kinds:
        return True
    if KINDS.get(type.__class__) not in constraint.kinds:
        return False
    if not isinstance(constraint, TileOf):
        return True
    name = "ptr" if isinstance(type.element, Pointer) else type.element.name
    return name in constraint.elements and constraint.rank in (None, type.rank)


def _disagreements(op: Op, slots: Slots) -> Iterator[str]:
    agreeing = (
        ("type", op.spec.same_type, lambda type: type),
        ("element type", op.spec.same_element, lambda type: type.element),
        ("shape", op.spec.same_shape, lambda type: type.shape),
    )
    for what, groups, part in agreeing:
        for group in groups:
            yield from _disagreement(what, group, slots, part)


def _disagreement(what: str, group: tuple[str, ...], slots: Slots, part: Callable) -> Iterator[str]:
    """Lists agree pair by pair with other lists; alone in a group, all their values agree."""
    columns = [slots[name] for name in group if slots.get(name)]
    if len(group) == 1:
        rows = [columns[0]] if columns else []
    elif len({len(column) for column in columns}) > 1:
        yield f"{' and '.join(group)} must be equally many"
        return
    else:
        rows = list(zip(*columns, strict=True))
    for row in rows:
        if len({part(value.type) for value in row}) > 1:
            found = ", ".join(str(value.type) for value in row)
            yield f"{', '.join(group)} must have the same {what}, found {found}"


def _uninferred(op: Op, slots: Slots) -> Iterator[str]:
    for slot in (*op.spec.operands, *op.spec.results):
        if slot.inference is None or not slots.get(slot.name):
            continue
        wanted = infer(op, slot.inference, slots)
        found = [value.type for value in slots[slot.name]]
        if wanted is None:
            yield f"{slot.name} does not follow from {slot.inference.slot}"
        elif wanted != found:
            spelled = [", ".join(map(str, types)) for types in (wanted, found)]
            yield f"{slot.name} must be {spelled[0]}, found {spelled[1]}"


def infer(op: Op, rule: Inference, slots: Slots) -> list[Type] | None:
    """The types that follow by `rule`; None if nothing can."""
    sources = [value.type for value in slots.get(rule.slot, ())]
    match rule:
        case Like(element=""):
            return sources
        case Like(element=element):
            return [Tile(Scalar(element), type.shape) for type in sources]
        case ViewTile():
            return [Tile(type.view.element, type.tile) for type in sources]
        case Pointee():
            return [Tile(type.element.pointee, type.shape) for type in sources]
        case Reduced():
            dim = op.attributes[rule.dim]
            if any(dim >= type.rank for type in sources):
                return None
            return [Tile(t.element, t.shape[:dim] + t.shape[dim + 1 :]) for t in sources]
    return None


def _illegal_cases(op: Op, slots: Slots) -> Iterator[str]:
    for slot in op.spec.attributes:
        value = op.attributes.get(slot.name)
        if slot.allowed and value is not None and value not in slot.allowed:
            yield f"{slot.name} must be {' or '.join(slot.allowed)}, found {value}"


def _regions(op: Op, slots: Slots) -> Iterator[str]:
    for row, region in zip(op.spec.regions, op.regions, strict=True):
        if not region.blocks and row.may_be_empty:
            continue
        if len(region.blocks) != 1:
            yield f"{row.name} must have one block, found {len(region.blocks)}"
            continue
        ops = region.block.ops
        if not ops or not ops[-1].spec.terminator:
            yield f"{row.name} does not end with {' or '.join(row.terminators)}"
        for inner in ops[:-1]:
            if inner.spec.terminator:
                yield f"{inner.name} is not the last op of {row.name}"


def _rule(op: Op, slots: Slots) -> Iterator[str]:
    text = RULES[op.name](op) if op.name in RULES else None
    if text:
        yield text


# What rows cannot say -----------------------------------------------------------------------


def _broadcast(op: Op) -> str | None:
    source, result = op.operands["source"].type, op.result.type
    fits = source.rank == result.rank and all(
        old in (1, new) for old, new in zip(source.shape, result.shape, strict=True)
    )
    return None if fits else f"{source} cannot be broadcast to {result}"


def _reshape(op: Op) -> str | None:
    source, result = op.operands["source"].type, op.result.type
    return None if source.size == result.size else f"{source} and {result} differ in size"


def _permute(op: Op) -> str | None:
    source, result = op.operands["source"].type, op.result.type
    order = op.attributes["permutation"]
    if sorted(order) != list(range(source.rank)):
        return f"{list(order)} does not permute {source.rank} dimensions"
    wanted = tuple(source.shape[dim] for dim in order)
    return None if wanted == result.shape else f"expected shape {wanted}, found {result}"


def _make_tensor_view(op: Op) -> str | None:
    view, pointer = op.result.type, op.operands["base"].type.element
    if pointer.pointee != view.element:
        return f"base points to {pointer.pointee}, the view has {view.element}"
    if len(view.shape) != len(view.strides):
        return f"{len(view.shape)} extents and {len(view.strides)} strides"
    for name, sizes in (("dynamicShape", view.shape), ("dynamicStrides", view.strides)):
        if len(op.operands[name]) != sizes.count(None):
            return f"expected {sizes.count(None)} values as {name}, found {len(op.operands[name])}"
    return None


def _make_view(op: Op) -> str | None:
    view, tensor = op.result.type, op.operands["tensor_view"].type
    rank = len(tensor.shape)
    if view.view != tensor:
        return f"the view is of {view.view}, the operand is {tensor}"
    if len(view.tile) != rank or any(size <= 0 or size & (size - 1) for size in view.tile):
        return f"tile shape {view.tile} does not cut a tensor of rank {rank}"
    dim_map = getattr(view, "dim_map", tuple(range(rank)))
    if sorted(dim_map) != list(range(rank)):
        return f"dim_map {list(dim_map)} does not permute {rank} dimensions"
    return None


def _access(op: Op) -> str | None:
    wanted, found = len(op.operands["view"].type.tile), len(op.operands["index"])
    return None if wanted == found else f"expected {wanted} indices, found {found}"


def _shape_query(op: Op) -> str | None:
    source = op.operands["src"].type
    rank = len(source.shape if isinstance(source, TensorView) else source.tile)
    return None if rank == len(op.results) else f"expected {rank} results, found {len(op.results)}"


def _iota(op: Op) -> str | None:
    return (
        None if op.result.type.rank == 1 else f"expected a tile of rank 1, found {op.result.type}"
    )


RULES: dict[str, Callable[[Op], str | None]] = {
    "broadcast": _broadcast,
    "get_index_space_shape": _shape_query,
    "get_tensor_shape": _shape_query,
    "iota": _iota,
    "load_view_tko": _access,
    "make_gather_scatter_view": _make_view,
    "make_partition_view": _make_view,
    "make_strided_view": _make_view,
    "make_tensor_view": _make_tensor_view,
    "permute": _permute,
    "reshape": _reshape,
    "store_view_tko": _access,
}
