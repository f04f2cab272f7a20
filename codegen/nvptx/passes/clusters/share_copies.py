"""What both blocks of a cluster need, each copies half of, and to both.

So it comes from global memory once. The producer of each block starts the copy of its half, with
the same coordinates along the other dimensions, to the same place in the memory of both; the full
mbarrier of a slot counts the bytes of both halves. A slot is filled by two blocks, so the consumers
of both have to have read it: they arrive at the empty mbarriers of both.

Before the first copy or arrival, the mbarriers of both blocks have to be initialised: there the
threads of the cluster meet. At the end the consumers meet, as no block may end before all arrivals
at its mbarriers; they have waited for all copies, and the producers' threads for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import prod

from tileir.codegen.block.control_edges import edges
from tileir.codegen.block.make import make
from tileir.codegen.nvptx.launch.parameters import version_with
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import Target
from tileir.ir import Body, Op, Value

ROWS = 8
"""Rows after which a swizzle repeats: the halves of a box with twice as many are boxes."""


def share_copies(state: KernelState, target: Target) -> None:
    """Have the producers of both blocks copy what both need, in a kernel that has roles by now."""
    if state.rank is None:
        return
    roles = [op for op in state.kernel.body.block.ops if op.name == "role"]
    ends = [role.regions[0].block.ops[-1] for role in roles]
    if any(op.name == "return" and op not in ends for op in _inside(roles)):
        return  # a block could end before the other one
    varying = _made_of(state.rank, state.kernel.body)
    shared = [
        op
        for op in _inside(roles)
        if op.name == "copy_tensor"
        and varying.isdisjoint(op.operands["index"])
        and _halve(op, state, target)
    ]
    if not shared:
        return
    _drop_unused(state)
    for barriers in dict.fromkeys(map(_empty, shared)):
        (init,) = [use.op for use in barriers.uses if use.op.name == "mbarrier_init"]
        init.attributes["cluster"] = True
    last = next(end for role, end in zip(roles, ends, strict=True) if not role.attributes["frees"])
    for anchor in (roles[0], last):
        make("cluster_barrier", origin=anchor).insert_before(anchor)


def _inside(roles: Iterable[Op]) -> Iterator[Op]:
    for role in roles:
        yield from role.walk()


def _made_of(value: Value, body: Body) -> set[Value]:
    """Return a value, and all that is computed from it or that control flow makes of it."""
    following: dict[Value, list[Value]] = {}
    for edge in edges(body):
        for before, after in edge.pairs:
            if before is not None:
                following.setdefault(before, []).append(after)
    found, left = set[Value](), [value]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += following.get(each, [])
            for use in each.uses:
                left += use.op.results
                left += [it for region in use.op.regions for it in region.block.arguments]
    return found


def _halve(copy: Op, state: KernelState, target: Target) -> bool:
    """Halve the boxes of a copy along its outermost dimension; return whether that can be done.

    Of the memory of a box, that is one half.
    """
    maps, recipe = state.tensor_maps, state.tensor_maps[copy.attributes["tensor_map"]]
    long = [place for place, extent in enumerate(recipe.box) if extent > 1]
    if not long or long[-1] == 0 or prod(recipe.box[1:]) < 2 * ROWS:
        return False
    box = list(recipe.box)
    box[long[-1]] //= 2
    half = replace(recipe, box=tuple(box))
    if half not in maps:
        if version_with(state.kernel, len(maps) + 1) > target.ptx:
            return False
        maps.append(half)
    copy.attributes["tensor_map"] = maps.index(half)
    copy.attributes["box"] = half.box
    copy.attributes["multicast"] = recipe.dimensions[long[-1]]
    return True


def _drop_unused(state: KernelState) -> None:
    """Drop the tensor maps that no op takes any more."""
    users = [op for op in state.kernel.walk() if op.attributes.get("tensor_map") is not None]
    taken = sorted({op.attributes["tensor_map"] for op in users})
    for op in users:
        op.attributes["tensor_map"] = taken.index(op.attributes["tensor_map"])
    state.tensor_maps[:] = [state.tensor_maps[number] for number in taken]


def _empty(copy: Op) -> Value:
    """Return the empty mbarriers of the slots that a copy fills."""
    ring = copy.operands["destination"].owner.operands["ring"]
    (found,) = [
        use.op.operands["barriers"]
        for use in ring.uses
        if use.op.name == "acquire_slot" and use.op.parent is copy.parent
    ]
    return found
