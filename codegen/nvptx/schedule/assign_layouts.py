"""Assign layouts: decide which thread holds which elements of each tile.

The walk goes backwards from ops with side effects. A store needs its tile in the tile's preferred
layout (see `prefer_layouts`), or else in a blocked one, so that an access moves up to sixteen
bytes. From there each op determines the layouts of its operands: an element-wise op needs them in
the layout of its result, a broadcast or permute in that layout composed with its renumbering.

A value that is needed in several layouts is computed in each of them if that is cheap, or loaded in
each if all of these loads are fast. Otherwise it gets a *canonical* layout: it is defined in that
one, and converted to the others (see `convert`). Values that control flow carries, and results of
reductions, have a canonical layout too.

Each thread runs the body of a reduce or scan on elements of its own: it holds the tiles in there as
a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from tileir.codegen.analysis.carried_values import carried_arguments, targets
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.memory_ops import is_weak
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import (
    LinearLayout,
    blocked,
    coordinate_images,
    dim_bits,
    dropped_images,
    for_scan,
    held_by_each,
    renames,
    uniform,
)
from tileir.codegen.layouts.renumber import needed
from tileir.codegen.layouts.swizzled_rows import swizzled_rows
from tileir.codegen.layouts.warp_conversions import warp_conversion
from tileir.codegen.nvptx.machine import red_forms
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.ops import Family, cost_of, family_of
from tileir.codegen.ops.spec import NEVER_AGAIN
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Block, Op, Value
from tileir.types import Tile

from .assignment import Assignment
from .mma_plan import ProductPlan
from .pointer_facts import pointer_vectors, pointers_of, pointers_stream, streaming_pointers
from .prefer_layouts import in_folds
from .split_operands import split_operands
from .staged import Staging, root_of, staged_bases
from .view_facts import (
    ACCESS_BYTES,
    inner_dim,
    inner_of,
    least_vector,
    streaming,
    streams,
    vector_in,
    vector_of,
)

RECOMPUTE_COST = 6
"""The largest cost of a tile that is recomputed rather than converted to another layout."""
SMALL_LOAD_COST = 4
"""The cost of loading a tile again of which a thread has one element, or shares one."""
SMALL_LOAD_ACCESSES = 8
"""The most accesses of a thread to load such a tile, rather than to convert it."""
WORD_BYTES = 4
"""The least bytes of such an access."""


def assign_layouts(state: KernelState, target: Target) -> Assignment:
    """Assign the layouts of a kernel whose threads, atoms and preferences have been decided."""
    return _Assigner(state, target).run()


class _Assigner:
    def __init__(self, state: KernelState, target: Target) -> None:
        self.kernel, self.target = state.kernel, target
        self.facts: Divisibility = self.kernel.facts(Divisibility)
        self.threads, self.most = state.threads, state.longest_vector
        self.assignment = Assignment(self.threads, products=state.products, restaged=state.restaged)
        self.uniform = uniform(self.threads)
        self.preferences, self.readings = state.preferences, state.readings
        self.in_folds = set(in_folds(self.kernel))
        self.vector = self._widest()
        self.weights = _weights(self.kernel, 0)
        self.reloads = _weights(self.kernel, self.threads)
        self.room = state.room(target)
        self.described = {
            root_of(op.operands[slot])
            for op, plan in state.products.items()
            if plan.atom.of_warpgroup
            for slot in ("lhs", "rhs")
        } | {restaged.root for restaged in state.restaged.values()}
        """The tiles that tensor cores read from shared memory, by descriptors."""

    def run(self) -> Assignment:
        self._block(self.kernel.body.block, ())
        return self.assignment

    def _block(self, block: Block, around: tuple[Op, ...]) -> None:
        for op in reversed(block.ops):
            if family_of(op) in (Family.LOOP, Family.BRANCH):
                self._settle_carried(op)
            for region in reversed(op.regions):
                for inner in reversed(region.blocks):
                    self._block(inner, (*around, op))
            if op.spec.terminator:
                for value, after in zip(op.operand_list(), targets(op, around), strict=False):
                    if _is_tile(value):
                        self.assignment.require(value, self.assignment.defined_in(after)[0])
                if around and family_of(around[-1]) is Family.FOLD:
                    self._require_all(op, self.uniform)
            else:
                self._op(op)

    def _settle_carried(self, op: Op) -> None:
        """Set canonical layouts for values that loops carry, and for results of loops and ifs."""
        results = [value for value in op.results if _is_tile(value)]
        for value in results:
            self.assignment.set_canonical(value, self._choose(value))
        if family_of(op) is not Family.LOOP:
            return
        for number, value in enumerate(carried_arguments(op)):
            if not _is_tile(value):
                continue
            if op.name == "for":
                layout = self.assignment.canonical[op.results[number]][0]
            else:
                layout = self._choose(value)
            self.assignment.set_canonical(value, layout)
            self.assignment.require(op.operands["initValues"][number], layout)

    def _choose(self, value: Value) -> LinearLayout:
        """Choose a layout for a value: a preferred one, else a required one, else a blocked one."""
        preferred, wanted = self.preferences.get(value), self.assignment.required_in(value)
        if preferred:
            return preferred
        return wanted[0] if wanted else self._blocked(value)

    def _blocked(self, value: Value) -> LinearLayout:
        vector = min(self.vector, value.type.size)
        return blocked(value.type.size, vector, self.threads)

    def _op(self, op: Op) -> None:
        rule = _RULES.get(family_of(op))
        if rule is not None:
            rule(self, op)
        elif not op.results or not isinstance(op.results[0].type, Tile):
            self._require_all(op, self.uniform)
        else:
            self._element_wise(op)

    def _require_scalars(self, op: Op) -> None:
        """Require scalar operands (bounds, conditions, indices) in all threads."""
        for value in _tiles(op):
            if value.type.size == 1:
                self.assignment.require(value, self.uniform)

    def _require_all(self, op: Op, layout: LinearLayout) -> None:
        for value in _tiles(op):
            self.assignment.require(value, layout)

    def _element_wise(self, op: Op) -> None:
        """Element-wise and shape ops are computed in all required layouts if cheap, else in one."""
        result, wanted = op.result, self.assignment.required_in(op.result)
        preferred = self.preferences.get(result)
        if result.type.size > 1 and wanted and self.weights.get(result, 0) > RECOMPUTE_COST:
            if self._is_reloaded(result, wanted):
                pass
            elif preferred and wanted != [preferred]:
                self.assignment.set_canonical(result, preferred)
            elif len(wanted) > 1:
                self.assignment.set_canonical(result, wanted[0])
        for layout in self.assignment.defined_in(result):
            self._require_all(op, needed(op, layout))

    def _is_reloaded(self, value: Value, wanted: Sequence[LinearLayout]) -> bool:
        """Whether a tile that is made of small loads is made in the one layout it is needed in,
        although not loaded fast, as a conversion would cross warps."""
        preferred = self.preferences.get(value)
        if preferred is None or len(wanted) != 1 or self.reloads.get(value, 0) > RECOMPUTE_COST:
            return False
        return not warp_conversion(preferred, wanted[0]).keeps_warps

    def _view_load(self, op: Op) -> None:
        result = op.results[0]
        if result.type.size == 1:
            return self._require_all(op, self.uniform)
        wanted = self.assignment.required_in(result)
        weak = is_weak(op)
        fast = [layout for layout in wanted if streams(op, layout, self.facts, self.most)]
        if self._is_reloaded(result, wanted) and self._is_cheap(op, wanted[0]):
            fast = list(wanted)
        if wanted and (not weak or len(fast) < len(wanted)):
            first = fast[0] if fast else self.preferences[result]
            self.assignment.canonical[result] = [first, *fast[1:]] if weak else [first]
        made = self.assignment.defined_in(result)
        if not made and not weak:  # it is made although nothing uses it
            made = [self.preferences[result]]
        for layout in made:
            self._require_index(op, layout)
        return None

    def _is_cheap(self, load: Op, layout: LinearLayout) -> bool:
        """Whether few accesses, of a word or more each, load a thread's elements."""
        inner = inner_dim(load.operands["view"], self.facts)
        vector = 1
        if inner is not None:
            vector = vector_in(layout, load.operands["view"].type.tile, inner)
        vector = min(vector, vector_of(load, self.facts), self.most)
        if memory_bytes(load.results[0].type.element) * vector < WORD_BYTES:
            return False
        return (1 << len(layout.register)) // vector <= SMALL_LOAD_ACCESSES

    def _view_store(self, op: Op) -> None:
        tile, most = op.operands.get("tile") or op.operands["value"], self.most
        least = max(red_forms.fewest([op], self.target), least_vector(op, self.facts))
        most = max(most, least)
        if op.name == "atomic_red_view_tko":
            most = min(most, red_forms.widest(op, self.target, wanted=False))
        if tile.type.size == 1:
            own = self.uniform
        else:
            own = self.preferences.get(tile)
            if own is None or not streams(op, own, self.facts, most, least):
                own = streaming(op, self.threads, self.facts, most)
        self.assignment.op_layouts[op] = own
        self.assignment.require(tile, own)
        self._require_index(op, own)

    def _require_index(self, op: Op, layout: LinearLayout) -> None:
        """Indices are scalars; along a sparse dimension they are a tile of positions."""
        shape = op.operands["view"].type.tile
        for dim, index in enumerate(op.operands["index"]):
            if index.type.size == 1:
                self.assignment.require(index, self.uniform)
            else:
                self.assignment.require(index, layout.compose(coordinate_images(shape, dim)))

    def _pointer_store(self, op: Op) -> None:
        value = op.operands["value"]
        own = self.uniform if value.type.size == 1 else self._choose_pointers(op, value)
        self.assignment.op_layouts[op] = own
        self._require_all(op, own)

    def _choose_pointers(self, op: Op, value: Value) -> LinearLayout:
        """Choose the preferred layout of a value if whole vectors can be stored from there."""
        preferred = self.preferences.get(value)
        if preferred and pointers_stream(op, preferred, self.kernel, self.most):
            return preferred
        best = streaming_pointers(op, self.threads, self.kernel, self.most)
        return best or preferred or self._blocked(value)

    def _message(self, op: Op) -> None:
        """Operands of print and assert may be in any layout."""
        for value in _tiles(op):
            self.assignment.require(value, self._choose(value))

    def _atomic(self, op: Op) -> None:
        """Neighbouring threads update neighbouring elements, or neighbouring vectors of them.

        Where no neighbours are adjacent in memory, addresses stay where they are computed.
        """
        value, most = op.operands.get("arg") or op.operands["val"], 1
        if op.name == "atomic_rmw_tko":
            wanted = bool(self.assignment.required_in(op.results[0]))
            most = min(self.most, red_forms.widest(op, self.target, wanted))
        own = self.uniform
        if value.type.size > 1:
            own = self.preferences.get(value)
            if own is None and pointer_vectors(op, self.kernel) is None:
                own = self.preferences.get(pointers_of(op))
            if own is None or own.replicas or not pointers_stream(op, own, self.kernel, most):
                best = streaming_pointers(op, self.threads, self.kernel, most)
                own = best or blocked(value.type.size, 1, self.threads)
        self.assignment.op_layouts[op] = own
        self._require_all(op, own)
        self.assignment.set_canonical(op.results[0], own)

    def _pointer_load(self, op: Op) -> None:
        result, wanted = op.results[0], self.assignment.required_in(op.results[0])
        weak = is_weak(op)
        slow = [it for it in wanted if not pointers_stream(op, it, self.kernel, self.most)]
        if not weak or slow or len(wanted) > 1:
            self.assignment.set_canonical(result, self._choose(result))
        for layout in self.assignment.defined_in(result):
            self._require_all(op, layout)

    def _slice(self, op: Op) -> None:
        """extract and insert: the source is stored to shared memory, from its own layout."""
        source, result = op.operands["source"], op.results[0]
        self._require_scalars(op)
        own = self.uniform
        if source.type.size > 1:
            own = self.preferences.get(source) or self._blocked(source)
        self.assignment.op_layouts[op] = own
        self.assignment.require(source, own)
        if op.name == "insert":
            self.assignment.set_canonical(result, self._choose(result))
            layout = self.assignment.defined_in(result)[0]
            self.assignment.require(op.operands["destination"], layout)

    def _fold(self, op: Op) -> None:
        """A reduce works in any layout of its operands; a scan needs one of its own."""
        first = op.operands["operands"][0]
        shape, dim = first.type.shape, op.attributes["dim"]
        if first.type.size == 1:
            own = self.uniform
        elif op in self.in_folds:
            own = held_by_each(first.type.size, self.threads)
        elif op.name == "scan":
            own = for_scan(shape, dim, self.threads)
        else:
            known = [v for v in op.operands["operands"] if v in self.preferences]
            own = self.preferences[known[0]] if known else self._choose(first)
        self.assignment.op_layouts[op] = own
        self._require_all(op, own)
        result_layout = own
        if op.name == "reduce" and first.type.size > 1:
            low, count = dim_bits(shape, dim)
            kept = own.without((1 << count) - 1 << low)
            result_layout = kept.compose(dropped_images(own.bits, low, count))
        for result in op.results:
            self.assignment.set_canonical(result, result_layout)

    def _product(self, op: Op) -> None:
        """The accumulator is in the layout of the atoms. An operand that is not, is staged.

        An operand that shared memory cannot hold is staged in pieces.
        """
        plan = self.assignment.products[op]
        layout = plan.acc.layout
        self.assignment.set_canonical(op.result, layout)
        self.assignment.require(op.operands["acc"], layout)
        too_large = {}
        for slot in ("lhs", "rhs"):
            value, part = op.operands[slot], plan.part(slot)
            if restaged := self.assignment.restaged.get((op, slot)):
                element = restaged.root.type.element
                self._stage(restaged.root, element.name, memory_bytes(element))
                continue
            preferred = self.preferences.get(value)
            if plan.atom.of_warpgroup and slot == "rhs":
                preferred = None
            if value.type.size == 1 or (preferred and renames(preferred, part.layout)):
                self.assignment.require(value, part.layout)
            elif self._stage_as_loaded(op, slot):
                pass
            elif not self._stage(root_of(value), plan.operand_type, plan.size):
                too_large[slot] = self._written_from(root_of(value))
        if too_large:
            self._split(op, plan, too_large)
        if op.name == "mmaf_scaled":
            for slot, part in (("lhs_scale", plan.lhs_scale), ("rhs_scale", plan.rhs_scale)):
                self.assignment.require(op.operands[slot], part.layout)

    def _stage_as_loaded(self, op: Op, slot: str) -> bool:
        """Stage the tile that an operand is loaded as, if it is converted when it is read.

        Return whether it is, and shared memory can hold it.
        """
        reading = self.readings.get((op, slot))
        if reading is None or not reading.when_read:
            return False
        element = reading.root.type.element
        if not self._stage(reading.root, element.name, memory_bytes(element)):
            return False
        self.assignment.converted[op, slot] = reading
        return True

    def _stage(self, value: Value, operand_type: str, size: int) -> bool:
        """Stage a tile; return whether shared memory can hold it."""
        staged = self.assignment.staged
        if value not in staged:
            inner = inner_of(value, self.facts)
            bases = staged_bases(value.type.shape, inner, size)
            if value in self.described:
                bases = cast("tuple[int, ...]", swizzled_rows(value.type.shape, inner, size))
            staging = Staging(self._written_from(value), operand_type, size, bases)
            taken = sum(other.bytes for other in staged.values())
            if taken + staging.bytes > self.room:
                return False
            staged[value] = staging
        self.assignment.require(value, staged[value].layout)
        return True

    def _written_from(self, value: Value) -> LinearLayout:
        """Return the layout that a tile is stored from when it is staged."""
        return self.preferences.get(value) or self._blocked(value)

    def _split(self, op: Op, plan: ProductPlan, too_large: dict[str, LinearLayout]) -> None:
        """Stage operands in pieces; if even slices are too large, have them in registers."""
        split = split_operands(op, plan, too_large, self.facts)
        if split is not None:
            self.assignment.split[op] = split
        for slot, layout in too_large.items():
            value = op.operands[slot]
            if split is None:
                self.assignment.require(value, plan.part(slot).layout)
            else:
                self.assignment.require(root_of(value), layout)

    def _widest(self) -> int:
        """Return the elements of a vector of a thread: what one access of a view can move."""
        widths, largest = [1], 1
        for op in self.kernel.walk():
            if op.operands.get("view") is not None and "index" in op.operands:
                element = op.operands["view"].type.view.element
                largest = max(largest, memory_bytes(element))
                widths.append(vector_of(op, self.facts))
        return max(min(max(widths), ACCESS_BYTES // largest, self.most), 1)


_RULES = {
    Family.ATOMIC: _Assigner._atomic,
    Family.BRANCH: _Assigner._require_scalars,
    Family.FOLD: _Assigner._fold,
    Family.LOOP: _Assigner._require_scalars,
    Family.MESSAGE: _Assigner._message,
    Family.MULTIMEM_LOAD: _Assigner._view_load,
    Family.MULTIMEM_STORE: _Assigner._view_store,
    Family.POINTER_LOAD: _Assigner._pointer_load,
    Family.POINTER_STORE: _Assigner._pointer_store,
    Family.PRODUCT: _Assigner._product,
    Family.SLICE: _Assigner._slice,
    Family.VIEW_ATOMIC: _Assigner._view_store,
    Family.VIEW_LOAD: _Assigner._view_load,
    Family.VIEW_STORE: _Assigner._view_store,
}
"""Family -> the rule for ops whose operands' layouts do not follow from the result's alone."""


def _is_tile(value: Value) -> bool:
    return isinstance(value.type, Tile)


def _tiles(op: Op) -> Iterator[Value]:
    return (value for value in op.operand_list() if isinstance(value.type, Tile))


def _weights(kernel: KernelIR, small: int) -> dict[Value, int]:
    """Return the cost of recomputing each value from those that are computed only once.

    Loads of up to `small` elements may be made again.
    """
    weights: dict[Value, int] = {}
    for op in kernel.walk():
        below = sum(weights.get(value, 0) for value in op.operand_list())
        cost = cost_of(op)
        if family_of(op) is Family.VIEW_LOAD and is_weak(op) and op.results[0].type.size <= small:
            cost = SMALL_LOAD_COST
        for result in op.results:
            weights[result] = min(below + cost, NEVER_AGAIN)
    return weights
