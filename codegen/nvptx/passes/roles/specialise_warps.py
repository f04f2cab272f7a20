"""Specialise warps: one producer warp fills rings, and the others consume them.

Rings that tensor copies fill need no thread of those that multiply. With *roles*, nobody waits for
all warps of a block in a loop any more: the producer waits on the empty mbarrier of a slot until
all consumer warps have released it, and the consumers wait on its full one. In a persistent kernel
the producer goes on with the next tile while the consumers store theirs.

The body becomes: what both roles need, rings and mbarriers, the consumer (`consumer_body`), and the
producer (`producer_body`). The consumer's warps come first, so that layouts stay. The producer has
a warpgroup, which gives up most of its registers, as `setmaxnreg` asks for whole warpgroups; one
warp of it works.
"""

from __future__ import annotations

from typing import Any

from tileir.codegen.block.make import make
from tileir.codegen.block.op_rules import WARPGROUP
from tileir.codegen.block.types import Mbarrier, Shared
from tileir.codegen.launch_terms import Choice
from tileir.codegen.layouts.linear_layout import LANE_BITS
from tileir.codegen.nvptx.launch.contract import COMPILER, Contract
from tileir.codegen.nvptx.reasons import Decision, Reason
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import Target
from tileir.ir import Block, Op, Region

from .consumer_body import consume_slots
from .producer_body import producer_body
from .role_plan import PRODUCER_REGISTERS, Ring, RolePlan, planned, wait_of


def specialise_warps(state: KernelState, target: Target) -> bool:
    """Split a kernel's body into roles, if it can be; return whether it has been split."""
    loops = [op for op in state.kernel.walk() if op.name == "pipelined_for" and wait_of(op)]
    if not loops:
        return False
    plan = planned(state, loops, target)
    if isinstance(plan, Reason):
        for loop in loops:
            state.reasons[Decision.ONE_ROLE].add(loop, plan)
        return False
    _Split(state, plan).split()
    contract = state.contract
    asked, by = contract["num_warps"], contract.by("num_warps")
    why = "" if by == COMPILER else "a producer's are added"
    choices = {"num_warps": Choice(asked + WARPGROUP, by, asked if why else None, why)}
    if plan.blocks > contract["minnctapersm"]:
        choices["minnctapersm"] = Choice(plan.blocks, COMPILER)
    state.contract = Contract({**contract.choices, **choices})
    state.kernel.edited()
    return True


class _Split:
    """Splits one body."""

    def __init__(self, state: KernelState, plan: RolePlan) -> None:
        self._state, self._plan = state, plan
        self._block: Block = state.kernel.body.block
        self._slice = plan.slice
        self._consumers = state.threads >> LANE_BITS
        self._common: set[Op] = set()
        """The rings and mbarriers."""

    def split(self) -> None:
        """Edit the body: what both roles need stays in front of them."""
        first, end = self._block.ops[0], self._block.ops[-1]
        rest = [op for op in self._block.ops if not self._stays(op)]
        for ring in self._plan.rings:
            self._allocate(ring, rest[0])
        producer = producer_body(self._plan, self._block)
        consume_slots(self._state, self._plan)
        rest = [op for op in self._block.ops if not self._stays(op)]
        for op in rest:
            op.remove()
        consumers = self._consumers
        self._block.ops.extend(
            [
                self._role("consume", Block(ops=rest), 0, consumers, consumers, first),
                self._role("produce", producer, consumers, WARPGROUP, 1, first),
                make("return", origin=end),
            ]
        )

    def _stays(self, op: Op) -> bool:
        """Whether an op of the body is for both roles."""
        return op in self._common or op in self._slice.ops or op.name == "leave_to_first_block"

    def _role(
        self, name: str, block: Block, first: int, warps: int, working: int, origin: Op
    ) -> Op:
        frees = working < warps
        attributes: dict[str, Any] = {
            "name": name,
            "first": first,
            "warps": warps,
            "working": working,
            "registers": PRODUCER_REGISTERS if frees else self._plan.registers,
            "frees": frees,
        }
        return make("role", attributes=attributes, regions=[Region([block])], origin=origin)

    def _allocate(self, ring: Ring, anchor: Op) -> None:
        """Allocate a ring and its mbarriers for as long as the kernel runs."""
        if ring.before is not None:
            ring.slots, ring.rings = ring.before.slots, ring.before.rings
            ring.parts = ring.before.parts
            return
        kinds = [
            Shared(kind.element, kind.shape, kind.offsets, ring.slots)
            for kind in (value.type for value in ring.alloc.results)
        ]
        alloc = make("shared_alloc", results=kinds, origin=ring.alloc)
        made, ring.rings = [alloc], tuple(alloc.results)
        for part in ring.parts:
            part.rings = tuple(ring.rings[number] for number in part.tiles)
            for slot, arrivals in (("full", None), ("empty", self._consumers)):
                kinds = [Mbarrier(ring.slots)]
                phase = {"phase": slot}
                each = make("mbarrier_alloc", attributes=phase, results=kinds, origin=ring.full)
                attributes = {"arrivals": arrivals}
                operands = {"barriers": each.result}
                made += [each, make("mbarrier_init", operands, attributes, origin=ring.full)]
                setattr(part, slot, each.result)
        for op in made:
            op.insert_before(anchor)
            self._common.add(op)
