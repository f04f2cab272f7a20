"""Barriers of a block and of a warp, fences, and the end of a kernel that fails."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.scopes import SCOPES

_SCOPES = "(?P<scope>cta|cluster|gpu|sys|gl)"
FENCES = -1
"""No place in memory, but one that all fences of the kind `sc` update."""


def barrier(match: re.Match[str]) -> Any:
    """`bar` is aligned: all threads of a warp come at once. `arrive` does not wait."""
    groups = match.groupdict()
    aligned = groups["n"] == "bar" or groups["aligned"] is not None
    waits = groups["v"] == "sync"

    def run(lanes: Any, statement: Any, mask: Any, number: Any, count: Any) -> None:
        _arrive(lanes, mask, statement, number, count, aligned, waits)

    return run


def _arrive(lanes: Any, mask: Any, statement: Any, *operands: Any, flag: Any = None) -> None:
    """A guard may leave only some of the lanes, for which the operands have values."""
    active = lanes.under(mask)
    if active is not lanes:
        chosen = lanes.spread(mask)
        operands = tuple(each[chosen] if np.ndim(each) else each for each in operands)
        flag = flag[chosen] if np.ndim(flag) else flag
    if active.count:
        number, count, aligned, *waits = operands
        active.batch.barriers.arrive(active, statement, number, count, aligned, *waits, flag=flag)


def reducing(match: re.Match[str]) -> Any:
    """A barrier that counts the lanes whose predicate is set."""
    aligned = match["n"] == "bar" or match["aligned"] is not None

    def run(lanes: Any, statement: Any, mask: Any, number: Any, *more: Any) -> None:
        count, flag = more if len(more) > 1 else (None, more[0])
        _arrive(lanes, mask, statement, number, count, aligned, flag=flag)

    return run


_VERDICTS = {
    "popc": lambda counted, members: counted.astype(np.uint32),
    "and": lambda counted, members: counted == members,
    "or": lambda counted, members: counted > 0,
}


def taking(match: re.Match[str]) -> Any:
    """What the barrier found, after it opened."""
    verdict = _VERDICTS[match["o"]]

    def run(lanes: Any, statement: Any, mask: Any) -> tuple[Any]:
        barriers = lanes.batch.barriers
        return (verdict(barriers.counted[lanes.numbers], barriers.members[lanes.numbers]),)

    return run


def warp_barrier(match: re.Match[str]) -> Any:
    """The lanes of the mask are here already; they know of each other's accesses."""

    def run(lanes: Any, statement: Any, mask: Any, members: Any) -> None:
        numbers = lanes.spread(members)
        active = lanes.under(mask)
        if active is not lanes:
            numbers = numbers[lanes.spread(mask)]
        active.batch.barriers.meet_in_warps(active, numbers)

    return run


def stop(match: re.Match[str]) -> Any:
    """`trap` ends the kernel with an error."""

    def run(lanes: Any, statement: Any, mask: Any) -> None:
        active = lanes.under(mask)
        if active.count:
            raise active.error("trap", "the kernel ended itself", statement)

    return run


def fence(match: re.Match[str]) -> Any:
    """Those called `sc` come one after the other, as updates of one place do."""
    scope, kind = SCOPES[match["scope"]], match.groupdict().get("kind") or "acq_rel"
    total = match["n"] == "membar" or kind == "sc"
    access = Access(
        1, writes=True, reads=True, scope=scope, acquires=kind != "release",
        releases=kind != "acquire",
    )  # fmt: skip

    def run(lanes: Any, statement: Any, mask: Any) -> None:
        active = lanes.under(mask)
        shadow = lanes.batch.spaces["global"].shadow
        if not active.count or shadow is None:
            return
        if total:
            shadow.releases.access(active, np.full(active.count, FENCES), access)
        lanes.batch.clocks.fence(active.numbers, scope, access.acquires, access.releases)

    return run


def nothing(match: re.Match[str]) -> Any:
    """Memory is the same for all lanes at all times."""
    return lambda lanes, statement, mask, *operands: None


effect("(?P<n>bar|barrier)(.cta)?.(?P<v>sync|arrive)(?P<aligned>.aligned)?", "= u32 u32?", barrier,
       ends_block=True)  # fmt: skip
for _operations, _kind in (("popc", "u32"), ("and|or", "pred")):
    _head = f"(?P<n>bar|barrier)(.cta)?.red.(?P<o>{_operations})(?P<aligned>.aligned)?.{_kind}"
    effect(f"{_head}.counted.arrive", "= u32 u32 pred", reducing, ends_block=True)
    effect(f"{_head}.arrive", "= u32 pred", reducing, ends_block=True)
    effect(f"{_head}.take", f"{_kind} =", taking)
effect("bar.warp.sync", "= u32", warp_barrier, needs_warp=True)
effect("trap|brkpt", "=", stop, ends_block=True)
effect(f"(?P<n>membar).{_SCOPES}", "=", fence)
effect(f"(?P<n>fence)(.(?P<kind>sc|acq_rel|acquire|release))?(.sync_restrict::\\S+)?.{_SCOPES}",
       "=", fence)  # fmt: skip
effect(r"fence.proxy.\S+", "= $?", nothing)
effect(r"griddepcontrol.(wait|launch_dependents)", "=", nothing)
effect("nanosleep.u32", "= u32", nothing)
