"""Plan the rings of loops: choose the loads that are copied ahead, and how many iterations.

A load goes through a ring if it may be made early, if its uses read shared memory, and if
asynchronous copies can make it: of 4, 8 or 16 bytes each, unconverted, with zeros beyond the
tensor's edge.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.early_loads import EarlyLoad, early_loads
from tileir.codegen.layouts.linear_layout import LANE_BITS
from tileir.codegen.nvptx.emit.convert import PIECE_BYTES
from tileir.codegen.nvptx.emit.products.operands import is_as_stored
from tileir.codegen.nvptx.emit.shared import ROOM, SCRATCH
from tileir.codegen.nvptx.machine.async_copy import COPY_BYTES
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.constants import padding_bits
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.gpus import Target
from tileir.ir import Op, Value
from tileir.types import Tile

from .assignment import Assignment
from .ring_plan import Fetched, RingPlan
from .staged import ALIGNMENT
from .view_facts import streaming, vector_of

MOST_STAGES = 5
"""The most buffers of a ring; more only make the code before the first iteration longer."""
USUAL_STAGES = 3
"""Buffers where memory allows: copies for two iterations in flight, as one may be too late."""
LEAST_STAGES = 2
"""The fewest buffers of a ring: one is read while the other is filled."""
IN_FLIGHT = 64 << 10
"""Bytes in flight that saturate memory: twice an SM's bandwidth (some 40 bytes a nanosecond) times
the latency (some 800 nanoseconds). More buffers would lower the number of resident blocks."""
RESIDENT_THREADS = 512
"""Threads resident on one SM, at 128 of its 64 K registers a thread."""
MOST_COPIES = 64
"""The most copies of a thread for one tile."""


def plan_rings(state: KernelState, target: Target) -> None:
    """Plan the rings of a kernel. Tiles in a ring are no longer staged, and not in registers."""
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

    def plan(self, loop: Op) -> None:
        """Plan the ring of a loop, unless a loop inside of it has one.

        Where shared memory is short, the largest tiles are left out.
        """
        assignment = self._assignment
        inside = list(loop.walk())[1:]
        if not assignment.rings.keys().isdisjoint(inside):
            return
        loads = [
            early
            for early in early_loads(loop, self._only_multiplied)
            if self._can_be_copied(early.load)
        ]
        needed = _needed(loop, inside, assignment)
        while loads:
            size = sum(map(self._size, loads))
            if (stages := self._stages(loads, size, needed)) >= LEAST_STAGES:
                fetched = self._fetched(loads)
                assignment.rings[loop] = RingPlan(fetched, size, stages, _first_product(loop))
                break
            loads.remove(max(loads, key=self._size))

    def _size(self, early: EarlyLoad) -> int:
        """Return the bytes that a tile takes in a buffer."""
        return -(-self._assignment.staged[early.load.results[0]].bytes // ALIGNMENT) * ALIGNMENT

    def _stages(self, loads: list[EarlyLoad], size: int, needed: int) -> int:
        """Return the number of buffers of a size, given the other shared memory that is needed."""
        tiles = [early.load.results[0] for early in loads]
        staged = self._assignment.staged.items()
        needed += sum(staging.bytes for value, staging in staged if value not in tiles)
        blocks = max(RESIDENT_THREADS // self._assignment.threads, 1)
        wanted = max(1 + -(-IN_FLIGHT // (size * blocks)), USUAL_STAGES)
        return min(wanted, MOST_STAGES, (self._room - needed) // size)

    def _fetched(self, loads: list[EarlyLoad]) -> tuple[Fetched, ...]:
        """Move tiles from the staged ones to the ring."""
        assignment, offset, fetched = self._assignment, 0, []
        for early in loads:
            value, size = early.load.results[0], self._size(early)
            staging = assignment.staged.pop(value)
            del assignment.required[value]
            assignment.canonical.pop(value, None)
            layout = streaming(early.load, assignment.threads, self._facts)
            fetched.append(Fetched(early, layout, offset, staging.bases, staging.size))
            offset += size
        return tuple(fetched)

    def _only_multiplied(self, value: Value) -> bool:
        """Whether a tile is staged without conversion, and has no other use."""
        staging = self._assignment.staged.get(value)
        if staging is None or not is_as_stored(value.type.element, staging.operand_type):
            return False
        return self._assignment.required_in(value) == [staging.layout] and self._staged_use(value)

    def _staged_use(self, value: Value) -> bool:
        """Whether all users of a tile, or of a renumbering of it, read it from shared memory."""
        for user in (use.op for use in value.uses):
            if family_of(user) is Family.PRODUCT:
                plan = self._assignment.products[user]
                in_registers = {"lhs": plan.lhs.layout, "rhs": plan.rhs.layout}
                for slot, operand in user.operands.items():
                    in_memory = slot in in_registers and in_registers[
                        slot
                    ] not in self._assignment.required_in(value)
                    if operand is value and not in_memory:
                        return False
            elif family_of(user) is not Family.RENUMBERING or not self._staged_use(user.result):
                return False
        return True

    def _can_be_copied(self, load: Op) -> bool:
        """Whether asynchronous copies can make a load."""
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
    """Return the first product of a loop's body that every iteration computes; None if none."""
    for op in loop.regions[0].block.ops:
        if family_of(op) is Family.PRODUCT:
            return op
        if op.name == "if":
            # The if may continue with the next iteration.
            break
    return None


def _needed(loop: Op, inside: Collection[Op], assignment: Assignment) -> int:
    """Return the bytes of shared memory that the body of a loop may need beside the ring."""
    each = [_exchanged(op, assignment) for op in inside]
    values = [value for op in inside for value in op.results]
    regions = [region for op in (loop, *inside) for region in op.regions]
    values += [value for region in regions for block in region.blocks for value in block.arguments]
    each += [_converted(value, assignment) for value in values]
    return max(*each, min(sum(each), ROOM))


def _exchanged(op: Op, assignment: Assignment) -> int:
    """Return the most bytes of scratch memory through which an op exchanges data."""
    if op.name == "reduce":
        tiles = [value.type for value in op.operands["operands"]]
        warps = assignment.threads >> LANE_BITS
        return sum(map(_bytes, tiles)) // tiles[0].shape[op.attributes["dim"]] * warps
    if op in assignment.split:
        return assignment.split[op].bytes
    weak = op.attributes.get("memory_ordering_semantics", "weak") == "weak"
    return 0 if weak and family_of(op) in _WITHOUT_EXCHANGE else SCRATCH


def _converted(value: Value, assignment: Assignment) -> int:
    """Return the most bytes of scratch memory that converting a tile's layout takes."""
    if set(assignment.required_in(value)) <= set(assignment.defined_in(value)):
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
