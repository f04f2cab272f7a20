"""Which function of one module is which of another: by name, else by what is in it."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from tileir.read.declarations import Declaration
from tileir.read.function import Function, Global

from .content import Contents
from .rows import FunctionPair

Named = TypeVar("Named", bound=Function | Global | Declaration)

MOST = 64
"""Functions without a namesake that are compared with each other; of more, only equal ones."""

ALIKE = 0.5
"""The share of equal ops from which on functions of other names are the same function."""


def pairs(
    before: Sequence[Function], after: Sequence[Function], contents: Contents
) -> list[FunctionPair]:
    """Return the functions of two modules in pairs: in the order of the second, deleted ones last.

    Of functions with one name the n-th of one module is the n-th of the other.
    """
    partner: dict[int, Function] = {}
    waiting: dict[tuple[str, int], Function] = dict(numbered(before))
    for name, function in numbered(after):
        if name in waiting:
            partner[id(function)] = waiting.pop(name)
    others = [function for function in after if id(function) not in partner]
    for one, two in _alike([*waiting.values()], others, contents):
        partner[id(two)] = one
    taken = {id(function) for function in partner.values()}
    found = [FunctionPair(partner.get(id(function)), function) for function in after]
    return found + [FunctionPair(one, None) for one in before if id(one) not in taken]


def numbered(parts: Iterable[Named]) -> Iterator[tuple[tuple[str, int], Named]]:
    """Yield parts of a module with their names, and how many have had that name before."""
    seen: Counter[str] = Counter()
    for part in parts:
        yield (part.name, seen[part.name]), part
        seen[part.name] += 1


def _alike(
    before: Sequence[Function], after: Sequence[Function], contents: Contents
) -> Iterator[tuple[Function, Function]]:
    """Yield pairs of functions with other names, those that are most alike first."""
    if not before or not after:
        return
    ops = {
        id(function): Counter(contents.of(op) for op in function.walk())
        for function in (*before, *after)
    }
    shares: list[tuple[float, int, int]] = []
    if max(len(before), len(after)) <= MOST:
        for i, one in enumerate(before):
            for j, two in enumerate(after):
                shares.append((_share(ops[id(one)], ops[id(two)]), -i, -j))
    else:
        places: defaultdict[frozenset[tuple[int, int]], deque[int]] = defaultdict(deque)
        for j, two in enumerate(after):
            places[frozenset(ops[id(two)].items())].append(j)
        for i, one in enumerate(before):
            equal = places[frozenset(ops[id(one)].items())]
            if equal:
                shares.append((1.0, -i, -equal.popleft()))
    some: set[int] = set()
    others: set[int] = set()
    for share, i, j in sorted(shares, reverse=True):
        if share >= ALIKE and i not in some and j not in others:
            some.add(i)
            others.add(j)
            yield before[-i], after[-j]


def _share(before: Counter[int], after: Counter[int]) -> float:
    """Return how many of the ops of two functions say the same, from 0 to 1."""
    total = before.total() + after.total()
    return 2 * (before & after).total() / total if total else 1.0
