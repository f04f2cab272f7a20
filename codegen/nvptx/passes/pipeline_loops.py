"""Software-pipeline loops: loads start iterations before their tiles are used.

Every load that may start early has a *latency*, the iterations that it starts ahead. Loads whose
tiles are stored to shared memory for matrix products alone become asynchronous copies into the
slots of a ring (`ring_loads`): there may be as many under way as shared memory has slots for. Other
loads, in loops whose barriers or stores no load may be moved across, have a latency of one: they
are made into registers an iteration before (`register_loads`).

A loop with latencies becomes a `pipelined_for`. Its prologue makes the loads of the first
iterations; its body makes those of the iteration that is `ahead`, and uses what was made for its
own. After the last iteration nothing is under way: there was nothing left to load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from tileir.codegen.analysis.early_loads import EarlyLoad
from tileir.codegen.analysis.memory_ops import is_plain_load
from tileir.codegen.block.accesses import accesses_of
from tileir.codegen.block.control_edges import BOUNDS, continues, loop_block
from tileir.codegen.block.make import make
from tileir.codegen.nvptx.launch.contract import registers_of
from tileir.codegen.nvptx.reasons import Decision, Reason
from tileir.codegen.nvptx.schedule.register_estimate import registers_needed
from tileir.codegen.nvptx.schedule.view_facts import ACCESS_BYTES
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import Target
from tileir.ir import Block, Op, Region, Value
from tileir.types import Scalar, Tile, ValueType

from .register_loads import RegisterLoads
from .ring_loads import RingLoads, Rings
from .split_products import first_slice
from .tensor_rings import ring_of

_BOOL = Tile(Scalar("i1"))


class Loads(Protocol):
    """The early loads of one loop, and how they are made."""

    @property
    def ahead(self) -> int:
        """How many iterations are under way."""
        ...

    @property
    def early(self) -> Sequence[EarlyLoad]:
        """The loads of the loop as it was."""
        ...

    @property
    def made(self) -> Sequence[Op]:
        """What `fill` has added last: the loads, or the copies instead of them."""
        ...

    @property
    def reason(self) -> Reason:
        """Why they go ahead."""
        ...

    @property
    def depth(self) -> Reason | None:
        """Why so many iterations ahead, where there is a choice."""
        ...

    def before(self, loop: Op) -> list[Value]:
        """Insert what stands before the loop; return the first values that are handed on."""
        ...

    def behind(self, loop: Op) -> None:
        """Insert what stands behind the loop that was made."""
        ...

    def delayed(self) -> list[ValueType]:
        """Return the types of the values that are made for a later iteration."""
        ...

    def use(self, block: Block, handed: Sequence[Value], delayed: Sequence[Value]) -> Op | None:
        """Replace the loads of the body by what was made for its iteration.

        Return the last op that was inserted at the start of the body, None if there is none.
        """
        ...

    def fill(
        self,
        add: Callable[[Op], None],
        values: dict[Value, Value],
        exists: Value | None,
        handed: Sequence[Value],
    ) -> tuple[list[Value], list[Value]]:
        """Add the loads of an iteration; `values` maps the counter, and what its slice computes.

        Return the values that are handed on, and the delayed ones. Nothing is loaded where `exists`
        is false.
        """
        ...


def pipeline_loops(state: KernelState, target: Target) -> None:
    """Pipeline the loops of a kernel, the innermost ones first."""
    rings, edited = Rings(state, target), False

    def spare() -> int:
        registers = registers_of(target, state.contract, state.threads)
        needed = registers_needed(state.kernel.body, target)
        return registers - needed(state.contract["minnctapersm"])

    for loop in reversed([op for op in state.kernel.walk() if op.name in ("for", "loop")]):
        refused = state.reasons[Decision.NOT_AHEAD]
        loads: Loads | None = ring_of(rings, loop, state, target)
        if isinstance(loads, RingLoads):
            rings.rotate(loop, loads)
        loads = loads or RegisterLoads.choose(loop, refused, spare)
        if loads is not None:
            here = [refused.drop(early.load) for early in loads.early]
            made, edited = _pipeline(loop, loads), True
            for early, op, why in zip(loads.early, loads.made, here, strict=True):
                state.reasons[Decision.AHEAD].add(op, loads.reason)
                state.reasons[Decision.NOT_BY_TENSORS].hand_on(early.load, op, why)
                narrow = accesses_of(op)
                if narrow is not None and narrow.bytes < ACCESS_BYTES:
                    state.reasons[Decision.ACCESS_BYTES].hand_on(early.load, op, ())
            if loads.depth is not None:
                state.reasons[Decision.RING_SLOTS].add(made, loads.depth)
    for load in _outside_of_loops(state):
        state.reasons[Decision.NOT_AHEAD].add(load, Reason("no_loop"))
    if edited:
        state.kernel.edited()


def _outside_of_loops(state: KernelState) -> Iterator[Op]:
    """Yield the loads outside of all loops whose tiles are stored to shared memory."""
    for op in state.kernel.walk():
        if not is_plain_load(op) or loop_block(op.parent) is not None:
            continue
        if any(use.op.name == "store_shared" for use in op.results[0].uses):
            yield op


def _pipeline(loop: Op, loads: Loads) -> Op:
    """Replace a loop by a pipelined one, and return that."""
    region = loop.regions[0]
    block, counter = region.block, region.block.arguments[0]
    first = loads.before(loop)
    prologue = _prologue(loop, loads, [value.type for value in first])
    index, exists = block.add_argument(counter.type), block.add_argument(_BOOL)
    handed = [block.add_argument(value.type) for value in first]
    delayed = [block.add_argument(kind) for kind in loads.delayed()]
    ends = list(continues(block))
    anchor = loads.use(block, handed, delayed)
    place = first_slice(block) if loads.ahead > 1 or anchor is not None else None
    add = _inserter(block, place or anchor)
    values = _slice(loads, add, counter, index)
    following = loads.fill(add, values, exists, handed)
    for end in ends:
        end.operands["operands"] = (*end.operands["operands"], *following[0], *following[1])
    operands = {slot: loop.operands[slot] for slot in (*BOUNDS, "initValues")}
    loop.regions = []
    made = make(
        "pipelined_for",
        {**operands, "aheadValues": tuple(first)},
        {"unsignedCmp": loop.attributes["unsignedCmp"], "ahead": loads.ahead},
        [value.type for value in loop.results],
        [region, prologue],
        origin=loop,
    )
    made.insert_before(loop)
    loads.behind(made)
    loop.replace_with(*made.results)
    return made


def _prologue(loop: Op, loads: Loads, handed: Sequence[ValueType]) -> Region:
    """Return the region that makes the loads of the first iterations.

    If there is only one of them, it is known to exist.
    """
    block, counter = Block(), loop.regions[0].block.arguments[0]
    index, exists = block.add_argument(counter.type), block.add_argument(_BOOL)
    arguments = [block.add_argument(kind) for kind in handed]
    values = _slice(loads, block.ops.append, counter, index)
    known = exists if loads.ahead > 1 else None
    following = loads.fill(block.ops.append, values, known, arguments)
    operands = {"operands": (*following[0], *following[1])}
    block.ops.append(make("yield", operands, origin=loop))
    return Region([block])


def _slice(
    loads: Loads, add: Callable[[Op], None], counter: Value, index: Value
) -> dict[Value, Value]:
    """Compute the views and indices of early loads for another iteration."""
    values, done = {counter: index}, set[Op]()
    for early in loads.early:
        for op in early.slice:
            if op not in done:
                done.add(op)
                add(op.clone(values))
    return values


def _inserter(block: Block, anchor: Op | None) -> Callable[[Op], None]:
    """Return a function that inserts one op after the other behind an op, or at the start."""
    at = 0 if anchor is None else anchor.index + 1

    def add(op: Op) -> None:
        nonlocal at
        block.insert(at, op)
        at += 1

    return add
