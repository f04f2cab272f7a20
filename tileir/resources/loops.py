"""The innermost loops of a listing of SASS, by its control flow.

A block that lies behind the end and jumps back is no loop, as nothing in it is entered through the
target of the jump alone: a loop is a back edge to a block that dominates its source (Aho, Lam,
Sethi, Ullman: Compilers, section 9.6). Loops that do nothing but wait, for an mbarrier or a lock,
are not counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from .machine_code import INSTRUCTION, multiplies

_FUNCTION = re.compile(r"^\s*\.section\s+\.text\.", re.MULTILINE)
_LABEL = re.compile(r"^\s*(\.L_\w+):")
_TARGET = re.compile(r"`\((\.L_\w+)\)")
_ANY_LABEL = re.compile(r"\.L_\w+")
_SYNC = re.compile(r"\bB\d+\b")
PRODUCTS_AWAITED = "WARPGROUP.DEPBAR.LE"
"""A wait for products of a warpgroup. Where some may stay under way, a loop has their number behind
the name."""
_UNDER_WAY = re.compile(r"gsb0, 0x([1-9])")
_ENDS = ("BRA", "EXIT", "RET", "BSYNC", "BRX", "JMX", "BREAK")
_MAY_PASS = ("BREAK", "BRA.DIV", "BRA.CONV")
"""Ends of a block that need no predicate to go on with the next one."""
_WORK = ("LDG", "LDS", "LDL", "STG", "STS", "STL", "ATOM", "RED", "UTMA", "UBLKCP", "FADD", "FMUL")
"""Some of which every loop has that does anything; what waits has none."""


class _Block:
    """Instructions that are run one after the other, and the labels of what may follow."""

    def __init__(self) -> None:
        self.opcodes: list[str] = []
        self.targets: list[str] = []
        self.falls = True


def innermost(listing: str) -> list[Counter[str]]:
    """Return how often each opcode occurs in every innermost loop, in their order."""
    starts = [match.start() for match in _FUNCTION.finditer(listing)] or [0]
    found = []
    for start, end in zip(starts, [*starts[1:], len(listing)], strict=True):
        found += _of_function(listing[start:end])
    return found


def looped(listing: str) -> list[bool]:
    """Return whether each instruction of a function is in a loop, in the order of the listing.

    The listing is the part of one function. Loops that only wait are none.
    """
    blocks, labels = _blocks(listing)
    found = set[int]()
    for body in _natural_loops(_successors(blocks, labels)).values():
        if not _only_waits(name for block in body for name in blocks[block].opcodes):
            found |= body
    return [number in found for number, block in enumerate(blocks) for _ in block.opcodes]


def main_loop(listing: str) -> Counter[str] | None:
    """Return the opcodes of the loop in which a kernel works; None if it has no loop.

    Of the innermost loops it is the one that multiplies most matrices, and of these the shortest,
    which is not unrolled; where none multiplies, it is the longest one.
    """
    return max(innermost(listing), key=_weight, default=None)


def _weight(loop: Counter[str]) -> tuple[int, int]:
    products = sum(count for name, count in loop.items() if multiplies(name))
    return products, -loop.total() if products else loop.total()


def _of_function(text: str) -> list[Counter[str]]:
    blocks, labels = _blocks(text)
    after = _successors(blocks, labels)
    loops = _natural_loops(after)
    found = []
    for head, body in sorted(loops.items()):
        opcodes = Counter(name for block in body for name in blocks[block].opcodes)
        if not _only_waits(opcodes):
            found.append((head, body, opcodes))
    heads = {head for head, _, _ in found}
    return [opcodes for head, body, opcodes in found if not (heads - {head}) & body]


def _only_waits(opcodes: Iterable[str]) -> bool:
    names = set(opcodes)
    pauses = any(name.startswith(("SYNCS", "NANOSLEEP")) for name in names)
    works = any(name.startswith(_WORK) or multiplies(name) for name in names)
    return names == {"BRA"} or (pauses and not works)


def _blocks(text: str) -> tuple[list[_Block], dict[str, int]]:
    """Return the basic blocks, and the block that each label stands before."""
    blocks, labels = [_Block()], {}
    syncs: dict[str, str] = {}
    for line in text.splitlines():
        if label := _LABEL.match(line):
            if blocks[-1].opcodes:
                blocks.append(_Block())
            labels[label[1]] = len(blocks) - 1
        elif match := INSTRUCTION.match(line):
            guard, name, operands = match.groups()
            block, target = blocks[-1], _TARGET.search(operands)
            left = _UNDER_WAY.search(operands) if name == PRODUCTS_AWAITED else None
            block.opcodes.append(name if left is None else f"{name}.{left[1]}")
            if name.startswith("BSSY") and target:
                syncs[_sync_of(operands)] = target[1]
            if not name.startswith(_ENDS):
                continue
            conditional = guard is not None or re.match(r"\s*!?U?P\d", operands) is not None
            block.falls = conditional or name.startswith(_MAY_PASS)
            if name.startswith("BRA") and target:
                block.targets.append(target[1])
            elif name.startswith("BRX"):
                block.targets += _ANY_LABEL.findall(operands)
            elif name.startswith("BSYNC"):
                block.targets.append(syncs.get(_sync_of(operands), ""))
            blocks.append(_Block())
    return blocks, labels


def _sync_of(operands: str) -> str:
    """Return the register of a convergence barrier, such as B0, which BSSY and BSYNC share."""
    found = _SYNC.search(operands)
    return found[0] if found else ""


def _successors(blocks: list[_Block], labels: dict[str, int]) -> list[list[int]]:
    after = []
    for number, block in enumerate(blocks):
        following = [labels[target] for target in block.targets if target in labels]
        if block.falls and number + 1 < len(blocks):
            following.append(number + 1)
        after.append(following)
    after.append([])  # where the function is entered: its first block, and what calls and tables of
    reached: set[int] = set()  # branches lead to
    for number in range(len(blocks)):
        if number not in reached:
            after[-1].append(number)
            _add_reached(reached, number, after)
    return after


def _natural_loops(after: list[list[int]]) -> dict[int, set[int]]:
    """Return all loops: head -> the blocks of those with that head."""
    before: list[list[int]] = [[] for _ in after]
    for number, following in enumerate(after):
        for each in following:
            before[each].append(number)
    parent, order = _dominators(after, before)
    loops: dict[int, set[int]] = {}
    for number in order:
        for head in after[number]:
            if not _dominates(head, number, parent):
                continue
            _add_reached(loops.setdefault(head, {head}), number, before)
    return loops


def _add_reached(reached: set[int], start: int, edges: list[list[int]]) -> None:
    """Add the blocks that edges lead to from `start`, itself among them, not beyond those there."""
    waiting = [start]
    while waiting:
        each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting += edges[each]


def _dominates(upper: int, lower: int, parent: dict[int, int]) -> bool:
    while lower != upper:
        if parent[lower] == lower:
            return False
        lower = parent[lower]
    return True


def _dominators(
    after: list[list[int]], before: list[list[int]]
) -> tuple[dict[int, int], list[int]]:
    """Return the immediate dominator of each block, and the blocks in reverse postorder.

    As Cooper, Harvey and Kennedy do it: A Simple, Fast Dominance Algorithm.
    """
    order: list[int] = []
    entry = len(after) - 1
    seen, stack = {entry}, [(entry, iter(after[entry]))]
    while stack:
        number, rest = stack[-1]
        following = next((each for each in rest if each not in seen), None)
        if following is None:
            order.append(number)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(after[following])))
    order.reverse()
    place = {number: index for index, number in enumerate(order)}
    parent = {entry: entry}
    changed = True
    while changed:
        changed = False
        for number in order[1:]:
            known = [each for each in before[number] if each in parent]
            best = known[0]
            for each in known[1:]:
                while best != each:
                    while place[each] > place[best]:
                        each = parent[each]
                    while place[best] > place[each]:
                        best = parent[best]
            if parent.get(number) != best:
                parent[number] = best
                changed = True
    return parent, order
