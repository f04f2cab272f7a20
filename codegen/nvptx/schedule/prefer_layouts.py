"""The step that finds out in which layout each tile comes into being most cheaply.

It starts at matrix products, whose sums lie as tensor cores have them, and at loads, which want to
stream through memory (and so at pointers that loops carry), and follows what is made of the tiles:
element-wise ops keep a layout, shape ops renumber it, reductions drop what they fold, loops and
branches hand it on. What comes from constants and coordinates alone has no preference.
"""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.analysis.carried_values import handed_on
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import Kernel
from tileir.codegen.layouts.linear_layout import (
    LinearLayout,
    dim_bits,
    dropped_images,
    for_scan,
    held_by_each,
)
from tileir.codegen.layouts.renumber import element_images
from tileir.codegen.ops import Family, family_of
from tileir.ir import Op, Value
from tileir.types import Tile

from .mma_plan import Plan
from .pointer_facts import pointers_of, streaming_pointers
from .view_facts import streaming

Preferences = dict[Value, LinearLayout]

_ROUNDS = 3
"""How often what comes back to the start of loops is looked at."""


def prefer_layouts(
    kernel: Kernel, threads: int, products: dict[Op, Plan], most: int
) -> Preferences:
    """The preferred layouts of tiles with several elements; some have none."""
    found: Preferences = {}
    becomes: dict[Value, list[Value]] = {}
    for value, after in handed_on(kernel.body.block):
        becomes.setdefault(value, []).append(after)
    for op, plan in products.items():
        if _is_tile(op.result):
            found[op.result] = plan.sum.layout
            _hand_on(op.results, becomes, found)
    for op in kernel.walk():
        if family_of(op) in (Family.POINTER_LOAD, Family.POINTER_STORE):
            layout = streaming_pointers(op, threads, kernel, most)
            carried = _carried_into(pointers_of(op)) if layout else []
            found |= {value: layout for value in carried if value not in found}
            _hand_on(carried, becomes, found)
    for _ in range(_ROUNDS):
        before = len(found)
        _hand_on(kernel.parameters, becomes, found)
        for op in kernel.walk():
            layout = _preferred(op, found, kernel, threads, most)
            for result in op.results:
                if layout is not None and _is_tile(result) and result not in found:
                    found[result] = layout
            _hand_on(op.results, becomes, found)
        if len(found) == before:
            break
    for op in in_folds(kernel):
        for result in filter(_is_tile, op.results):
            found[result] = held_by_each(result.type.size, threads)
    return found


def in_folds(kernel: Kernel) -> Iterator[Op]:
    """The ops in the bodies of reduce and scan, where each thread has whole tiles of its own."""
    for op in kernel.walk():
        if family_of(op) is Family.FOLD:
            yield from list(op.walk())[1:]


def _hand_on(values: list[Value], becomes: dict[Value, list[Value]], found: Preferences) -> None:
    stack = [value for value in values if value in found]
    while stack:
        value = stack.pop()
        for after in becomes.get(value, ()):
            if after not in found:
                found[after] = found[value]
                stack.append(after)


def _carried_into(value: Value) -> list[Value]:
    """What loops carry of which each element of a tile is computed."""
    found, stack, seen = [], [value], set()
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if not isinstance(value.owner, Op):
            found.append(value)
        elif family_of(value.owner) is Family.ELEMENT_WISE or value.owner.name == "assume":
            stack += (each for each in value.owner.operand_list() if _is_tile(each))
    return found


def _is_tile(value: Value) -> bool:
    return isinstance(value.type, Tile) and value.type.size > 1


def _preferred(
    op: Op, found: Preferences, kernel: Kernel, threads: int, most: int
) -> LinearLayout | None:
    if not op.results or not isinstance(op.results[0].type, Tile):
        return None
    if family_of(op) in (Family.MULTIMEM_LOAD, Family.VIEW_LOAD):
        return streaming(op, threads, kernel.facts(Divisibility), most)
    if op.name == "load_ptr_tko" and (own := streaming_pointers(op, threads, kernel, most)):
        return own
    if op.name == "scan":
        return for_scan(op.results[0].type.shape, op.attributes["dim"], threads)
    sources = [value for value in op.operand_list() if value in found]
    if not sources:
        return None
    if family_of(op) is Family.ELEMENT_WISE or op.name in ("assume", "reshape"):
        return found[sources[0]]
    if op.name == "permute":
        return _inverted(found[sources[0]], element_images(op))
    if op.name == "reduce":
        low, count = dim_bits(sources[0].type.shape, op.attributes["dim"])
        layout = found[sources[0]]
        kept = layout.without((1 << count) - 1 << low)
        return kept.compose(dropped_images(layout.bits, low, count))
    if op.name == "insert":
        return found.get(op.operands["destination"])
    return None


def _inverted(layout: LinearLayout, images: list[int]) -> LinearLayout:
    """The layout of a tile whose elements, renumbered, are those of `layout`."""
    inverse = [0] * len(images)
    for bit, image in enumerate(images):
        inverse[image.bit_length() - 1] = 1 << bit
    return layout.compose(inverse)
