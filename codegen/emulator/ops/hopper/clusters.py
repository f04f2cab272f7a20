"""Clusters: their barrier, and addresses in the shared memory of their blocks; `setmaxnreg`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.generic import shared_address
from tileir.codegen.emulator.memory.spaces import CLUSTER_STEP, WINDOWS
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.threads.lanes import Lanes
from tileir.codegen.emulator.threads.warp import WholeWarps

from .batch import batch_of
from .mbarriers import spread, under


def arriving(match: re.Match[str]) -> Any:
    """`barrier.cluster.arrive`."""
    aligned, releases = bool(match["aligned"]), match["order"] != "relaxed"

    def run(lanes: Lanes, statement: Statement, mask: Any) -> None:
        active = lanes.under(mask)
        if active.count:
            if aligned:
                batch_of(active).barriers.check_whole_warps(active, statement)
            batch_of(active).cluster_barriers.arrive(active, statement, releases)

    return run


def waiting(match: re.Match[str]) -> Any:
    """`barrier.cluster.wait`."""
    aligned = bool(match["aligned"])

    def run(lanes: Lanes, statement: Statement, mask: Any) -> None:
        active = lanes.under(mask)
        if active.count:
            if aligned:
                batch_of(active).barriers.check_whole_warps(active, statement)
            batch_of(active).cluster_barriers.wait(active, statement)

    return run


def mapping(match: re.Match[str]) -> Any:
    """`mapa`: the address in another block of the cluster that an address is in its own."""
    space, width = match.groupdict().get("space"), np.dtype(f"u{int(match['t'][1:]) // 8}")
    start = np.uint64(0 if space else WINDOWS["shared"])

    def run(
        lanes: Lanes, statement: Statement, mask: Any, address: Any, rank: Any
    ) -> tuple[np.ndarray]:
        active, address, rank = under(lanes, mask, address, rank)
        blocks = int(np.prod(batch_of(lanes).cluster))
        wrong = rank >= blocks
        if wrong.any():
            message = f"block {int(rank[wrong][0])} of a cluster of {blocks}"
            raise active.error("bounds", message, statement, wrong)
        place = shared_address(active, statement, address.astype(np.uint64), space)
        within = place & np.uint64(CLUSTER_STEP - 1)
        found = within + (rank.astype(np.uint64) + np.uint64(1)) * np.uint64(CLUSTER_STEP)
        return (spread(lanes, mask, (found + start).astype(width)),)

    return run


def ranking(match: re.Match[str]) -> Any:
    """`getctarank`: the rank of the block in whose shared memory an address is."""
    space = match.groupdict().get("space")

    def run(lanes: Lanes, statement: Statement, mask: Any, address: Any) -> tuple[np.ndarray]:
        own = lanes.special("%cluster_ctarank")
        active, address, own = under(lanes, mask, address, own)
        place = shared_address(active, statement, address.astype(np.uint64), space)
        rank = (place // np.uint64(CLUSTER_STEP)).astype(np.uint32)
        return (spread(lanes, mask, np.where(rank, rank - 1, own).astype(np.uint32)),)

    return run


def registers(match: re.Match[str]) -> Any:
    """`setmaxnreg`, which whole warps execute."""
    more = match["o"] == "inc"

    def run(lanes: Lanes, statement: Statement, mask: Any, number: str) -> None:
        WholeWarps(lanes, statement, mask)
        active = lanes.under(mask)
        if active.count:
            batch_of(active).registers_of_warps.set(active, statement, int(number, 0), more)

    return run


_ALIGNED = "(?P<aligned>.aligned)?"
effect(
    f"barrier.cluster.arrive(.(?P<order>release|relaxed))?{_ALIGNED}",
    "=",
    arriving,
    ends_block=True,
)
effect(f"barrier.cluster.wait(.acquire)?{_ALIGNED}", "=", waiting, ends_block=True)
for _space in ("(.(?P<space>shared::cluster))", ""):
    effect(f"mapa{_space}.(?P<t>u32|u64)", "t = t u32", mapping)
    effect(f"getctarank{_space}.(?P<t>u32|u64)", "u32 = t", ranking)
effect(
    "setmaxnreg.(?P<o>inc|dec).sync.aligned.u32", "= $", registers, aligned=True, ends_block=True
)
