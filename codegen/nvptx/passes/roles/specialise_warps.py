"""Specialise warps: one producer warp fills rings, and the others consume them.

Rings that tensor copies fill need no thread of those that multiply. With *roles*, nobody waits for
all warps of a block in a loop any more: the producer waits on the empty mbarrier of a slot until
all consumer warps have released it, and the consumers wait on its full one. In a persistent kernel
the producer goes on with the next tile while the consumers store theirs.

The body becomes: what both roles need, rings and mbarriers, the consumer, and the producer. The
consumer is the body as it was, without copies; its warps come first, so that layouts stay. The
producer is the slice of the body that says what is copied. It has a warpgroup, which gives up most
of its registers, as `setmaxnreg` asks for whole warpgroups; one warp of it works.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tileir.codegen.block.control_edges import BOUNDS, continues
from tileir.codegen.block.make import make
from tileir.codegen.block.op_facts import HARMLESS
from tileir.codegen.block.op_rules import WARPGROUP
from tileir.codegen.block.types import Mbarrier, Shared, Turn
from tileir.codegen.launch_terms import Choice
from tileir.codegen.layouts.linear_layout import LANE_BITS
from tileir.codegen.nvptx.launch.contract import COMPILER, Contract
from tileir.codegen.nvptx.reasons import Decision, Reason
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import Target
from tileir.ir import Block, Op, Region, Value
from tileir.types import Token

from .role_plan import PRODUCER_REGISTERS, Part, Ring, RolePlan, planned, wait_of

_FILLING = ("advance", "commit_copies", "copy_tensor", "shared_slot", "wait_copies")


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
        producer = self._producer()
        for ring in self._rings():
            self._consume(ring)
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

    # What both roles use ------------------------------------------------------------------------

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

    def _rings(self) -> list[Ring]:
        """Return the rings with memory of their own."""
        return [ring for ring in self._plan.rings if ring.before is None]

    def _rings_in(self, op: Op) -> list[Ring]:
        """Return the rings whose loops an op is, or is around; one of those with same memory."""
        found = (ring.first for ring in self._plan.rings if op.contains(ring.loop))
        return list(dict.fromkeys(found))

    # The producer -------------------------------------------------------------------------------

    def _producer(self) -> Block:
        """Return the body of the producer."""
        block, turns = Block(), dict[Ring, Value]()
        for ring in self._rings():
            block.ops.append(_first_turn(ring))
            turns[ring] = block.ops[-1].result
        self._repeat(self._block, block, {}, turns)
        block.ops.append(make("return", origin=self._block.ops[-1]))
        return block

    def _repeat(
        self, source: Block, target: Block, values: dict[Value, Value], turns: dict[Ring, Value]
    ) -> None:
        """Add the slice of a block to that of the producer; `turns` are updated."""
        for op in source.ops:
            if op in self._slice.loops or op in self._slice.around:
                self._repeat_loop(op, target, values, turns)
            elif op in self._slice.ops and source is not self._block:
                target.ops.append(_without_tokens(op.clone(values)))

    def _repeat_loop(
        self, loop: Op, target: Block, values: dict[Value, Value], turns: dict[Ring, Value]
    ) -> None:
        """Add a loop with what the slice needs of it: carried values, and turns."""
        rings, block = self._rings_in(loop), Block()
        source = loop.regions[0].block
        values[source.arguments[0]] = block.add_argument(source.arguments[0].type)
        kept = [
            value
            for value in source.arguments[1 : 1 + len(loop.operands["initValues"])]
            if value in self._slice.carried
        ]
        for value in kept:
            values[value] = block.add_argument(value.type)
        inner = dict(turns) | {ring: block.add_argument(turns[ring].type) for ring in rings}
        if loop in self._slice.loops:
            (ring,) = [each for each in self._plan.rings if each.loop is loop]
            self._fill(ring, block, values, inner)
        else:
            self._repeat(source, block, values, inner)
        (end,) = continues(source)
        handed = [end.operands["operands"][value.index - 1] for value in kept]
        following = [*(_mapped(each, values) for each in handed), *(inner[it] for it in rings)]
        block.ops.append(make("continue", {"operands": tuple(following)}, origin=end))
        firsts = [_mapped(loop.operands["initValues"][it.index - 1], values) for it in kept]
        firsts += [turns[ring] for ring in rings]
        made = _loop(loop, Region([block]), firsts, values)
        target.ops.append(made)
        turns.update(zip(rings, made.results[len(kept) :], strict=True))

    def _fill(
        self, ring: Ring, block: Block, values: dict[Value, Value], turns: dict[Ring, Value]
    ) -> None:
        """Add what fills a slot, as the prologue of the pipelined loop does, part by part."""
        prologue, turn = ring.loop.regions[1].block, turns[ring.first]
        (commit,) = [op for op in prologue.ops if op.name == "commit_copies"]
        values = dict(values)
        values[prologue.arguments[0]] = block.arguments[0]
        values[prologue.arguments[2]] = turn
        values |= zip(ring.alloc.results, ring.rings, strict=True)
        for number, part in enumerate(ring.parts):
            operands = {"barriers": part.empty, "rings": part.rings, "turn": turn}
            block.ops.append(make("acquire_slot", operands, origin=ring.loop))
            slots = [commit.operands["tiles"][tile] for tile in part.tiles]
            for op in prologue.ops[:-1]:
                filled = _filled(op)
                mine = filled in slots if filled is not None else not number
                if mine and op.name not in ("advance", "commit_copies"):
                    block.ops.append(_without_tokens(op.clone(values)))
            tiles = tuple(values[tile] for tile in slots)
            operands = {"tiles": tiles, "barriers": part.full, "turn": turn}
            block.ops.append(make("commit_slot", operands, origin=commit))
        block.ops.append(_advance(ring, turn, ring.loop))
        turns[ring.first] = block.ops[-1].result

    # The consumer -------------------------------------------------------------------------------

    def _consume(self, ring: Ring) -> None:
        """Have the loops of a ring wait for slots and release them, and carry its turn.

        So do the loops around them.
        """
        around, outermost = list[Op](), ring.loop
        while outermost.parent is not self._block:
            outermost = outermost.parent.parent_op
            around.append(outermost)
        first = _first_turn(ring)
        first.insert_before(outermost)
        turn = first.result
        for loop in reversed(around):
            loop.operands["initValues"] = (*loop.operands["initValues"], turn)
            turn = loop.regions[0].block.add_argument(turn.type)
        for each in [each for each in self._plan.rings if each.first is ring]:
            self._wait_and_release(each)
            turn = self._carry(each, turn)
        for loop in around:
            (end,) = continues(loop.regions[0].block)
            end.operands["operands"] = (*end.operands["operands"], turn)
            turn = loop.add_result(turn.type)

    def _wait_and_release(self, ring: Ring) -> None:
        """Have the body of a loop wait for a slot, release it, and advance its turn.

        Of the parts but the first one, that is where they are read.
        """
        loop = ring.loop
        block, wait = loop.regions[0].block, wait_of(loop)
        assert wait is not None
        count = 1 + len(loop.operands["initValues"])
        delayed = [each for each in block.arguments[count:] if isinstance(each.type, Token)]
        turn = block.add_argument(Turn(ring.slots, phased=True))
        waits = list[tuple[Part, Op]]()
        for part in ring.parts:
            slot = {"barriers": part.full, "rings": part.rings, "turn": turn}
            tiles = [wait.results[number] for number in part.tiles]
            kinds = [tile.type for tile in tiles]
            waited = make("wait_slot", slot, results=kinds, origin=wait)
            waited.insert_before(_first_user(tiles, block) if waits else wait)
            for tile, other in zip(tiles, waited.results, strict=True):
                tile.replace_all_uses_with(other)
            waits.append((part, waited))
        _forget(delayed, waits[0][1])
        following = _advance(ring, turn, loop)
        following.insert_after(wait)
        for part, waited in waits:
            slot = {"barriers": part.empty, "rings": part.rings, "turn": turn}
            release = make("release_slot", slot, origin=wait)
            release.insert_after(_last_reader(waited, block))
            following.move_after(max(release, following, key=lambda op: op.index))
        (end,) = continues(block)
        carried = end.operands["operands"][: count - 1]
        end.operands["operands"] = (*carried, following.result)
        _erase_dead(block)
        for index in reversed(range(count, len(block.arguments) - 1)):
            block.remove_argument(index)

    def _carry(self, ring: Ring, turn: Value) -> Value:
        """Make a `for` of a loop, which carries the turn of its ring; return the last turn."""
        loop, region = ring.loop, ring.loop.regions[0]
        firsts = (*loop.operands["initValues"], turn)
        loop.regions = []
        made = _loop(loop, region, firsts, {})
        made.insert_before(loop)
        loop.replace_with(*made.results[:-1])
        reasons, planned = (
            self._state.reasons[Decision.RING_SLOTS],
            ring.alloc.results[0].type.slots,
        )
        if ring.slots != planned:
            reasons.drop(loop)
            reasons.add(made, Reason("ring_room" if ring.slots < planned else "ring_producer"))
        reasons.hand_on(loop, made, ())
        for old in (ring.full, ring.alloc):
            for use in [use for value in old.results for use in value.uses]:
                use.op.erase()
            old.erase()
        return made.results[-1]


def _first_turn(ring: Ring) -> Op:
    kind = Turn(ring.slots, phased=True)
    return make("first_turn", {"ring": ring.rings[0]}, results=[kind], origin=ring.loop)


def _advance(ring: Ring, turn: Value, origin: Op) -> Op:
    operands = {"ring": ring.rings[0], "turn": turn}
    return make("advance", operands, results=[turn.type], origin=origin)


def _loop(loop: Op, region: Region, firsts: Sequence[Value], values: Mapping[Value, Value]) -> Op:
    """Return a `for` with the bounds of a loop, and another body and first carried values."""
    bounds = {slot: _mapped(loop.operands[slot], values) for slot in BOUNDS}
    return make(
        "for",
        {**bounds, "initValues": tuple(firsts)},
        {"unsignedCmp": loop.attributes["unsignedCmp"]},
        [value.type for value in firsts],
        [region],
        origin=loop,
    )


def _mapped(value: Value, values: Mapping[Value, Value]) -> Value:
    return values.get(value, value)


def _without_tokens(op: Op) -> Op:
    """Drop the tokens that a copy of an op comes behind: none of them says anything."""
    for slot, operand in op.operands.items():
        if isinstance(operand, Value) and isinstance(operand.type, Token):
            op.operands[slot] = None
    return op


def _forget(tokens: Iterable[Value], waited: Op) -> None:
    """Have nothing come behind copies by tokens: who waits for a slot knows more."""
    used = [token for token in tokens if token.uses]
    if used:
        made = make("make_token", results=[Token()], origin=waited)
        made.insert_before(waited)
        for token in used:
            token.replace_all_uses_with(made.result)


def _filled(op: Op) -> Value | None:
    """Return the slot that an op makes, or describes a copy to; None if it does neither."""
    return op.result if op.name == "shared_slot" else op.operands.get("destination")


def _first_user(tiles: Sequence[Value], block: Block) -> Op:
    """Return the first op of a block that uses tiles, or is around one that does."""
    found = list[Op]()
    for use in [use for tile in tiles for use in tile.uses]:
        here = use.op
        while here.parent is not block:
            here = here.parent.parent_op
        found.append(here)
    return min(found, key=lambda op: op.index)


def _last_reader(waited: Op, block: Block) -> Op:
    """Return the last op of a block that reads the tiles of a slot, or is around one that does."""
    last = waited
    values = list(waited.results)
    while values:
        for use in values.pop().uses:
            values += [each for each in use.op.results if isinstance(each.type, Shared)]
            here = use.op
            while here.parent is not block:
                here = here.parent.parent_op
            last = max(last, here, key=lambda op: op.index)
    return last


def _erase_dead(block: Block) -> None:
    """Erase what filled slots, and what only that needed."""
    for op in reversed(list(block.ops)):
        unneeded = op.name in _FILLING or (op.spec.effects in HARMLESS and op.results)
        if unneeded and not any(value.uses for value in op.results):
            op.erase()
