"""The step that decides which loads of which loops go through a ring, and how far ahead.

A load does if it may be made early, if what uses it reads shared memory, and if asynchronous copies
can do it: 4, 8 or 16 bytes each, as they are in memory, with zeros beyond the tensor's edge.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.early_loads import EarlyLoad, early_loads
from tileir.codegen.layouts.linear_layout import LANE_BITS
from tileir.codegen.nvptx.emit.convert import PIECE_BYTES
from tileir.codegen.nvptx.emit.products.factors import is_as_stored
from tileir.codegen.nvptx.emit.shared import ROOM, SCRATCH
from tileir.codegen.nvptx.machine.async_copy import COPY_BYTES
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.constants import padding_bits
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.codegen.uses import Uses
from tileir.gpus import Target
from tileir.ir import Op, Value
from tileir.types import Tile

from .assignment import Assignment
from .ring_plan import Fetched, RingPlan
from .staged import ALIGNMENT
from .view_facts import streaming, vector_of

MOST_STAGES = 5
"""With more of them, what happens before the first iteration grows, and nothing is gained."""
USUAL_STAGES = 3
"""Two iterations under way, where there is memory: one is not always over when it is wanted."""
LEAST_STAGES = 2
"""One to be read while another is filled."""
IN_FLIGHT = 64 << 10
"""Bytes under way that keep memory busy: twice what one multiprocessor gets (some 40 bytes a
nanosecond) while one access waits (some 800 nanoseconds). More buffers keep other blocks out."""
RESIDENT_THREADS = 512
"""Of all blocks that run on a multiprocessor, with some 128 of its 64 K registers each."""
MOST_COPIES = 64
"""The most copies of a thread for one tile."""


def plan_rings(state: KernelState, target: Target) -> None:
    """Give loops rings. What is fetched early is no longer staged, and in no registers."""
    ops = list(state.kernel.walk())
    if not target.has("cp.async") or any(op.name == "alloca" for op in ops):
        # Beside variables in shared memory, nothing says that a source is in global memory.
        return
    planner = _Planner(state, target)
    for loop in reversed(ops):
        if loop.name == "for":
            planner.plan(loop)


class _Planner:
    def __init__(self, state: KernelState, target: Target) -> None:
        self._assignment = state.assignment
        self._facts: Divisibility = state.kernel.facts(Divisibility)
        self._room = target.shared_of_each(state.contract["minnctapersm"])
        self._uses = state.kernel.facts(Uses)

    def plan(self, loop: Op) -> None:
        """Give a loop a ring, if it has a use for one, and no loop inside of it has one.

        Where memory is short, large tiles are loaded when they are wanted.
        """
        found = self._assignment
        inside = list(loop.walk())[1:]
        if not found.rings.keys().isdisjoint(inside):
            return
        loads = [
            early
            for early in early_loads(loop, self._multiplied_only)
            if self._can_be_copied(early.load)
        ]
        needed = _needed(loop, inside, found)
        while loads:
            size = sum(map(self._size, loads))
            if (stages := self._stages(loads, size, needed)) >= LEAST_STAGES:
                fetched = self._fetched(loads)
                found.rings[loop] = RingPlan(fetched, size, stages, _first_product(loop))
                break
            loads.remove(max(loads, key=self._size))

    def _size(self, early: EarlyLoad) -> int:
        """Bytes of a tile in a buffer."""
        return -(-self._assignment.staged[early.load.results[0]].bytes // ALIGNMENT) * ALIGNMENT

    def _stages(self, loads: list[EarlyLoad], size: int, needed: int) -> int:
        """How many buffers of a size there should be, or can be, beside all else that is needed."""
        tiles = [early.load.results[0] for early in loads]
        staged = self._assignment.staged.items()
        needed += sum(staging.bytes for value, staging in staged if value not in tiles)
        blocks = max(RESIDENT_THREADS // self._assignment.threads, 1)
        wanted = max(1 + -(-IN_FLIGHT // (size * blocks)), USUAL_STAGES)
        return min(wanted, MOST_STAGES, (self._room - needed) // size)

    def _fetched(self, loads: list[EarlyLoad]) -> tuple[Fetched, ...]:
        """Take tiles over from what is staged where it is loaded."""
        found, place, fetched = self._assignment, 0, []
        for early in loads:
            value, size = early.load.results[0], self._size(early)
            staging = found.staged.pop(value)
            del found.layouts[value]
            found.homes.pop(value, None)
            layout = streaming(early.load, found.threads, self._facts)
            fetched.append(Fetched(early, layout, place, staging.images, staging.size))
            place += size
        return tuple(fetched)

    def _multiplied_only(self, value: Value) -> bool:
        """Whether a tile is staged as it is in memory, and wanted nowhere else."""
        staging = self._assignment.staged.get(value)
        if staging is None or not is_as_stored(value.type.element, staging.reading):
            return False
        return self._assignment.of(value) == [staging.layout] and self._staged_use(value)

    def _staged_use(self, value: Value) -> bool:
        """Whether all users of a tile, or a renumbering of it, read it from where it is staged."""
        for user in self._uses[value]:
            if family_of(user) is Family.PRODUCT:
                plan = self._assignment.products[user]
                held = {"lhs": plan.left.layout, "rhs": plan.right.layout}
                for slot, operand in user.operands.items():
                    in_memory = slot in held and held[slot] not in self._assignment.of(value)
                    if operand is value and not in_memory:
                        return False
            elif family_of(user) is not Family.RENUMBERING or not self._staged_use(user.result):
                return False
        return True

    def _can_be_copied(self, load: Op) -> bool:
        """Whether asynchronous copies can move a tile."""
        view = load.operands["view"].type
        element, vector = view.view.element, vector_of(load, self._facts)
        copies = prod(view.tile) // vector // self._assignment.threads
        return (
            not is_packed(element)
            and not padding_bits(element, view.padding)
            and memory_bytes(element) * vector in COPY_BYTES
            and copies <= MOST_COPIES
        )


def _first_product(loop: Op) -> Op | None:
    """The first product of a loop's body that every iteration carries out."""
    for op in loop.regions[0].block.ops:
        if family_of(op) is Family.PRODUCT:
            return op
        if op.name == "if":
            # It may go on with the next iteration.
            break
    return None


def _needed(loop: Op, inside: Collection[Op], assignment: Assignment) -> int:
    """Bytes of shared memory that the body of a loop may need beside the ring."""
    each = [_exchanged(op, assignment) for op in inside]
    values = [value for op in inside for value in op.results]
    regions = [region for op in (loop, *inside) for region in op.regions]
    values += [value for region in regions for block in region.blocks for value in block.arguments]
    each += [_moved(value, assignment) for value in values]
    return max(*each, min(sum(each), ROOM))


def _exchanged(op: Op, assignment: Assignment) -> int:
    """Bytes in which the threads of a block exchange something to carry out an op, at most."""
    if op.name == "reduce":
        tiles = [value.type for value in op.operands["operands"]]
        warps = assignment.threads >> LANE_BITS
        return sum(map(_bytes, tiles)) // tiles[0].shape[op.attributes["dim"]] * warps
    if op in assignment.cut:
        return assignment.cut[op].bytes
    weak = op.attributes.get("memory_ordering_semantics", "weak") == "weak"
    return 0 if weak and family_of(op) in _WITHOUT_EXCHANGE else SCRATCH


def _moved(value: Value, assignment: Assignment) -> int:
    """Bytes of a tile that is moved between threads to where it is needed, at most."""
    if set(assignment.of(value)) <= set(assignment.computed(value)):
        return 0
    return min(_bytes(value.type), PIECE_BYTES)


_WITHOUT_EXCHANGE = {
    Family.BRANCH,
    Family.ELEMENT_WISE,
    Family.GENERATOR,
    Family.JOINING,
    Family.LOOP,
    Family.POINTER_LOAD,
    Family.POINTER_STORE,
    Family.PRODUCT,
    Family.QUERY,
    Family.RENUMBERING,
    Family.TERMINATOR,
    Family.TOKEN,
    Family.VIEW,
    Family.VIEW_LOAD,
    Family.VIEW_STORE,
}


def _bytes(tile: Tile) -> int:
    return tile.size * memory_bytes(tile.element)
