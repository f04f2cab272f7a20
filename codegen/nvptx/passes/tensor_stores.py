"""Tiles of matrix products that leave the block by tensor copies.

The accumulators of warpgroups give a thread two neighbours, so stores of its own would be narrow,
and exchanging elements before takes as many instructions again. Instead the warps store the tile to
shared memory, swizzled as a tensor map says, by `stmatrix` where that fits, and one thread starts
the copies to global memory. They are under way while the block goes on; before the memory is stored
to again, or the block ends, it waits until they have read it.

Base and strides of the tensor have to be known multiples of 16 bytes: otherwise the kernel's loads
would depend on what the guard of its tensor maps says about a tensor that is stored.

The memory of a store in a loop is the store's own as long as the loop runs, so that the copies of
one iteration may be under way while the next one loads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.control_edges import LOOPS
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Flight, Frag, Shared
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.layouts.linear_maps import right_inverse
from tileir.codegen.layouts.renumber import element_images, regrouped
from tileir.codegen.layouts.swizzled_rows import span_of, swizzled_rows
from tileir.codegen.nvptx.launch.parameters import fits
from tileir.codegen.nvptx.machine.matrix_stores import matrix_stores
from tileir.codegen.nvptx.reasons import Decision, Reason
from tileir.codegen.nvptx.schedule.tensor_recipes import UNIT, TensorRecipe, TensorRecipes
from tileir.codegen.nvptx.schedule.token_order import orders_of_stores
from tileir.codegen.nvptx.schedule.view_facts import vector_limits
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Body, Op, Value
from tileir.types import Token

from .ring_loads import USUAL_STAGES


def store_tensors(state: KernelState, target: Target) -> None:
    """Have tensor copies store the tiles of products of warpgroups, where they can.

    The kernel gets the tensor maps for them.
    """
    body, reasons = state.kernel.body, state.reasons[Decision.STORE]
    layouts = set(_of_accumulators(body))
    if not layouts or not target.has("tensor copies"):
        return
    size = target.shared_of_each(state.contract["minnctapersm"])
    room = _Room(size - state.variables.size)
    found: dict[Op, tuple[Shared, TensorRecipe]] = {}
    for op in [op for op in body.walk() if op.name in _STORES]:
        chosen = _recipe(op, layouts, state)
        if isinstance(chosen, Reason):
            reasons.add(op, chosen)
        elif problem := room.problem(_outermost_loop(op), chosen[0]):
            reasons.add(op, problem)
        else:
            found[op] = chosen
    orders, refused = orders_of_stores([*found], body) if found else ({}, {})
    for op, why in refused.items():
        reasons.add(op, why)
    if orders:
        made = _Stores(state)
        maps = state.tensor_maps
        for op, before in orders.items():
            recipe = found[op][1]
            if recipe not in maps and not fits(state.kernel, len(maps) + 1):
                reasons.add(op, Reason("many_maps"))
                continue
            made.add(op, *found[op], before)
        made.wait()
        state.kernel.edited()


_STORES = ("store_ptr_tko", "store_view_tko")


def _of_accumulators(body: Body) -> Iterator[LinearLayout]:
    """Yield the layouts of accumulators of products of warpgroups."""
    for op in body.walk():
        if op.name == "mma_async":
            yield cast(Frag, cast(Flight, op.result.type).tiles[0]).layout
        elif op.name == "add_columns":
            yield cast(Frag, op.result.type).layout


def _recipe(
    store: Op, layouts: set[LinearLayout], state: KernelState
) -> tuple[Shared, TensorRecipe] | Reason:
    """Return the memory of a tile that was in a layout of accumulators, and its tensor map."""
    if store.name == "store_ptr_tko":
        return Reason("stores_pointers")
    source = _converted(store.operands["tile"])[0]
    if not _lies_as_sums(source, layouts):
        return Reason("no_group_sums")
    recipes: TensorRecipes = state.kernel.facts(TensorRecipes)
    recipe = recipes.of_store(store, None)
    if isinstance(recipe, Reason):
        return recipe
    size = memory_bytes(source.type.element)
    for most, why in vector_limits(store, state.kernel.facts(Divisibility)):
        if why.id in ("base", "stride") and most * size < UNIT:
            return why
    memory = _memory(store.operands["tile"], recipe)
    row = recipe.box[0] * memory_bytes(source.type.element)
    return Reason("short_rows", row) if memory is None else (memory, recipe)


def _converted(tile: Value) -> tuple[Value, list[Op]]:
    """Return the tile before its last conversion to another layout, and the ops behind that.

    These compute it from the converted one alone, an element from an element, and nothing else uses
    what they do. Without a conversion there are none, and the tile is itself.
    """
    value, ops = tile, list[Op]()
    while isinstance(value.owner, Op) and len(value.uses) == 1:
        op = value.owner
        operands = list(op.operand_list())
        if op.name == "convert_layout":
            return operands[0], [op, *reversed(ops)]
        if len(operands) != 1 or not _is_one_to_one(op):
            break
        value = operands[0]
        ops.append(op)
    return tile, []


def _lies_as_sums(value: Value, layouts: set[LinearLayout]) -> bool:
    """Whether a tile, or one that it is a permutation of, has one of these layouts."""
    while isinstance(value.type, Frag):
        if value.type.layout in layouts:
            return True
        op = value.owner
        if not isinstance(op, Op) or not _is_one_to_one(op):
            return False
        value = next(op.operand_list())
    return False


def _is_one_to_one(op: Op) -> bool:
    """Whether each element of the operand of an op makes one of the result."""
    if family_of(op) is Family.ELEMENT_WISE:
        return True
    if family_of(op) is not Family.RENUMBERING:
        return False
    return op.result.type.size == next(op.operand_list()).type.size and not regrouped(op)


def _memory(tile: Value, recipe: TensorRecipe) -> Shared | None:
    """Return the type of a tile in the swizzled rows of its tensor map; None if it has none."""
    kind = cast(Frag, tile.type)
    size = memory_bytes(kind.element)
    offsets = swizzled_rows(kind.shape, recipe.dimensions[0], size)
    if offsets is None or span_of(offsets, size) != recipe.swizzle:
        return None
    return Shared(kind.element, kind.shape, offsets)


class _Room:
    """The bytes of shared memory that tiles to store may take, beside as many slots as usual."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._taken: dict[Op, int] = {}
        """Loop -> the bytes of the stores in it."""

    def problem(self, loop: Op | None, kind: Shared) -> Reason | None:
        """Return why there is no room for a tile: in a loop, it lives beside the rings."""
        if loop is None:
            return None if kind.bytes <= self._size else Reason("no_store_room", kind.bytes)
        taken = self._taken.get(loop, 0) + kind.bytes
        if USUAL_STAGES * sum(_operands(loop)) + taken > self._size:
            return Reason("no_store_room", kind.bytes)
        self._taken[loop] = taken
        return None


class _Stores:
    """The stores that have been made so far."""

    def __init__(self, state: KernelState) -> None:
        self._state = state
        self._made: dict[Op, Op] = {}
        """Store as it was -> store_tensor."""
        self._ends: dict[Op, list[Value]] = {}
        """The op that ends a block -> what is awaited before it."""

    def add(self, store: Op, kind: Shared, recipe: TensorRecipe, before: frozenset[Op]) -> None:
        """Make a store by tensor copies; `before` are those ordered before it."""
        loop = _outermost_loop(store)
        anchor = loop or store
        alloc = make("shared_alloc", results=[kind], origin=store)
        alloc.insert_before(anchor)
        memory = alloc.result
        tile, replaced = _unconverted(store)
        matrices = matrix_stores(cast(Frag, tile.type).layout, kind) is not None
        if loop is not None or before:
            earlier = [self._made[op].operands["source"] for op in before if op in self._made]
            visible = [each for each in earlier if each.is_visible_to(store)]
            operands = {"memory": (*visible, memory)}
            wait = make("wait_stores", operands, {"complete": bool(before)}, origin=store)
            wait.insert_before(store)
        operands = {"value": tile, "destination": memory}
        filled = make("store_shared", operands, {"matrices": matrices}, origin=store)
        filled.insert_before(store)
        self._made[store] = self._store(store, memory, recipe)
        self._state.reasons[Decision.STORE].add(self._made[store], Reason("tensor_stores"))
        self._ends.setdefault(anchor.parent.ops[-1], []).append(memory)
        store.replace_with(self._made[store].result)
        for op in reversed(replaced):
            op.erase()

    def _store(self, store: Op, memory: Value, recipe: TensorRecipe) -> Op:
        maps = self._state.tensor_maps
        if recipe not in maps:
            maps.append(recipe)
        operands = {
            "source": memory,
            "view": store.operands["view"],
            "index": store.operands["index"],
            "token": store.operands["token"],
        }
        attributes = {
            "tensor_map": maps.index(recipe),
            "dimensions": recipe.dimensions,
            "box": recipe.box,
        }
        made = make("store_tensor", operands, attributes, [Token()], origin=store)
        made.insert_before(store)
        return made

    def wait(self) -> None:
        """Wait for all stores before the block ends."""
        for end, memory in self._ends.items():
            self._wait(end, memory)
        for op in list(self._state.kernel.walk()):
            if op.name == "return" and op not in self._ends:
                visible = [
                    each
                    for values in self._ends.values()
                    for each in values
                    if each.is_visible_to(op)
                ]
                if visible:
                    self._wait(op, visible)

    def _wait(self, end: Op, memory: list[Value]) -> None:
        made = make("wait_stores", {"memory": tuple(memory)}, origin=end)
        made.insert_before(end)


def _unconverted(store: Op) -> tuple[Value, list[Op]]:
    """Compute what is stored without its last conversion; return it, and the ops that did so."""
    value, ops = _converted(store.operands["tile"])
    for op in ops[1:]:
        layout, images = cast(Frag, value.type).layout, element_images(op)
        if images is not None:
            layout = layout.compose(right_inverse(images, len(images)))
        made = op.clone(dict.fromkeys(op.operand_list(), value))
        made.result.type = Frag(op.result.type.element, op.result.type.shape, layout=layout)
        made.insert_before(store)
        value = made.result
    return value, ops


def _outermost_loop(op: Op) -> Op | None:
    """Return the outermost loop around an op, None if there is none."""
    found, here = None, op.parent.parent_op
    while here is not None:
        found = here if here.name in LOOPS else found
        here = here.parent.parent_op
    return found


def _operands(loop: Op) -> Iterator[int]:
    """Yield the bytes of the operands of products in a loop that are in shared memory."""
    tiles = dict.fromkeys(
        value
        for op in loop.walk()
        if op.name in PRODUCT_NAMES
        for value in (op.operands["lhs"], op.operands["rhs"])
        if isinstance(value.type, Shared)
    )
    return (cast(Shared, tile.type).bytes for tile in tiles)
