"""What a barrier orders, in words: its pairs of accesses, as texts of block IR.

``1, 2: mma of the iteration before, before copy_async for 2 iterations later``: the numbers are
those of the barrier's operands, the memory of both accesses. Where it is not the same, but has
bytes in common, they are ``1, 2 then 3``; `inner` is memory that a block inside allocates. A pair
without numbers accesses memory that tokens order. Words are seen from the barrier: *the loop* is
the one around it, if the barrier is deeper than the access.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tileir.codegen.block.control_edges import loop_block
from tileir.ir import Block, Op, Value
from tileir.messages.wording import counted

from .barrier_walk import Access, Acquired, Everything, Pair
from .memory_accesses import MemoryAccess
from .shared_accesses import SharedAccess

Labels = tuple[str, str]
"""The memory of the earlier access, and that of the later one."""
INNER = "inner"
PASSED = ", if a loop between makes no trips"


def texts(barrier: Op, pairs: Iterable[Pair], memory: Sequence[Value]) -> tuple[str, ...]:
    """Return the pairs of a barrier as text; `memory` is what the barrier has for operands."""
    labels = {value: str(number) for number, value in enumerate(memory)}
    always: dict[str, dict[Labels, None]] = {}
    passed: dict[str, dict[Labels, None]] = {}
    for first, second, _ in pairs:
        of = _labels(first, second, labels)
        found = passed if isinstance(first, SharedAccess) and first.passed else always
        found.setdefault(_words(barrier, first, second), {})[of] = None
    for words, of in passed.items():
        if rest := dict.fromkeys(each for each in of if each not in always.get(words, {})):
            always[words + PASSED] = rest
    return tuple(sorted(f"{_prefix(of)}{words}" for words, of in always.items()))


def _labels(first: Access, second: Access, labels: dict[Value, str]) -> Labels:
    if not isinstance(first, SharedAccess) or not isinstance(second, SharedAccess):
        return "", ""
    return labels.get(first.tile, INNER), labels.get(second.tile, INNER)


def _prefix(labels: Iterable[Labels]) -> str:
    """Return the memory of accesses that are the same in words: ``0, 1: ``."""
    same = _listed(first for first, second in labels if first == second)
    others = [(first, second) for first, second in labels if first != second]
    parts = [same] if same else []
    if others:
        parts.append(" then ".join(_listed(each) for each in zip(*others, strict=True)))
    return f"{', '.join(parts)}: " if parts else ""


def _listed(labels: Iterable[str]) -> str:
    return ", ".join(sorted({*labels} - {""}, key=lambda label: (len(label), label)))


def _words(barrier: Op, first: Access, second: Access) -> str:
    before = _iteration(barrier, first)
    earlier = f"{first.name}{before}," if before else first.name
    if isinstance(first, Acquired):
        earlier = f"acquire of {earlier}"
    later = f"{second.name}{_later(barrier, second, _comes_around(barrier, first))}"
    if isinstance(second, Everything) and second.name not in ("alloca", "heap_free"):
        later = f"release of {later}"
    areas = isinstance(first, SharedAccess) and isinstance(second, SharedAccess)
    same = not areas or first.tile.owner is second.tile.owner
    return f"{earlier} before {later}{'' if same else ', in the same bytes'}"


def _iteration(barrier: Op, access: Access) -> str:
    """Return where an access before a barrier is, and in which iteration, seen from there."""
    around = _comes_around(barrier, access)
    if not isinstance(access, SharedAccess | MemoryAccess):
        return _BEFORE if around else ""
    here = loop_block(barrier.parent)
    ahead = _ahead(access.block)
    if _is_copy(access) and here is not None and ahead and access.block in _blocks(here.parent_op):
        if around:
            return " for the iteration before"
        return f" for this iteration, started {counted(ahead, 'iteration')} ahead"
    if _is_outside(access.block, here):
        return " outside of the loop"
    direct = here is not None and barrier.parent is here
    iteration = (_BEFORE if direct else " of an earlier iteration") if around else ""
    if access.block is here:
        return iteration
    return f" in a loop{iteration}" if around else f" in {_place(access.block, 'an earlier loop')}"


_BEFORE = " of the iteration before"


def _later(barrier: Op, access: Access, around: bool) -> str:
    """Return where an access behind a barrier is, and for which iteration."""
    if not isinstance(access, SharedAccess | MemoryAccess):
        return ""
    here = loop_block(barrier.parent)
    ahead = _ahead(access.block)
    if access.block is here:
        return f" for {counted(ahead, 'iteration')} later" if _is_copy(access) and ahead else ""
    if _is_outside(access.block, here):
        return " outside of the loop"
    return f" in {_place(access.block, 'a loop' if around else 'a later loop')}"


def _comes_around(barrier: Op, access: Access) -> bool:
    """Whether an access is of an earlier iteration of a loop that the barrier is in."""
    if isinstance(access, SharedAccess):
        return access.around is not None and access.around.contains(barrier)
    return access.around and loop_block(barrier.parent) is not None


def _is_copy(access: SharedAccess | MemoryAccess) -> bool:
    return access.name == "copy_async"


def _is_outside(block: Block | None, here: Block | None) -> bool:
    """Whether the barrier is in a loop that is in a block of loops, and deeper."""
    return here is not None and block is not here and (block is None or block.contains(here))


def _place(block: Block | None, loop: str) -> str:
    prologue = block is not None and block is not block.parent_op.regions[0].block
    return f"the prologue of {loop}" if prologue else loop


def _ahead(block: Block | None) -> int:
    """Return how many iterations ahead the loop of a block starts copies, 0 if it does not."""
    return 0 if block is None else block.parent_op.attributes.get("ahead", 0)


def _blocks(loop: Op) -> list[Block]:
    return [region.block for region in loop.regions]
