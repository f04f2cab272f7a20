"""`mbarrier`: barriers in shared memory; and arrivals at them by `cp.async`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.generic import shared_address
from tileir.codegen.emulator.memory.phases import pending_count
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect, value
from tileir.codegen.emulator.threads.lanes import Lanes
from tileir.codegen.emulator.threads.proxies import BARRIERS

from .batch import batch_of

_OWN = "(.(?P<space>shared)(::cta)?)?"
_ANY = "(.(?P<space>shared::cluster|shared(::cta)?))?"
_RELEASE = "(.(?P<order>release|relaxed)(.(cta|cluster))?)?"
_ACQUIRE = "(.(?P<order>acquire|relaxed)(.(cta|cluster))?)?"


def under(lanes: Lanes, mask: Any, *operands: Any) -> tuple[Any, ...]:
    """Return the lanes that a guard leaves active, and operands as arrays over them."""
    active = lanes.under(mask)
    spread = [lanes.broadcast(each) for each in operands]
    if active is not lanes:
        chosen = lanes.broadcast(mask)
        spread = [each[chosen] for each in spread]
    return active, *spread


def spread(lanes: Lanes, mask: Any, results: np.ndarray) -> np.ndarray:
    """Return results of the lanes that a guard leaves active as an array over all, else zero."""
    if len(results) == lanes.count:
        return results
    out = np.zeros(lanes.count, results.dtype)
    out[lanes.broadcast(mask)] = results
    return out


def init(match: re.Match[str]) -> Any:
    """`mbarrier.init`, with the number of arrivals of each phase."""
    space = match["space"]

    def run(lanes: Lanes, statement: Statement, mask: Any, address: Any, count: Any) -> None:
        active, address, count = under(lanes, mask, address, count)
        if active.count:
            address = shared_address(active, statement, address, space)
            batch_of(active).mbarriers.init(active, statement, address, count)

    return run


def inval(match: re.Match[str]) -> Any:
    """`mbarrier.inval`, after which the memory may be used for anything else."""
    space = match["space"]

    def run(lanes: Lanes, statement: Statement, mask: Any, address: Any) -> None:
        active, address = under(lanes, mask, address)
        if active.count:
            address = shared_address(active, statement, address, space)
            batch_of(active).mbarriers.inval(active, statement, address)

    return run


def arrive(match: re.Match[str]) -> Any:
    """`mbarrier.arrive` and `arrive_drop`: the operand is a count, or bytes that are expected."""
    groups = match.groupdict()
    space, releases = groups["space"], groups.get("order") != "relaxed"
    drops, expects = groups["o"] == "arrive_drop", bool(groups.get("tx"))
    completes = not groups.get("partial")

    def run(
        lanes: Lanes, statement: Statement, mask: Any, address: Any, number: Any
    ) -> tuple[np.ndarray]:
        number = np.uint32(1) if number is None else number
        active, address, number = under(lanes, mask, address, number)
        if not active.count:
            return (np.zeros(lanes.count, np.uint64),)
        states = batch_of(active).mbarriers.arrive(
            active,
            statement,
            shared_address(active, statement, address, space),
            1 if expects else number,
            bytes_expected=number if expects else 0,
            drops=drops,
            completes=completes,
            releases=releases,
        )
        return (spread(lanes, mask, states),)

    return run


def transfer(match: re.Match[str]) -> Any:
    """`mbarrier.expect_tx` and `complete_tx`: bytes to come, and bytes that have come."""
    space, sign = match["space"], 1 if match["o"] == "expect" else -1

    def run(lanes: Lanes, statement: Statement, mask: Any, address: Any, number: Any) -> None:
        active, address, number = under(lanes, mask, address, number)
        if active.count:
            address = shared_address(active, statement, address, space)
            more = sign * number.astype(np.int64)
            batch_of(active).mbarriers.transfer(active, statement, address, more)

    return run


def asking(match: re.Match[str]) -> Any:
    """`mbarrier.try_wait`, its first half: threads wait whose phase is not complete."""
    space, parity = match["space"], bool(match.groupdict().get("parity"))

    def run(
        lanes: Lanes, statement: Statement, mask: Any, address: Any, phase: Any, limit: Any
    ) -> None:
        active, address, phase = under(lanes, mask, address, phase)
        if active.count:
            address = shared_address(active, statement, address, space)
            batch_of(active).mbarriers.ask(active, statement, address, phase, parity)

    return run


def testing(match: re.Match[str]) -> Any:
    """`mbarrier.test_wait`, and the second half of `try_wait`: whether a phase is complete."""
    space, parity = match["space"], bool(match.groupdict().get("parity"))
    acquires = match["order"] != "relaxed"

    def run(
        lanes: Lanes, statement: Statement, mask: Any, address: Any, phase: Any, limit: Any = None
    ) -> tuple[np.ndarray]:
        active, address, phase = under(lanes, mask, address, phase)
        if not active.count:
            return (np.zeros(lanes.count, bool),)
        address = shared_address(active, statement, address, space)
        found = batch_of(active).mbarriers.test(active, statement, address, phase, parity, acquires)
        return (spread(lanes, mask, found),)

    return run


def copied(match: re.Match[str]) -> Any:
    """`cp.async.mbarrier.arrive`: an arrival when the thread's copies so far are there."""
    space, counts = match["space"], bool(match["noinc"])

    def run(lanes: Lanes, statement: Statement, mask: Any, address: Any) -> None:
        active, address = under(lanes, mask, address)
        if active.count:
            address = shared_address(active, statement, address, space)
            batch_of(active).copies.arrive(active, statement, address, counts)

    return run


def fence(match: re.Match[str]) -> Any:
    """`fence.mbarrier_init`: others, and the asynchronous proxy, see what `init` has made."""

    def run(lanes: Lanes, statement: Statement, mask: Any) -> None:
        active = lanes.under(mask)
        if active.count:
            batch_of(active).cluster_barriers.promise(active)
            batch_of(active).async_proxy.fence_only(active, (BARRIERS,))

    return run


effect(f"mbarrier.init{_OWN}.b64", "= @ u32", init)
effect(f"mbarrier.inval{_OWN}.b64", "= @", inval)
_head = "mbarrier.(?P<o>arrive|arrive_drop)"
effect(f"{_head}{_RELEASE}{_ANY}.b64", "b64 = @ u32?", arrive)
effect(f"{_head}(?P<tx>.expect_tx){_RELEASE}{_ANY}.b64", "b64 = @ u32", arrive)
effect(f"{_head}(?P<partial>.noComplete)(.release.cta)?{_OWN}.b64", "b64 = @ u32", arrive)
effect(
    f"mbarrier.(?P<o>expect|complete)_tx(.relaxed.(cta|cluster))?{_ANY}.b64", "= @ u32", transfer
)
for _parity, _phase in (("(?P<parity>.parity)", "u32"), ("", "b64")):
    effect(
        f"mbarrier.try_wait{_parity}{_ACQUIRE}{_OWN}.b64.ask",
        f"= @ {_phase} u32?",
        asking,
        ends_block=True,
    )
    _head = f"mbarrier.try_wait{_parity}{_ACQUIRE}{_OWN}.b64.take"
    effect(_head, f"pred = @ {_phase} u32?", testing)
    _head = f"mbarrier.test_wait{_parity}{_ACQUIRE}{_OWN}.b64"
    effect(_head, f"pred = @ {_phase}", testing)
effect(f"cp.async.mbarrier.arrive(?P<noinc>.noinc)?{_OWN}.b64", "= @", copied)
value("mbarrier.pending_count.b64", "u32 = b64", lambda match: lambda state: pending_count(state))
effect("fence.mbarrier_init.release.cluster", "=", fence)
