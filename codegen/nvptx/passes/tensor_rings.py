"""Rings that tensor copies fill: one thread starts them, and mbarriers say when they are done.

A ring of `ring_loads` is filled by tensor copies if each of its loads has a recipe for a tensor map
(`schedule.tensor_recipes`), whether or not threads could copy them, too. The mbarrier of a slot
counts the bytes that arrive; a thread that has waited on it sees all of them, so no barrier is
needed behind the wait. One is needed before a slot is filled again: all warps must have read it.

A tensor map of element type TFLOAT32 has the copy engine round f32 to tf32, to the nearest one,
ties to even: as cvt.rn.tf32.f32, but for the bits of a NaN, which stay. Products read tf32 from
memory that was copied (`copy_shared`) from what was loaded. Where all that reads a loaded tile
rounds it so, its slots have tf32: then nothing is left to copy, unless rows lie along another
dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from tileir.codegen.block.areas import pattern_alignment
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Flight, Mbarrier, Shared
from tileir.codegen.layouts.swizzled_rows import span_of
from tileir.codegen.nvptx.launch.parameters import fits
from tileir.codegen.nvptx.reasons import Decision, Reason, Reasons
from tileir.codegen.nvptx.schedule.tensor_recipes import ROUNDED, TensorRecipe, TensorRecipes
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import Target
from tileir.ir import Block, Op, Value
from tileir.types import Scalar, Token

from .ring_loads import Copied, RingLoads, Rings, mapped


def ring_of(rings: Rings, loop: Op, state: KernelState, target: Target) -> RingLoads | None:
    """Return the ring of a loop, filled by tensor copies if these can make all of its loads.

    The kernel gets the tensor maps for them.
    """
    refused = state.reasons[Decision.NOT_AHEAD]
    if not target.has("tensor copies"):
        return rings.choose(loop, refused)
    others = Reasons()
    ring = rings.choose(loop, others, by_threads=False)
    if ring is not None:
        ring = _by_tensor_copies(ring, state)
        if not ring.phased and any(rings.problem(each.load) for each in ring.early):
            ring = rings.choose(loop, refused)
            return ring and _by_tensor_copies(ring, state)
    refused.take(others)
    return ring


def _by_tensor_copies(ring: RingLoads, state: KernelState) -> RingLoads:
    """Return the same ring, filled by tensor copies if these can make all of its loads."""
    recipes, found = state.kernel.facts(TensorRecipes), list[TensorRecipe]()
    refused = state.reasons[Decision.NOT_BY_TENSORS]
    for each in ring.copied:
        recipe = _recipe(each, recipes)
        if isinstance(recipe, Reason):
            refused.add(each.early.load, recipe)
        else:
            found.append(recipe)
    if len(found) < len(ring.copied):
        for each in ring.early:
            if not refused.of(each.load):
                refused.add(each.load, Reason("other_load"))
        return ring
    maps = state.tensor_maps
    added = [recipe for recipe in dict.fromkeys(found) if recipe not in maps]
    if not fits(state.kernel, len(maps) + len(added)):
        for each in ring.early:
            refused.add(each.load, Reason("many_maps"))
        return ring
    maps += added
    for each, recipe in zip(ring.copied, found, strict=True):
        if recipe.element == ROUNDED:
            _convert_before(each.place.result)
    return TensorRing(ring, [(maps.index(recipe), recipe) for recipe in found])


def _recipe(copied: Copied, recipes: TensorRecipes) -> TensorRecipe | Reason:
    """Return the recipe for the copies of a load into its slots, or why there is none."""
    if pattern_alignment(copied.place.result) == 1:
        return Reason("no_pattern")
    span = span_of(copied.tile.offsets, copied.element_bytes)
    found = recipes.recipe(copied.early.load, span)
    if isinstance(found, TensorRecipe) and _is_rounded(copied.place.result):
        return replace(found, element=ROUNDED)
    return found


def _is_rounded(tile: Value) -> bool:
    """Whether all that reads a tile of f32 in shared memory rounds it to tf32.

    The ops that store it do not count: copies take their place.
    """
    copies = [use.op for use in tile.uses if use.op.name != "store_shared"]
    return bool(copies) and all(
        op.name == "copy_shared"
        and op.attributes["conversion"] == _NEAREST
        and op.operands["destination"].type.element == Scalar(ROUNDED)
        for op in copies
    )


def _convert_before(tile: Value) -> None:
    """Have a tile in shared memory elements that were converted when they were copied there."""
    tile.type = replace(cast(Shared, tile.type), element=Scalar(ROUNDED))
    for op in [use.op for use in tile.uses if use.op.name == "copy_shared"]:
        copied = op.operands["destination"]
        op.attributes["conversion"] = None
        if copied.type == tile.type:
            op.erase()
            made = cast(Op, copied.owner)
            copied.replace_all_uses_with(tile)
            made.erase()


_NEAREST = "nearest_even"
"""How the copy engine rounds."""


class TensorRing(RingLoads):
    """The loads of a loop that tensor copies make; see `pipeline_loops.Loads`."""

    reason = Reason("tensor_copies")
    phased = True

    def __init__(self, ring: RingLoads, maps: Sequence[tuple[int, TensorRecipe]]) -> None:
        super().__init__(ring.copied, ring.stages, ring.depth, ring.threads, ring.facts)
        self._maps = maps
        """The number and the recipe of the tensor map for each load."""

    def before(self, loop: Op) -> list[Value]:
        """See `Loads`: the turn of the first slot, and mbarriers for all slots."""
        made = super().before(loop)
        alloc = make("mbarrier_alloc", results=[Mbarrier(self.stages)], origin=loop)
        self._barriers = alloc.result
        init = make("mbarrier_init", {"barriers": alloc.result}, origin=loop)
        alloc.insert_before(loop)
        init.insert_before(loop)
        return made

    def behind(self, loop: Op) -> None:
        """See `Loads`: the mbarriers are not used any more, and may be initialised again."""
        if loop.parent.parent_op is None:
            return
        end = make("mbarrier_inval", {"barriers": self._barriers}, origin=loop)
        end.insert_after(loop)

    def use(self, block: Block, handed: Sequence[Value], delayed: Sequence[Value]) -> Op | None:
        """See `Loads`: wait for the oldest slot, which comes behind the one that is filled next."""
        (turn,), (flight, *tokens) = handed, delayed
        origin = self.copied[0].early.load
        following = self._advance(turn, origin)
        operands = {
            "flight": flight,
            "barriers": self._barriers,
            "turn": following.result,
            "rings": tuple(self._rings),
        }
        wait = make("wait_copies", operands, results=[it.tile for it in self.copied], origin=origin)
        block.insert(0, following)
        block.insert(1, wait)
        self._replace(wait.results, tokens)
        self._next = following.result
        return wait

    def fill(
        self,
        add: Callable[[Op], None],
        values: dict[Value, Value],
        exists: Value | None,
        handed: Sequence[Value],
    ) -> tuple[list[Value], list[Value]]:
        """See `Loads`."""
        (turn,) = handed
        slots, tokens, self.made = [], [], []
        places = zip(self.copied, self._rings, self._maps, self._tokens, strict=True)
        for each, ring, (number, recipe), before in places:
            load, ring_turn = each.early.load, {"ring": ring, "turn": turn}
            slot = make("shared_slot", ring_turn, results=[each.tile], origin=load)
            add(slot)
            operands = {
                "view": mapped(load.operands["view"], values),
                "index": tuple(mapped(index, values) for index in load.operands["index"]),
                "destination": slot.result,
                "token": before,
            }
            attributes = {
                "tensor_map": number,
                "dimensions": recipe.dimensions,
                "box": recipe.box,
                "conversion": _NEAREST if recipe.element == ROUNDED else None,
            }
            copy = make("copy_tensor", operands, attributes, [Token()], origin=load)
            add(copy)
            self.made.append(copy)
            slots.append(slot.result)
            tokens.append(copy.result)
        origin = self.copied[0].early.load
        operands = {
            "tiles": tuple(slots),
            "barriers": self._barriers,
            "turn": turn,
            "predicate": exists,
        }
        flight = Flight(tuple(each.tile for each in self.copied))
        commit = make("commit_copies", operands, results=[flight], origin=origin)
        add(commit)
        return [self._turn_behind(turn, add, origin)], [commit.result, *tokens]
