"""Propagate preferred layouts: find the layout in which each tile is computed at the least cost.

Propagation starts at matrix products, whose accumulators have the layout of their atoms, and at
loads, which should be coalesced (and so at pointers that loops carry). It goes on to the uses:
element-wise ops keep a layout, shape ops renumber it, reductions drop the bits that they fold,
loops and branches pass it on. Tiles made of constants and coordinates alone have no preference.

Element by element, loads of different alignment may meet, as the neighbours of a stencil: then all
prefer the longest vectors among them, of which shorter accesses load parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tileir.codegen.analysis.carried_values import handed_on
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import (
    LinearLayout,
    dim_bits,
    dropped_images,
    for_scan,
    held_by_each,
)
from tileir.codegen.layouts.renumber import element_images, regrouped
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.types import Tile

from .mma_plan import ProductPlan
from .pointer_facts import pointer_vectors, pointers_of, pointers_stream, streaming_pointers
from .view_facts import ACCESS_BYTES, streaming, streams

Preferences = dict[Value, LinearLayout]

_ROUNDS = 3
"""How often the body is walked, so that layouts reach the start of loops again."""


def prefer_layouts(
    kernel: KernelIR, threads: int, products: dict[Op, ProductPlan], most: int
) -> Preferences:
    """Return the preferred layouts of tiles with several elements; some tiles have none."""
    preferences: Preferences = {}
    passed_to: dict[Value, list[Value]] = {}
    for value, after in handed_on(kernel.body.block):
        passed_to.setdefault(value, []).append(after)
    for op, plan in products.items():
        if _is_multi_element(op.result):
            preferences[op.result] = plan.acc.layout
            _pass_on(op.results, passed_to, preferences)
    for op in kernel.walk():
        if family_of(op) in (Family.POINTER_LOAD, Family.POINTER_STORE):
            layout = streaming_pointers(op, threads, kernel, most)
            if layout is None:
                continue
            carried = _carried_into(pointers_of(op))
            preferences |= {value: layout for value in carried if value not in preferences}
            _pass_on(carried, passed_to, preferences)
    for _ in range(_ROUNDS):
        before = len(preferences)
        _pass_on(kernel.parameters, passed_to, preferences)
        for op in kernel.walk():
            layout = _preferred(op, preferences, kernel, threads, most)
            for result in op.results:
                if layout is not None and _is_multi_element(result) and result not in preferences:
                    preferences[result] = layout
            _pass_on(op.results, passed_to, preferences)
        if len(preferences) == before:
            break
    _share_longest_vectors(kernel, preferences, most)
    for op in in_folds(kernel):
        for result in filter(_is_multi_element, op.results):
            preferences[result] = held_by_each(result.type.size, threads)
    return preferences


def _share_longest_vectors(kernel: KernelIR, preferences: Preferences, most: int) -> None:
    """Let tiles that element-wise ops connect prefer the longest vectors of the loads among them.

    Groups are left alone in which anything else prefers a layout, or a load would be slower.
    """
    leaders: dict[Value, Value] = {}

    def leader(value: Value) -> Value:
        while (above := leaders.get(value, value)) is not value:
            leaders[value] = leaders.get(above, above)  # half the way for who comes next
            value = above
        return value

    for op in kernel.walk():
        if family_of(op) is Family.ELEMENT_WISE and op.result in preferences:
            for value in op.operand_list():
                if value in preferences and value.type.shape == op.result.type.shape:
                    leaders[leader(value)] = leader(op.result)
    groups: dict[Value, list[Value]] = {}
    for value in preferences:
        groups.setdefault(leader(value), []).append(value)
    for group in groups.values():
        layouts = dict.fromkeys(preferences[value] for value in group)
        if len(layouts) == 1 or not all(map(_only_computed, group)):
            continue
        loads = [cast(Op, value.owner) for value in group if _is_loaded(value)]
        widest = max((memory_bytes(op.results[0].type.element) for op in loads), default=1)
        fitting = [each for each in layouts if _run_of(each) * widest <= ACCESS_BYTES]
        longest = max(fitting, key=_run_of, default=None)
        if longest and all(_is_fast(op, longest, kernel, most) for op in loads):
            preferences |= dict.fromkeys(group, longest)


def _is_fast(load: Op, layout: LinearLayout, kernel: KernelIR, most: int) -> bool:
    """Whether a load in a layout is coalesced, and has vectors as long as it can have."""
    if family_of(load) is Family.VIEW_LOAD:
        return streams(load, layout, kernel.facts(Divisibility), most)
    vectors, last = pointer_vectors(load, kernel), len(load.results[0].type.shape) - 1
    if vectors is None or vectors.inner != last:
        return False
    return pointers_stream(load, layout, kernel, most)


def _only_computed(value: Value) -> bool:
    """Whether a tile is loaded or computed element by element, and stored or computed with."""
    by = isinstance(value.owner, Op) and (
        _is_loaded(value) or family_of(value.owner) is Family.ELEMENT_WISE
    )
    return by and all(family_of(use.op) in _ELEMENT_BY_ELEMENT for use in value.uses)


_ELEMENT_BY_ELEMENT = (Family.ELEMENT_WISE, Family.POINTER_STORE, Family.VIEW_STORE)


def _is_loaded(value: Value) -> bool:
    loads = (Family.POINTER_LOAD, Family.VIEW_LOAD)
    return isinstance(value.owner, Op) and family_of(value.owner) in loads


def _run_of(layout: LinearLayout) -> int:
    """Return how many consecutive elements a thread has."""
    bits = 0
    while 1 << bits in layout.register:
        bits += 1
    return 1 << bits


def in_folds(kernel: KernelIR) -> Iterator[Op]:
    """Return the ops in bodies of reduce and scan, where each thread has whole tiles of its own."""
    for op in kernel.walk():
        if family_of(op) is Family.FOLD:
            yield from list(op.walk())[1:]


def _pass_on(
    values: list[Value], passed_to: dict[Value, list[Value]], preferences: Preferences
) -> None:
    stack = [value for value in values if value in preferences]
    while stack:
        value = stack.pop()
        for after in passed_to.get(value, ()):
            if after not in preferences:
                preferences[after] = preferences[value]
                stack.append(after)


def _carried_into(value: Value) -> list[Value]:
    """Return the block arguments from which a tile is computed element by element."""
    carried, stack, seen = [], [value], set()
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if not isinstance(value.owner, Op):
            carried.append(value)
        elif family_of(value.owner) is Family.ELEMENT_WISE or value.owner.name == "assume":
            stack += (each for each in value.owner.operand_list() if _is_multi_element(each))
    return carried


def _is_multi_element(value: Value) -> bool:
    """Whether a value is a tile of several elements."""
    return isinstance(value.type, Tile) and value.type.size > 1


def _preferred(
    op: Op, preferences: Preferences, kernel: KernelIR, threads: int, most: int
) -> LinearLayout | None:
    if not op.results or not isinstance(op.results[0].type, Tile):
        return None
    if family_of(op) in (Family.MULTIMEM_LOAD, Family.VIEW_LOAD):
        return streaming(op, threads, kernel.facts(Divisibility), most)
    if op.name == "load_ptr_tko" and (own := streaming_pointers(op, threads, kernel, most)):
        return own
    if op.name == "scan":
        return for_scan(op.results[0].type.shape, op.attributes["dim"], threads)
    sources = [value for value in op.operand_list() if value in preferences]
    if not sources:
        return None
    if family_of(op) is Family.ELEMENT_WISE or op.name in ("assume", "reshape"):
        return preferences[sources[0]]
    if op.name == "permute":
        return _inverted(preferences[sources[0]], element_images(op) or [])
    if op.name == "unpack":
        return preferences[sources[0]].widened(-regrouped(op)) if regrouped(op) < 0 else None
    if op.name == "reduce":
        low, count = dim_bits(sources[0].type.shape, op.attributes["dim"])
        layout = preferences[sources[0]]
        kept = layout.without((1 << count) - 1 << low)
        return kept.compose(dropped_images(layout.bits, low, count))
    if op.name == "insert":
        return preferences.get(op.operands["destination"])
    return None


def _inverted(layout: LinearLayout, bases: list[int]) -> LinearLayout:
    """Return the layout that becomes `layout` when its elements are renumbered by the bases."""
    inverse = [0] * len(bases)
    for bit, base in enumerate(bases):
        inverse[base.bit_length() - 1] = 1 << bit
    return layout.compose(inverse)
