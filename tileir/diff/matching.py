"""Which op of one body is which of another: the pairs, found block by block.

In a block, ops of one class are paired first, in order; then those of one class that changed
places; what is left between such pairs, by less and less that it has in common. Pairs that differ
in themselves, not only in what their operands come from, are then identified (`flow`), and all is
matched once more: so what follows from a change is found to be the same.

Each step is nearly linear, and there are few.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from tileir.ir import Block, Body, Op, Value

from .content import EFFECTLESS, Contents, result_types
from .flow import Flow
from .sequences import Pairs, align, between

ROUNDS = 6
"""How often a body is matched: each round sees through one more change on the way to an op."""

Key = Callable[[Flow, Op], Hashable]


def _weight(op: Op) -> int:
    """Return how much it takes to say of an op that it moved, and not of those that it passed."""
    if op.regions:
        return 8
    return 1 if op.spec.effects in EFFECTLESS else 3


def _class(flow: Flow, op: Op) -> Hashable:
    return flow.op[op]


def _used(flow: Flow, op: Op) -> Hashable:
    """Of ops of one class that have effects, those are the same whose results are used alike."""
    return flow.op[op], op.spec.effects not in EFFECTLESS and flow.used[op]


def _said(flow: Flow, op: Op) -> Hashable:
    return flow.said[op]


def _similar(flow: Flow, op: Op) -> Hashable:
    return op.spec.mnemonic, result_types(op)


def _mnemonic(flow: Flow, op: Op) -> Hashable:
    """What neither has operands nor regions has nothing in common with others of its kind."""
    return op.spec.mnemonic if op.operands or op.regions else op


ALIKE: tuple[Key, ...] = (Flow.nearby, _said)
"""What ops between pairs of one class have in common that say the same, from most to least."""

SIMILAR: tuple[Key, ...] = (_similar, _mnemonic)
"""What others have; these are the same op only if they have an operand in common, too."""


class OpPairs(NamedTuple):
    """Which op is which, of a body that has been matched: see `Matching`."""

    op: dict[Op, Op]
    order: dict[Block, list[tuple[Op, Op]]]


class Matching:
    """The pairs of the ops and values of two bodies.

    op       op of one body -> that of the other, both ways
    value    value of one body -> that of the other, both ways
    order    block of the first body -> the pairs of its ops that are in order
    moved    ops, of both bodies, whose partners stand elsewhere
    """

    def __init__(self, before: Body, after: Body, contents: Contents) -> None:
        self.flows = Flow(before, contents), Flow(after, contents)
        self.bodies = before, after
        for number, (one, two) in enumerate(
            self._alike(before.block.arguments, after.block.arguments)
        ):
            self._give(one, two, ("parameter", number))
        self._numbers = 0
        self._replaced: dict[Value, Value] = {}
        for _ in range(ROUNDS):
            self._match()
            if not self._identified():
                break
        self._replaced = dict(self._replacements())

    def ops(self) -> tuple[Iterator[Op], Iterator[Op]]:
        """Return all ops of both bodies, each in pre-order."""
        before, after = self.bodies
        return before.walk(), after.walk()

    @property
    def pairs(self) -> OpPairs:
        """The pairs of ops, without what they were found by."""
        return OpPairs(self.op, self.order)

    def same(self, before: Value | None, after: Value | None) -> bool:
        """Whether operands are the same value.

        Of ops without effects that compute the same, it does not matter which one is used. Where an
        op was replaced by another one, what uses it is said to be as it was.
        """
        if before is None or after is None:
            return before is after
        if self.value.get(before) is after or self._replaced.get(before) is after:
            return True
        known = self.flows[0].value.get(before, -1)
        if known < 0 or known != self.flows[1].value.get(after, -2):
            return False
        return all(
            isinstance(v.owner, Op) and v.owner.spec.effects in EFFECTLESS for v in (before, after)
        )

    def _match(self) -> None:
        self.op: dict[Op, Op] = {}
        self.value: dict[Value, Value] = {}
        self.order: dict[Block, list[tuple[Op, Op]]] = {}
        self.moved: set[Op] = set()
        for flow in self.flows:
            flow.settle()
        before, after = (body.block for body in self.bodies)
        self._pair_values(before.arguments, after.arguments)
        self._pair_blocks(before, after)
        self._pair_across_blocks()

    # Blocks -------------------------------------------------------------------------------------

    def _pair_blocks(self, before: Block, after: Block) -> None:
        first, second = before.ops, after.ops
        pairs = self._refined(first, second, [], (_used, _class), ())
        moved = list(self._moves(_left(first, second, pairs)))
        away = {op for pair in moved for op in pair}
        alike = self._refined(first, second, pairs, ALIKE, away)
        known = set(alike)
        order = self.order[before] = []
        for i, j in self._refined(first, second, alike, SIMILAR, away):
            if (i, j) in known or self._is_related(first[i], second[j]):
                order.append((first[i], second[j]))
                self._pair(first[i], second[j])
        for pair in moved:
            self._pair(*pair)
            self.moved.update(pair)

    def _is_related(self, before: Op, after: Op) -> bool:
        """Whether ops have an operand in common, as far as they have any; regions suffice, too."""
        if before.regions or before.spec.terminator or not any(before.operand_list()):
            return True
        for slot, operand in before.operands.items():
            others = _values(after.operands.get(slot))
            if any(map(self.same, _values(operand), others)):
                return True
        return False

    def _refined(
        self,
        first: Sequence[Op],
        second: Sequence[Op],
        pairs: Pairs,
        levels: Sequence[Key],
        away: Container[Op],
    ) -> Pairs:
        """Return pairs of ops, and those between them that have less and less in common.

        What is `away` is in no pair.
        """
        one, two = self.flows
        for key in levels:
            found: Pairs = []
            for left, right in between(pairs, len(first), len(second)):
                some = [i for i in left if first[i] not in away]
                others = [j for j in right if second[j] not in away]
                if some and others:
                    common = align(
                        [key(one, first[i]) for i in some],
                        [key(two, second[j]) for j in others],
                        [_weight(first[i]) for i in some],
                    )
                    found += [(some[i], others[j]) for i, j in common]
            if found:
                pairs = sorted([*pairs, *found])
        return pairs

    def _moves(self, left: tuple[Iterable[Op], Iterable[Op]]) -> Iterator[tuple[Op, Op]]:
        """Yield the ops of one class among those that have no partner."""
        waiting: defaultdict[int, deque[Op]] = defaultdict(deque)
        for op in left[1]:
            waiting[self.flows[1].op[op]].append(op)
        for op in left[0]:
            if not op.spec.terminator and op not in self.op:
                same = waiting.get(self.flows[0].op[op])
                while same:
                    other = same.popleft()
                    if other not in self.op:
                        yield op, other
                        break

    def _pair_across_blocks(self) -> None:
        """Pair what moved into or out of regions: ops with regions first, and what is in them."""
        before, after = self.ops()
        left = sorted((op for op in before if op not in self.op), key=lambda op: not op.regions)
        if left:
            for pair in self._moves((left, [op for op in after if op not in self.op])):
                self._pair(*pair)
                self.moved.update(pair)

    def _pair(self, before: Op, after: Op) -> None:
        for one in (self.op.get(before), self.op.get(after)):
            if one is not None:  # moved, on its own, before what it is in was found
                self._part(one)
        self.op[before], self.op[after] = after, before
        self._pair_values(before.results, after.results)
        for one, two in zip(before.regions, after.regions, strict=False):
            for first, second in zip(one.blocks, two.blocks, strict=False):
                self._pair_values(first.arguments, second.arguments)
                self._pair_blocks(first, second)

    def _part(self, op: Op) -> None:
        """Undo the pairing of an op."""
        for one in (op, self.op.pop(op)):
            self.op.pop(one, None)
            self.moved.discard(one)
            for value in one.results:
                self.value.pop(value, None)

    def _pair_values(self, before: Sequence[Value], after: Sequence[Value]) -> None:
        for one, two in self._alike(before, after):
            self.value[one], self.value[two] = two, one

    def _alike(
        self, before: Sequence[Value], after: Sequence[Value]
    ) -> Iterator[tuple[Value, Value]]:
        """Yield the pairs of values of two lists: by position, if there are as many.

        If not, they are told apart by type and use.
        """
        if len(before) == len(after):
            yield from zip(before, after, strict=True)
            return
        one, two = self.flows
        pairs = align(
            [(value.type, one.usage(value)) for value in before],
            [(value.type, two.usage(value)) for value in after],
        )
        found: Pairs = []
        for left, right in between(pairs, len(before), len(after)):
            types = [before[i].type for i in left], [after[j].type for j in right]
            found += [(left[i], right[j]) for i, j in align(*types)]
        for i, j in sorted([*pairs, *found]):
            yield before[i], after[j]

    # Replacements -------------------------------------------------------------------------------

    def _replacements(self) -> Iterator[tuple[Value, Value]]:
        """Yield what has no partner and was used, and what is used in its place everywhere.

        Both have one type, and stand in one order with all others of which that is said.
        """
        taken: tuple[dict[Value, set[Value]], dict[Value, set[Value]]] = ({}, {})
        for op in self.ops()[0]:
            if op in self.op:
                for one, two in _operand_pairs(op, self.op[op]):
                    taken[0].setdefault(one, set()).add(two)
                    taken[1].setdefault(two, set()).add(one)
        places = [{op: place for place, op in enumerate(ops)} for ops in self.ops()]
        found: list[tuple[int, int, Value, Value]] = []
        for one, others in taken[0].items():
            two = next(iter(others))
            owners = one.owner, two.owner
            if len(others) > 1 or len(taken[1][two]) > 1 or one.type != two.type:
                continue
            if all(isinstance(owner, Op) and owner not in self.op for owner in owners):
                found.append((places[0][owners[0]], places[1][owners[1]], one, two))
        found.sort(key=lambda each: each[:2])
        after = [place for _, place, *_ in found]
        most = list(accumulate(after, max, initial=-1))
        least = list(accumulate(reversed(after), min, initial=len(places[1])))[::-1]
        for index, (_, place, one, two) in enumerate(found):
            if most[index] <= place <= least[index + 1]:
                yield one, two

    # Identification -----------------------------------------------------------------------------

    def _identified(self) -> bool:
        """Identify pairs that differ in themselves; return whether there were new ones."""
        one, two = self.flows
        some = False
        for op in self.ops()[0]:
            other = self.op.get(op)
            if other is None or one.op[op] == two.op[other] or one.is_identified(op):
                continue
            if not self._follows(op, other):
                some = True
                self._identify(op, other)
        return some

    def _follows(self, before: Op, after: Op) -> bool:
        """Whether an operand is of another class though it is the same: so is the op, then."""
        one, two = self.flows
        for slot, operand in before.operands.items():
            for first, second in zip(
                _values(operand), _values(after.operands.get(slot)), strict=False
            ):
                same = self.value.get(first) is second
                if same and one.value.get(first) != two.value.get(second):
                    return True
        return False

    def _identify(self, before: Op, after: Op) -> None:
        self._numbers += 1
        number = self._numbers
        self.flows[0].identify(before, number)
        self.flows[1].identify(after, number)
        values = [(before.results, after.results)]
        for one, two in zip(before.regions, after.regions, strict=False):
            for first, second in zip(one.blocks, two.blocks, strict=False):
                values.append((first.arguments, second.arguments))
        for place, (some, others) in enumerate(values):
            for index, pair in enumerate(self._alike(some, others)):
                self._give(*pair, (number, place, index))

    def _give(self, before: Value, after: Value, number: Hashable) -> None:
        self.flows[0].give(before, number)
        self.flows[1].give(after, number)


def _left(first: Sequence[Op], second: Sequence[Op], pairs: Pairs) -> tuple[list[Op], list[Op]]:
    """Return the ops of two blocks that are in no pair."""
    left: tuple[list[Op], list[Op]] = [], []
    for one, two in between(pairs, len(first), len(second)):
        left[0].extend(first[i] for i in one)
        left[1].extend(second[j] for j in two)
    return left


def _values(operand: object) -> Sequence[Value]:
    if isinstance(operand, tuple):
        return operand
    return (operand,) if isinstance(operand, Value) else ()


def _operand_pairs(before: Op, after: Op) -> Iterator[tuple[Value, Value]]:
    """Yield the values in the same places of two ops."""
    for slot, operand in before.operands.items():
        yield from zip(_values(operand), _values(after.operands.get(slot)), strict=False)
