"""The step that decides which thread holds what.

It walks backwards from the ops that do something. A store wants its tile in the layout in which it
comes into being (see `prefer_layouts`), or else blocked, so that an access moves up to sixteen
bytes. From there every op says in which layout it needs its operands (see `layout`): an
element-wise op in that of its result, a broadcast or permute in that layout composed with what it
does to the numbering.

A value that is needed in several layouts is computed once in each if that is cheap, or if it is
loaded as fast in one as in the other. Otherwise it has a *home*: there it is computed, and then
moved (see `convert`). What control flow carries, and the results of reductions, have homes too.

The body of a reduce or scan is run by each thread on elements of its own: tiles in there are held
by each thread as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.analysis.carried_values import carried_arguments, targets
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.memory_ops import is_weak
from tileir.codegen.kernel import Kernel
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
from tileir.codegen.nvptx.machine import red_forms
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.ops import Family, family_of, traits_of
from tileir.codegen.ops.spec import NEVER_AGAIN
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Block, Op, Value
from tileir.types import Tile

from .assignment import Assignment
from .cut_factors import cut_factors
from .mma_plan import Plan
from .pointer_facts import pointers_stream, streaming_pointers
from .prefer_layouts import in_folds
from .staged import Staging, root_of, staged_images
from .view_facts import ACCESS_BYTES, inner_of, streaming, streams, vector_of

CHEAP = 6
"""Cost of a tile that is computed again rather than moved."""


def assign_layouts(state: KernelState, target: Target) -> Assignment:
    """The layouts for a kernel whose threads, atoms and preferences have been decided."""
    return _Assigner(state, target).run()


class _Assigner:
    def __init__(self, state: KernelState, target: Target) -> None:
        self.kernel, self.target = state.kernel, target
        self.facts: Divisibility = self.kernel.facts(Divisibility)
        self.threads, self.most = state.threads, state.longest_vector
        self.found = Assignment(self.threads, products=state.products)
        self.uniform = uniform(self.threads)
        self.preferences = state.preferences
        self.in_folds = set(in_folds(self.kernel))
        self.vector = self._widest()
        self.weights = _weights(self.kernel)
        self.room = state.room(target)

    def run(self) -> Assignment:
        self._block(self.kernel.body.block, ())
        return self.found

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
                        self.found.require(value, self.found.computed(after)[0])
                if around and family_of(around[-1]) is Family.FOLD:
                    self._require_all(op, self.uniform)
            else:
                self._op(op)

    def _settle_carried(self, op: Op) -> None:
        """Homes for what a loop carries, and for what comes out of a loop or a branch."""
        results = [value for value in op.results if _is_tile(value)]
        for value in results:
            self.found.settle(value, self._choose(value))
        if family_of(op) is not Family.LOOP:
            return
        for number, value in enumerate(carried_arguments(op)):
            if not _is_tile(value):
                continue
            if op.name == "for":
                home = self.found.homes[op.results[number]][0]
            else:
                home = self._choose(value)
            self.found.settle(value, home)
            self.found.require(op.operands["initValues"][number], home)

    def _choose(self, value: Value) -> LinearLayout:
        """One layout for a value: its preferred one, or what it is needed in, or a blocked one."""
        preferred, wanted = self.preferences.get(value), self.found.of(value)
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
        """Bounds, conditions, indices are single numbers; what is carried has been settled."""
        for value in _tiles(op):
            if value.type.size == 1:
                self.found.require(value, self.uniform)

    def _require_all(self, op: Op, layout: LinearLayout) -> None:
        for value in _tiles(op):
            self.found.require(value, layout)

    def _element_wise(self, op: Op) -> None:
        """Also shape ops: computed in every layout if cheap, else in one."""
        result, wanted = op.result, self.found.of(op.result)
        preferred = self.preferences.get(result)
        if result.type.size > 1 and wanted and self.weights.get(result, 0) > CHEAP:
            if preferred and wanted != [preferred]:
                self.found.settle(result, preferred)
            elif len(wanted) > 1:
                self.found.settle(result, wanted[0])
        for layout in self.found.computed(result):
            self._require_all(op, needed(op, layout))

    def _view_load(self, op: Op) -> None:
        result = op.results[0]
        if result.type.size == 1:
            return self._require_all(op, self.uniform)
        wanted = self.found.of(result)
        weak = is_weak(op)
        fast = [layout for layout in wanted if streams(op, layout, self.facts, self.most)]
        if wanted and (not weak or len(fast) < len(wanted)):
            home = fast[0] if fast else self.preferences[result]
            self.found.homes[result] = [home, *fast[1:]] if weak else [home]
        for layout in self.found.computed(result):
            self._require_index(op, layout)
        return None

    def _view_store(self, op: Op) -> None:
        tile, most = op.operands.get("tile") or op.operands["value"], self.most
        least = red_forms.fewest([op], self.target)
        if op.name == "atomic_red_view_tko":
            most = min(most, red_forms.widest(op, self.target, wanted=False))
        if tile.type.size == 1:
            own = self.uniform
        else:
            own = self.preferences.get(tile)
            if own is None or not streams(op, own, self.facts, most, least):
                own = streaming(op, self.threads, self.facts, most)
        self.found.own[op] = own
        self.found.require(tile, own)
        self._require_index(op, own)

    def _require_index(self, op: Op, layout: LinearLayout) -> None:
        """Indices are single numbers; those along a sparse dimension are a tile of positions."""
        shape = op.operands["view"].type.tile
        for dim, index in enumerate(op.operands["index"]):
            if index.type.size == 1:
                self.found.require(index, self.uniform)
            else:
                self.found.require(index, layout.compose(coordinate_images(shape, dim)))

    def _pointer_store(self, op: Op) -> None:
        value = op.operands["value"]
        own = self.uniform if value.type.size == 1 else self._choose_pointers(op, value)
        self.found.own[op] = own
        self._require_all(op, own)

    def _choose_pointers(self, op: Op, value: Value) -> LinearLayout:
        """Where the value comes into being, if it can be stored from there in whole vectors."""
        preferred = self.preferences.get(value)
        if preferred and pointers_stream(op, preferred, self.kernel, self.most):
            return preferred
        best = streaming_pointers(op, self.threads, self.kernel, self.most)
        return best or preferred or self._blocked(value)

    def _shown(self, op: Op) -> None:
        """Operands may be in any layout."""
        for value in _tiles(op):
            self.found.require(value, self._choose(value))

    def _atomic(self, op: Op) -> None:
        """Neighbouring threads change neighbouring elements, or as many as one can at once."""
        value, most = op.operands.get("arg") or op.operands["val"], 1
        if op.name == "atomic_rmw_tko":
            wanted = bool(self.found.of(op.results[0]))
            most = min(self.most, red_forms.widest(op, self.target, wanted))
        own = self.uniform
        if value.type.size > 1:
            own = self.preferences.get(value)
            if own is None or own.replicas or not pointers_stream(op, own, self.kernel, most):
                best = streaming_pointers(op, self.threads, self.kernel, most)
                own = best or blocked(value.type.size, 1, self.threads)
        self.found.own[op] = own
        self._require_all(op, own)
        self.found.settle(op.results[0], own)

    def _pointer_load(self, op: Op) -> None:
        result, wanted = op.results[0], self.found.of(op.results[0])
        weak = is_weak(op)
        slow = [it for it in wanted if not pointers_stream(op, it, self.kernel, self.most)]
        if not weak or slow or len(wanted) > 1:
            self.found.settle(result, self._choose(result))
        for layout in self.found.computed(result):
            self._require_all(op, layout)

    def _slice(self, op: Op) -> None:
        """extract and insert: the source goes through shared memory, from the layout it is in."""
        source, result = op.operands["source"], op.results[0]
        self._require_scalars(op)
        own = self.uniform
        if source.type.size > 1:
            own = self.preferences.get(source) or self._blocked(source)
        self.found.own[op] = own
        self.found.require(source, own)
        if op.name == "insert":
            self.found.settle(result, self._choose(result))
            home = self.found.computed(result)[0]
            self.found.require(op.operands["destination"], home)

    def _fold(self, op: Op) -> None:
        """reduce and scan work in the layout of their operands, whatever that is."""
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
        self.found.own[op] = own
        self._require_all(op, own)
        home = own
        if op.name == "reduce" and first.type.size > 1:
            low, count = dim_bits(shape, dim)
            kept = own.without((1 << count) - 1 << low)
            home = kept.compose(dropped_images(own.bits, low, count))
        for result in op.results:
            self.found.settle(result, home)

    def _product(self, op: Op) -> None:
        """The sum stays in the layout of the atoms. A factor is staged, if it is not there yet.

        What shared memory cannot hold is staged piece by piece.
        """
        plan = self.found.products[op]
        layout = plan.sum.layout
        self.found.settle(op.result, layout)
        self.found.require(op.operands["acc"], layout)
        too_large = {}
        for slot in ("lhs", "rhs"):
            value, part = op.operands[slot], plan.part(slot)
            preferred = self.preferences.get(value)
            if value.type.size == 1 or (preferred and renames(preferred, part.layout)):
                self.found.require(value, part.layout)
            elif not self._stage(root_of(value), plan):
                too_large[slot] = self._written_from(root_of(value))
        if too_large:
            self._cut(op, plan, too_large)
        if op.name == "mmaf_scaled":
            for slot, part in (("lhs_scale", plan.left_scale), ("rhs_scale", plan.right_scale)):
                self.found.require(op.operands[slot], part.layout)

    def _stage(self, value: Value, plan: Plan) -> bool:
        """Have a tile staged, if there is room for it."""
        staged = self.found.staged
        if value not in staged:
            inner = inner_of(value, self.facts)
            images = staged_images(value.type.shape, inner, plan.size)
            staging = Staging(self._written_from(value), plan.reading, plan.size, images)
            taken = sum(other.bytes for other in staged.values())
            if taken + staging.bytes > self.room:
                return False
            staged[value] = staging
        self.found.require(value, staged[value].layout)
        return True

    def _written_from(self, value: Value) -> LinearLayout:
        """The layout in which a tile is staged."""
        return self.preferences.get(value) or self._blocked(value)

    def _cut(self, op: Op, plan: Plan, too_large: dict[str, LinearLayout]) -> None:
        """Have factors staged piece by piece; or, if even slices are too large, in registers."""
        cut = cut_factors(op, plan, too_large, self.facts)
        if cut is not None:
            self.found.cut[op] = cut
        for slot, layout in too_large.items():
            value = op.operands[slot]
            if cut is None:
                self.found.require(value, plan.part(slot).layout)
            else:
                self.found.require(root_of(value), layout)

    def _widest(self) -> int:
        """Neighbouring elements per thread: as many as one access can move, of the largest one."""
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
    Family.MESSAGE: _Assigner._shown,
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
"""Families of ops whose layouts do not follow from that of their result."""


def _is_tile(value: Value) -> bool:
    return isinstance(value.type, Tile)


def _tiles(op: Op) -> Iterator[Value]:
    return (value for value in op.operand_list() if isinstance(value.type, Tile))


def _weights(kernel: Kernel) -> dict[Value, int]:
    """What it takes to compute a value again, counted from values that have homes."""
    weights: dict[Value, int] = {}
    for op in kernel.walk():
        below = sum(weights.get(value, 0) for value in op.operand_list())
        for result in op.results:
            weights[result] = min(below + traits_of(op).cost, NEVER_AGAIN)
    return weights
