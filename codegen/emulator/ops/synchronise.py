"""Barriers of blocks and warps, fences, and `trap`."""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.spaces import Memory
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Lanes
from tileir.codegen.emulator.threads.scopes import CTA, SCOPES

from .hopper.batch import batch_of

_SCOPES = "(?P<scope>cta|cluster|gpu|sys|gl)"
FENCES = -1
"""The offset, of no memory, of a location that all fences of kind `sc` update."""


def barrier(match: re.Match[str]) -> Any:
    """`bar.sync` and `bar.arrive`, which does not wait; `bar` without `barrier` is aligned."""
    groups = match.groupdict()
    aligned = groups["n"] == "bar" or groups["aligned"] is not None
    waits = groups["v"] == "sync"

    def run(lanes: Lanes, statement: Statement, mask: Any, number: Any, count: Any) -> None:
        _arrive(lanes, mask, statement, number, count, aligned, waits)

    return run


def _arrive(
    lanes: Lanes, mask: Any, statement: Statement, *operands: Any, flag: Any = None
) -> None:
    """Let the lanes that the guard leaves active arrive at a barrier."""
    active = lanes.under(mask)
    if active is not lanes:
        chosen = lanes.broadcast(mask)
        operands = tuple(each[chosen] if np.ndim(each) else each for each in operands)
        flag = flag[chosen] if np.ndim(flag) else flag
    if active.count:
        number, count, aligned, *waits = operands
        active.batch.barriers.arrive(active, statement, number, count, aligned, *waits, flag=flag)


def reducing(match: re.Match[str]) -> Any:
    """`bar.red`, first half: arrival at a barrier that counts the predicates that are set."""
    aligned = match["n"] == "bar" or match["aligned"] is not None

    def run(lanes: Lanes, statement: Statement, mask: Any, number: Any, *more: Any) -> None:
        *count, flag = more
        count = count[0] if count else None
        _arrive(lanes, mask, statement, number, count, aligned, flag=flag)

    return run


_VERDICTS = {
    "popc": lambda counted, members: counted.astype(np.uint32),
    "and": lambda counted, members: counted == members,
    "or": lambda counted, members: counted > 0,
}


def taking(match: re.Match[str]) -> Any:
    """`bar.red`, second half: the result, once the barrier is complete."""
    verdict = _VERDICTS[match["o"]]

    def run(lanes: Lanes, statement: Statement, mask: Any) -> tuple[Any]:
        barriers = lanes.batch.barriers
        return (verdict(barriers.counted[lanes.numbers], barriers.members[lanes.numbers]),)

    return run


def warp_barrier(match: re.Match[str]) -> Any:
    """`bar.warp.sync`: lanes with one mask, which have converged already, order their accesses."""

    def run(lanes: Lanes, statement: Statement, mask: Any, members: Any) -> None:
        numbers = lanes.broadcast(members)
        active = lanes.under(mask)
        if active is not lanes:
            numbers = numbers[lanes.broadcast(mask)]
        active.batch.barriers.synchronize_warps(active, numbers)

    return run


def stop(match: re.Match[str]) -> Any:
    """`trap` ends the kernel with an error."""

    def run(lanes: Lanes, statement: Statement, mask: Any) -> None:
        active = lanes.under(mask)
        if active.count:
            raise active.error("trap", "the kernel ended itself", statement)

    return run


def fence(match: re.Match[str]) -> Any:
    """`fence` and `membar`; those of kind `sc` are ordered, as updates of one location are."""
    scope, kind = SCOPES[match["scope"]], match.groupdict().get("kind") or "acq_rel"
    total = match["n"] == "membar" or kind == "sc"
    access = Access(
        1,
        writes=True,
        reads=True,
        scope=scope,
        acquires=kind != "release",
        releases=kind != "acquire",
    )

    def run(lanes: Lanes, statement: Statement, mask: Any) -> None:
        active = lanes.under(mask)
        memory = lanes.batch.spaces["global"]
        shadow = memory.shadow if isinstance(memory, Memory) else None
        if not active.count or shadow is None:
            return
        if access.releases and scope != CTA and prod(lanes.batch.cluster) > 1:
            batch_of(lanes).cluster_barriers.promise(active)
        if total and shadow.releases is not None:
            shadow.releases.access(active, np.full(active.count, FENCES), access)
        lanes.batch.clocks.fence(active.numbers, scope, access.acquires, access.releases)

    return run


def proxy_fence(match: re.Match[str]) -> Any:
    """`fence.proxy.async`: the asynchronous proxy sees what the lanes have written."""
    suffix = match["space"] or ""

    def run(lanes: Lanes, statement: Statement, mask: Any) -> None:
        active = lanes.under(mask)
        if active.count:
            lanes.batch.async_proxy.fence(active, suffix)

    return run


def nothing(match: re.Match[str]) -> Any:
    """Fences of other proxies, and what else has no effect."""
    return lambda lanes, statement, mask, *operands: None


effect(
    "(?P<n>bar|barrier)(.cta)?.(?P<v>sync|arrive)(?P<aligned>.aligned)?",
    "= u32 u32?",
    barrier,
    ends_block=True,
)
for _operations, _kind in (("popc", "u32"), ("and|or", "pred")):
    _head = f"(?P<n>bar|barrier)(.cta)?.red.(?P<o>{_operations})(?P<aligned>.aligned)?.{_kind}"
    effect(f"{_head}.counted.arrive", "= u32 u32 pred", reducing, ends_block=True)
    effect(f"{_head}.arrive", "= u32 pred", reducing, ends_block=True)
    effect(f"{_head}.take", f"{_kind} =", taking)
effect("bar.warp.sync", "= u32", warp_barrier, needs_warp=True)
effect("trap|brkpt", "=", stop, ends_block=True)
effect(f"(?P<n>membar).{_SCOPES}", "=", fence)
effect(
    f"(?P<n>fence)(.(?P<kind>sc|acq_rel|acquire|release))?(.sync_restrict::\\S+)?.{_SCOPES}",
    "=",
    fence,
)
effect("fence.proxy.async(?P<space>.global|.shared::cta|.shared::cluster)?", "=", proxy_fence)
effect(r"fence.proxy.(alias|tensormap|async::generic)\S*", "= $? $?", nothing)
effect(r"griddepcontrol.(wait|launch_dependents)", "=", nothing)
effect("nanosleep.u32", "= u32", nothing)
