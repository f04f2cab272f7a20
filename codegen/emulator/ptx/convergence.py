"""The order in which lanes that have diverged go on, so that they converge where they do on a GPU.

Lanes that part at a branch meet again where all ways from it meet: its immediate post-dominator.
There, ptxas lets them wait for each other. The order of the text is no guide to that: LLVM may put
the block where two ways meet in front of one of them. In a weak topological order (Bourdoncle:
Efficient Chaotic Iteration Strategies with Widenings, 1993) a block comes behind all that leads to
it, and a loop's blocks behind each other. If of the lanes of a warp those of the first block go on,
the others wait where the ways meet. The head of a loop is its last block here, so that they wait
there for those that are still in the body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence


def convergence_order(after: Sequence[Collection[int]]) -> list[int]:
    """Return all blocks, given those that may follow each. Control enters at block 0."""
    before: list[list[int]] = [[] for _ in after]
    for number, following in enumerate(after):
        for each in following:
            before[each].append(number)
    order: list[int] = []
    pending: list[int | list[int]] = [list(range(len(after)))]
    while pending:
        part = pending.pop()
        if isinstance(part, int):
            order.append(part)
            continue
        for component in _components(part, after):
            # They come in the reverse of the order, and so does what is pending.
            members = set(component)
            head = min(
                (each for each in component if not each or not members.issuperset(before[each])),
                default=min(component),
            )
            pending.append(head)
            if len(component) > 1:
                pending.append(sorted(members - {head}))
    return order


def _components(blocks: Sequence[int], after: Sequence[Collection[int]]) -> Iterator[list[int]]:
    """Yield the strongly connected components among some blocks, each behind what it leads to.

    As Tarjan does it: Depth-First Search and Linear Graph Algorithms, 1972.
    """
    inside = set(blocks)
    found: dict[int, int] = {}  # block -> when it was found
    lowest: dict[int, int] = {}
    waiting: list[int] = []
    held: set[int] = set()
    for start in blocks:
        ways: list[tuple[int, Iterator[int]]] = []
        following = start if start not in found else None
        while following is not None or ways:
            if following is not None:
                found[following] = lowest[following] = len(found)
                waiting.append(following)
                held.add(following)
                ways.append((following, iter(sorted(after[following], reverse=True))))
            block, rest = ways[-1]
            following = None
            for each in rest:
                if each not in inside:
                    continue
                if each not in found:
                    following = each
                    break
                if each in held:
                    lowest[block] = min(lowest[block], found[each])
            if following is not None:
                continue
            ways.pop()
            if ways:
                upper = ways[-1][0]
                lowest[upper] = min(lowest[upper], lowest[block])
            if lowest[block] == found[block]:
                component = [waiting.pop()]
                while component[-1] != block:
                    component.append(waiting.pop())
                held.difference_update(component)
                yield component
