"""The body of the producer: the slice of the kernel's that says what is copied to slots.

Its loops are those around the copies. They carry the values of the slice, and the turns of the
rings that are filled inside.
"""

from __future__ import annotations

from tileir.codegen.block.control_edges import continues
from tileir.codegen.block.make import make
from tileir.ir import Block, Op, Region, Value
from tileir.types import Token

from .ring_turns import advance, first_turn, for_loop, mapped
from .role_plan import Ring, RolePlan


def producer_body(plan: RolePlan, source: Block) -> Block:
    """Return the body of the producer, given that of the kernel."""
    return _Producer(plan, source).body()


class _Producer:
    """Makes one body."""

    def __init__(self, plan: RolePlan, source: Block) -> None:
        self._plan, self._block, self._slice = plan, source, plan.slice

    def body(self) -> Block:
        """Return it."""
        block, turns = Block(), dict[Ring, Value]()
        for ring in self._plan.own_rings:
            block.ops.append(first_turn(ring))
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
        following = [*(mapped(each, values) for each in handed), *(inner[it] for it in rings)]
        block.ops.append(make("continue", {"operands": tuple(following)}, origin=end))
        firsts = [mapped(loop.operands["initValues"][it.index - 1], values) for it in kept]
        firsts += [turns[ring] for ring in rings]
        made = for_loop(loop, Region([block]), firsts, values)
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
        block.ops.append(advance(ring, turn, ring.loop))
        turns[ring.first] = block.ops[-1].result

    def _rings_in(self, op: Op) -> list[Ring]:
        """Return the rings whose loops an op is, or is around; one of those with same memory."""
        found = (ring.first for ring in self._plan.rings if op.contains(ring.loop))
        return list(dict.fromkeys(found))


def _without_tokens(op: Op) -> Op:
    """Drop the tokens that a copy of an op comes behind: none of them says anything."""
    for slot, operand in op.operands.items():
        if isinstance(operand, Value) and isinstance(operand.type, Token):
            op.operands[slot] = None
    return op


def _filled(op: Op) -> Value | None:
    """Return the slot that an op makes, or describes a copy to; None if it does neither."""
    return op.result if op.name == "shared_slot" else op.operands.get("destination")
