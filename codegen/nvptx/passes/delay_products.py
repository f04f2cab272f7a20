"""Delay products by an iteration, so that others of the next one are under way with them.

In attention, the second product of an iteration multiplies what is computed from the result of the
first one. Within an iteration, tensor cores have nothing to do while that is computed. So the body
of such a loop is divided into two *stages*: the second products and what depends on them are stage
1, which an iteration does for the one before. It starts the first products of its own, then the
second ones of the iteration before, and computes while these are under way.

    if there is an iteration:
      stage 0 of the first one
      for all others:
        start the first products; start the delayed ones; wait for the first ones; compute;
        wait for the delayed ones, release their slot; compute what needs their results
      stage 1 of the last one

What stage 1 needs of stage 0 is carried: operands in registers, and the turn of the slot, which is
released an iteration later. If only stage 1 reads a part of a ring, it waits for that as well. This
is software pipelining as of modulo scheduling, with two stages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tileir.codegen.block.areas import behind
from tileir.codegen.block.control_edges import carried, continues
from tileir.codegen.block.make import make
from tileir.codegen.block.op_facts import HARMLESS
from tileir.codegen.block.op_rules import TRUTH
from tileir.codegen.block.types import Frag, Shared, Turn
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.nvptx.schedule.register_estimate import MORE
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Block, Op, Region, Value
from tileir.types import Tile

from .products.product_order import (
    WORD_BITS,
    dependents,
    operands_within,
    products_in,
    second_products,
    stored_by,
    words_of,
)

TWICE_READ = 3
"""The fewest slots of a ring of which two are read at a time."""
_DELAYED = ("mma_async", "release_slot", "wait_mma", "wait_slot")
"""Ops with effects that may be delayed."""


def delay_products(loop: Op, registers: int) -> Op | Reason | None:
    """Return the loop that is made of a `for` of a consumer, or why products are not delayed.

    A thread may have so many registers. None if no product depends on another one.
    """
    stages = _Stages.of(loop)
    if stages is None:
        return None
    return stages.problem(registers) or _Rotation(stages).made()


@dataclass(slots=True)
class _Stages:
    """The stages of a loop's body. All ops are in order."""

    loop: Op
    block: Block
    end: Op
    second: list[Op]
    """Stage 1."""
    first: list[Op] = field(default_factory=list)
    """What stage 0 does while products of stage 1 may be under way."""
    late: list[Op] = field(default_factory=list)
    """What stage 0 does behind stage 1 of the iteration before, most of it as it needs results."""

    @classmethod
    def of(cls, loop: Op) -> _Stages | None:
        """Return the stages, None if no product depends on another one."""
        block = loop.regions[0].block
        roots = second_products(block)
        if not roots or list(continues(block)) != [block.ops[-1]]:
            return None
        second = set(dependents(block, roots)) | {*roots}
        for op in reversed(block.ops[:-1]):
            if op.name in ("shared_view", "wait_slot") and _users(op) <= second:
                second.add(op)
        read = {behind(value)[0] for op in second for value in op.operand_list() if _is_slot(value)}
        for op in block.ops:
            if op.name == "release_slot" and not read.isdisjoint(op.operands["rings"]):
                second.add(op)
        made = cls(loop, block, block.ops[-1], [op for op in block.ops if op in second])
        made._divide()
        return made

    def _divide(self) -> None:
        """Divide stage 0."""
        rest = [op for op in self.block.ops[:-1] if op not in self.second]
        late = set(dependents(self.block, self.results()))
        for op in reversed(rest):
            if _narrows(op) and _users(op) <= late | {*self.second}:
                late.add(op)
        self.first = _products_first([op for op in rest if op not in late])
        self.late = [op for op in rest if op in late]

    def results(self) -> dict[Value, Value]:
        """Return the carried values that stage 1 computes, and what it hands on of each."""
        pairs = zip(carried(self.loop), self.end.operand_list(), strict=True)
        return {argument: value for argument, value in pairs if value.owner in self.second}

    def crossing(self) -> list[Value]:
        """Return the values of stage 0 that stage 1 needs, of memory the turn of its slot."""
        found = dict[Value, None]()
        for op in self.second:
            for value in operands_within(op):
                wait, root = _wait_for(value), value
                if isinstance(value.type, Shared):
                    root = wait and wait.operands["turn"]
                if root is not None and root.owner not in self.second and self._is_inside(root):
                    found[root] = None
        return list(found)

    def handed_on(self) -> list[Value]:
        """Return what stage 0 hands on of what it computes while products are under way.

        In attention, these are the greatest element and the sum of each row, few registers that
        depend on all others. Tiles of 32 bits an element only.
        """
        first = {value for op in self.first for value in op.results if isinstance(value.type, Frag)}
        return [
            value
            for value in self.end.operand_list()
            if value in first and memory_bytes(value.type.element) * 8 == WORD_BITS
        ]

    def _is_inside(self, value: Value) -> bool:
        owner = value.owner
        return owner is self.block or (isinstance(owner, Op) and owner.parent is self.block)

    def problem(self, registers: int) -> Reason | None:
        """Return why the products of stage 1 cannot be delayed; None if they can."""
        for op in (*self.second, *self.late):
            if op.name not in _DELAYED and not _is_harmless(op):
                return Reason("delayed_effect", op.name)
        if any(op.name in ("mma_async", "wait_mma") for op in self.late):
            return Reason("sum_used")
        waits = {_wait_for(value) for op in self.second for value in operands_within(op)}
        if any(
            wait is not None and wait not in self.second and _slots(wait) < TWICE_READ
            for wait in waits
        ):
            return Reason("delayed_slots", TWICE_READ)
        stored = {behind(value)[0] for op in self.loop.walk() for value in stored_by(op)}
        read = (value for op in self.second for value in operands_within(op))
        if any(isinstance(each.type, Shared) and behind(each)[0] in stored for each in read):
            return Reason("stored_anew")
        for value in self.crossing():
            if not isinstance(value.type, Frag | Tile | Turn):
                return Reason("delayed_type", value.owner.name)
        products = products_in((*self.first, *self.second))
        held = {*self.crossing()} - {op.operands["acc"] for op in products}
        words = sum(map(words_of, [*held, *(op.result for op in products)]))
        if words + MORE > registers:
            return Reason("delayed_registers", words + MORE)
        return None


class _Rotation:
    """Makes the loop, and what is around it."""

    def __init__(self, stages: _Stages) -> None:
        self._stages, self._loop = stages, stages.loop
        self._results = stages.results()
        self._kept = [each for each in carried(self._loop) if each not in self._results]
        self._crossing = stages.crossing()

    def made(self) -> Op:
        """Replace the loop; return the one with the other iterations."""
        loop = self._loop
        low, high, step = (loop.operands[slot] for slot in ("lowerBound", "upperBound", "step"))
        inits = loop.operands["initValues"]
        then = Block()
        values = dict(zip(carried(loop), inits, strict=True))
        values[loop.regions[0].block.arguments[0]] = low
        self._add(then, [op for op in self._stages.block.ops if self._is_early(op)], values)
        start = _second_index(then, low, high, step, loop)
        firsts = [values.get(each, each) for each in self._following()]
        others = make(
            "for",
            {"lowerBound": start, "upperBound": high, "step": step, "initValues": tuple(firsts)},
            {"unsignedCmp": loop.attributes["unsignedCmp"]},
            [value.type for value in firsts],
            [Region([self._body()])],
            origin=loop,
        )
        then.ops.append(others)
        kept = dict(zip(self._kept, others.results[: len(self._kept)], strict=True))
        values = dict(zip(self._crossing, others.results[len(self._kept) :], strict=True))
        self._add(then, self._stages.second, values)
        ends = [
            kept[each] if each in kept else values[self._results[each]] for each in carried(loop)
        ]
        then.ops.append(make("yield", {"operands": tuple(ends)}, origin=loop))
        otherwise = Block(ops=[make("yield", {"operands": tuple(inits)}, origin=loop)])
        exists = _compare(low, "less_than", high, loop.attributes["unsignedCmp"], loop)
        branch = make(
            "if",
            {"condition": exists.result},
            results=[value.type for value in loop.results],
            regions=[Region([then]), Region([otherwise])],
            origin=loop,
        )
        exists.insert_before(loop)
        branch.insert_before(loop)
        loop.replace_with(*branch.results)
        _count_pending(then)
        _count_pending(others.regions[0].block)
        return others

    def _is_early(self, op: Op) -> bool:
        return op in self._stages.first or op in self._stages.late

    def _following(self) -> list[Value]:
        """Return what an iteration hands on: what is kept, and what its stage 1 needs."""
        end = self._stages.end.operands["operands"]
        arguments = [*carried(self._loop)]
        return [*(end[arguments.index(each)] for each in self._kept), *self._crossing]

    def _body(self) -> Block:
        """Return the body: stage 0 of an iteration, and stage 1 of the one before."""
        block, stages = Block(), self._stages
        index = self._loop.regions[0].block.arguments[0]
        values = {each: block.add_argument(each.type) for each in (index, *self._kept)}
        before = {each: block.add_argument(each.type) for each in self._crossing}
        start = next(n for n, op in enumerate(stages.first) if op.name == "wait_mma")
        waits = [op for op in stages.second if op.name == "wait_mma"]
        behind = {*waits, *dependents(stages.block, waits)}
        behind |= {op for op in stages.second if op.name == "release_slot"}
        self._add(block, stages.first[:start], values)
        self._add(block, [op for op in stages.second if op not in behind], before)
        self._add(block, stages.first[start:], values)
        computed = [values[each] for each in stages.handed_on()]
        if computed:
            block.ops.append(make("sched_barrier", {"values": tuple(computed)}, origin=stages.end))
        self._add(block, [op for op in stages.second if op in behind], before)
        values |= {each: before[result] for each, result in self._results.items()}
        self._add(block, stages.late, values)
        handed = tuple(values.get(each, each) for each in self._following())
        block.ops.append(make("continue", {"operands": handed}, origin=stages.end))
        return block

    def _add(self, block: Block, ops: Iterable[Op], values: dict[Value, Value]) -> None:
        """Add copies of ops, for the iteration that `values` are of."""
        for op in ops:
            for value in operands_within(op):
                self._address(block, value, values)
            block.ops.append(op.clone(values))

    def _address(self, block: Block, value: Value, values: dict[Value, Value]) -> None:
        """Add what says where a tile in shared memory lies, if only its slot is known."""
        op = value.owner
        if value in values or not isinstance(value.type, Shared) or not isinstance(op, Op):
            return
        if op.parent is not self._stages.block:
            return
        if op.name == "wait_slot":
            operands = {"ring": op.operands["rings"][value.index]}
            operands["turn"] = values[op.operands["turn"]]
            made = make("held_slot", operands, results=[value.type], origin=op)
            values[value] = made.result
        else:
            self._address(block, op.operands["source"], values)
            made = op.clone(values)
        block.ops.append(made)


def _products_first(ops: Sequence[Op]) -> list[Op]:
    """Return ops with those products before the first wait that need no other one's result."""
    products = products_in(ops)
    start = next((n for n, op in enumerate(ops) if op.name == "wait_mma"), len(ops))
    independent = {*products} - {*dependents(ops[0].parent, products)}
    early = {op for op in ops[start:] if op in independent}
    for op in reversed(ops[start:]):
        if _users(op) & early:
            early.add(op)
    if not all(op in independent or _is_harmless(op) for op in early):
        return [*ops]
    moved = [op for op in ops[start:] if op in early]
    return [*ops[:start], *moved, *(op for op in ops[start:] if op not in early)]


def _users(op: Op) -> set[Op]:
    """Return the ops of its block that use the results of an op, or are around one that does."""
    found = set[Op]()
    for value in op.results:
        for use in value.uses:
            user = use.op
            while user.parent is not op.parent:
                user = user.parent.parent_op
            found.add(user)
    return found


def _is_harmless(op: Op) -> bool:
    inside = (each for each in op.walk() if not (each.regions or each.spec.terminator))
    return all(each.spec.effects in HARMLESS for each in inside)


def _narrows(op: Op) -> bool:
    """Whether an op makes smaller elements of a tile in registers: in place, if it comes late."""
    sizes = [
        memory_bytes(value.type.element)
        for value in (*op.operand_list(), *op.results)
        if isinstance(value.type, Frag)
    ]
    return len(sizes) == 2 and sizes[1] < sizes[0] and op.spec.effects in HARMLESS


def _is_slot(value: Value) -> bool:
    return _wait_for(value) is not None


def _wait_for(tile: Value) -> Op | None:
    """Return the op that waits for the slot that a tile is in, None if it is in none."""
    while isinstance(tile.owner, Op) and tile.owner.name == "shared_view":
        tile = tile.owner.operands["source"]
    op = tile.owner
    return op if isinstance(op, Op) and op.name == "wait_slot" else None


def _slots(wait: Op) -> int:
    return wait.operands["turn"].type.slots


def _second_index(block: Block, low: Value, high: Value, step: Value, origin: Op) -> Value:
    """Add to a block where a loop goes on behind its first iteration.

    That is the upper bound if there is no other iteration: the sum of the others may overflow.
    """
    left = make("subi", {"lhs": high, "rhs": low}, results=[low.type], origin=origin)
    more = _compare(left.result, "greater_than", step, True, origin)
    following = make("addi", {"lhs": low, "rhs": step}, results=[low.type], origin=origin)
    chosen = {"cond": more.result, "val_if_true": following.result, "val_if_false": high}
    start = make("select", chosen, results=[low.type], origin=origin)
    block.ops.extend([left, more, following, start])
    return start.result


def _compare(lhs: Value, relation: str, rhs: Value, unsigned: bool, origin: Op) -> Op:
    attributes = {
        "comparison_predicate": relation,
        "signedness": "unsigned" if unsigned else "signed",
    }
    return make("cmpi", {"lhs": lhs, "rhs": rhs}, attributes, [TRUTH], origin=origin)


def _count_pending(block: Block) -> None:
    """Have each wait of a block leave those products under way that were started later."""
    numbers = dict[Value, int]()
    for op in block.ops:
        if op.name == "mma_async":
            numbers[op.result] = len(numbers)
        elif op.name == "wait_mma":
            op.attributes["pending"] = len(numbers) - 1 - numbers[op.operands["flight"]]
