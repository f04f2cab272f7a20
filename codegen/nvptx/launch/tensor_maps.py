"""Tensor maps in a launch plan: recipes, the guard, the twin entry, and what is copied by which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tileir.codegen.analysis.memory_ops import is_plain_load
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.reasons import Decision, Reason, Reasons
from tileir.codegen.nvptx.schedule.tensor_recipes import (
    Condition,
    OfParameter,
    Size,
    TensorRecipe,
    TensorRecipes,
)
from tileir.gpus import Target
from tileir.ir import Block, Op
from tileir.types import Tile

BYTES, ALIGNMENT = 128, 64
"""The size and alignment of a tensor map, as a parameter and in memory (cuTensorMapEncodeTiled)."""


class Twin(NamedTuple):
    """The entry that does the same without tensor maps, where arguments are in no valid recipe."""

    entry: str
    """Its name in the PTX."""
    threads: int
    shared_bytes: int

    def row(self) -> dict[str, Any]:
        """Return what differs in the plan of this entry."""
        return {
            "entry": self.entry,
            "block": [self.threads, 1, 1],
            "dynamic_shared_memory": self.shared_bytes,
        }


def map_offsets(end: int, count: int) -> list[int]:
    """Return where `count` tensor maps lie behind parameters that end there."""
    start = -(-end // ALIGNMENT) * ALIGNMENT
    return [start + number * BYTES for number in range(count)]


def map_rows(
    parameters: Sequence[Mapping[str, Any]], recipes: Sequence[TensorRecipe]
) -> list[dict[str, Any]]:
    """Return one row a recipe; `plan` explains the entries."""
    end = max((row["offset"] + row["size"] for row in parameters), default=0)
    offsets = map_offsets(end, len(recipes))
    return [
        {
            "offset": offset,
            "size": BYTES,
            "element": recipe.element,
            "base": _size(recipe.base),
            "extents": [_size(each) for each in recipe.extents],
            "strides": [_size(each) for each in recipe.strides],
            "box": list(recipe.box),
            "swizzle": recipe.swizzle,
        }
        for recipe, offset in zip(recipes, offsets, strict=True)
    ]


def guard_rows(
    parameters: Sequence[Mapping[str, Any]], recipes: Sequence[TensorRecipe]
) -> list[dict[str, Any]]:
    """Return the conditions on arguments under which all recipes are valid, each once."""
    found: dict[tuple[Size, int], Condition] = {}
    for recipe in recipes:
        for each in recipe.conditions():
            if isinstance(each.size, int):
                continue
            key = OfParameter(each.size.parameter, each.size.times, each.size.plus), each.divisor
            other = found.get(key, each)
            least, most = max(each.least, other.least), min(each.most, other.most)
            found[key] = Condition(key[0], each.divisor, least, most)
    return [
        {
            **_size(each.size),
            "divisible_by": each.divisor,
            "at_least": each.least,
            "at_most": each.most,
        }
        for each in found.values()
    ]


def _size(size: Size) -> Any:
    if isinstance(size, int):
        return size
    return {"parameter": size.parameter, "times": size.times, "plus": size.plus}


class Moved(NamedTuple):
    """A load from global memory, or a store to it: by which tensor map, or why by none."""

    op: Op
    number: int | None
    """The number of the tensor map with which one thread copies all of the tile."""
    why: Reason | None
    """Why the threads of the block load or store it, if they do."""

    @property
    def tile(self) -> Tile:
        """The type of the tile, as in Tile IR."""
        return _tile(self.op)

    def row(self) -> dict[str, Any]:
        """Return the row of the plan."""
        return {
            "tile": str(self.tile),
            "source": self.op.location_text,
            "tensor_map": self.number,
            "reason": self.why.id if self.why else None,
            "why": str(self.why or ""),
        }


def loads_of(
    kernel: KernelIR, target: Target, reasons: Mapping[Decision, Reasons]
) -> Iterator[Moved]:
    """Yield the loads from global memory in the code.

    An op that copies boxes has the number of its tensor map as the attribute `tensor_map`.
    """
    recipes = kernel.facts(TensorRecipes)
    for op in _loads(kernel.body.block):
        number = op.attributes.get("tensor_map")
        why = None if number is not None else _why_not(op, recipes, target, reasons)
        yield Moved(op, number, why)


def stores_of(kernel: KernelIR, reasons: Reasons, target: Target) -> Iterator[Moved]:
    """Yield the stores to global memory; `reasons` say why those are as they are."""
    for op in kernel.walk():
        if op.name not in _STORES:
            continue
        number = op.attributes.get("tensor_map")
        why = None
        if number is None:
            usual = "no_group_sums" if target.has("tensor copies") else "no_tensor_copies"
            why = next(iter(reasons.of(op)), Reason(usual))
        yield Moved(op, number, why)


_STORES = {"store_ptr_tko": "value", "store_tensor": "source", "store_view_tko": "tile"}
"""Mnemonic -> the slot of the tile that is stored."""


def outside_prologues(block: Block) -> Iterator[Op]:
    """Yield the ops of a block, and of those in it; prologues of pipelined loops repeat some."""
    for op in block.ops:
        yield op
        regions = op.regions[:1] if op.name == "pipelined_for" else op.regions
        for region in regions:
            for inner in region.blocks:
                yield from outside_prologues(inner)


def _loads(block: Block) -> Iterator[Op]:
    """Yield the loads from global memory."""
    for op in outside_prologues(block):
        if is_plain_load(op) or op.name in ("copy_async", "copy_tensor"):
            yield op


def _tile(op: Op) -> Tile:
    """Return the type of the tile that an op loads, copies or stores, as in Tile IR."""
    view = op.operands.get("view")
    if view is not None:
        return Tile(view.type.view.element, view.type.tile)
    kind = op.operands[_STORES[op.name]].type if op.name in _STORES else op.results[0].type
    return Tile(kind.element, tuple(kind.shape))


def _why_not(
    op: Op, recipes: TensorRecipes, target: Target, reasons: Mapping[Decision, Reasons]
) -> Reason:
    """Return why a load is no copy of boxes: no ring takes it, or its ring has other copies."""
    found = recipes.recipe(op)
    if isinstance(found, Reason):
        return found
    if not target.has("tensor copies"):
        return Reason("no_tensor_copies")
    noted = reasons[Decision.NOT_BY_TENSORS].of(op) or reasons[Decision.NOT_AHEAD].of(op)
    return noted[0] if noted else Reason("no_tensor_ring")
