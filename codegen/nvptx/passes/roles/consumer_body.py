"""The consumer: the kernel's body without copies, whose loops wait for slots and release them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tileir.codegen.block.control_edges import continues
from tileir.codegen.block.make import make
from tileir.codegen.block.op_facts import HARMLESS
from tileir.codegen.block.types import Shared, Turn
from tileir.codegen.nvptx.reasons import Decision, Reason
from tileir.codegen.nvptx.state import KernelState
from tileir.ir import Block, Op, Value
from tileir.types import Token

from .ring_turns import advance, first_turn, for_loop
from .role_plan import Part, Ring, RolePlan, wait_of

_FILLING = ("advance", "commit_copies", "copy_tensor", "shared_slot", "wait_copies")


def consume_slots(state: KernelState, plan: RolePlan) -> None:
    """Have the loops of all rings in a body wait for slots and release them."""
    consumer = _Consumer(state, plan)
    for ring in plan.own_rings:
        consumer.consume(ring)


class _Consumer:
    """Edits one body."""

    def __init__(self, state: KernelState, plan: RolePlan) -> None:
        self._state, self._plan = state, plan
        self._block: Block = state.kernel.body.block

    def consume(self, ring: Ring) -> None:
        """Have the loops of a ring wait for slots and release them, and carry its turn.

        So do the loops around them.
        """
        around, outermost = list[Op](), ring.loop
        while outermost.parent is not self._block:
            outermost = outermost.parent.parent_op
            around.append(outermost)
        first = first_turn(ring)
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
        following = advance(ring, turn, loop)
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
        made = for_loop(loop, region, firsts, {})
        made.insert_before(loop)
        loop.replace_with(*made.results[:-1])
        reasons = self._state.reasons[Decision.RING_SLOTS]
        planned = ring.alloc.results[0].type.slots
        if ring.slots != planned:
            reasons.drop(loop)
            reasons.add(made, Reason("ring_room" if ring.slots < planned else "ring_producer"))
        reasons.hand_on(loop, made, ())
        for old in (ring.full, ring.alloc):
            for use in [use for value in old.results for use in value.uses]:
                use.op.erase()
            old.erase()
        return made.results[-1]


def _forget(tokens: Iterable[Value], waited: Op) -> None:
    """Have nothing come behind copies by tokens: who waits for a slot knows more."""
    used = [token for token in tokens if token.uses]
    if used:
        made = make("make_token", results=[Token()], origin=waited)
        made.insert_before(waited)
        for token in used:
            token.replace_all_uses_with(made.result)


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
