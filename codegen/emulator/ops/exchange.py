"""Exchanges within a warp: `shfl`, `vote`, `match`, `redux`, `elect`, `activemask`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.ptx.types import dtype
from tileir.codegen.emulator.threads.lanes import Lanes
from tileir.codegen.emulator.threads.warp import Exchange, active_bits

_SOURCES: dict[str, Callable[..., tuple[Any, Any]]] = {
    # mode: lane, b, highest, lowest, segment mask -> source lane, whether it is in range
    "up": lambda lane, b, high, low, segment: (lane - b, lane - b >= high),
    "down": lambda lane, b, high, low, segment: (lane + b, lane + b <= high),
    "bfly": lambda lane, b, high, low, segment: (lane ^ b, (lane ^ b) <= high),
    "idx": lambda lane, b, high, low, segment: (
        low | (b & ~segment),
        (low | (b & ~segment)) <= high,
    ),
}


def shuffle(match: re.Match[str]) -> Any:
    """`shfl.sync`: the value of another lane, or of the same lane if that is out of range."""
    source_of, both = _SOURCES[match["mode"]], bool(match["both"])

    def run(
        lanes: Lanes, statement: Statement, mask: Any, a: Any, b: Any, c: Any, members: Any
    ) -> tuple[Any, ...]:
        exchange = Exchange(lanes, statement, mask, members)
        lane = exchange.lane
        b, c = (lanes.broadcast(each).astype(np.int64) for each in (b, c))
        segment, clamp = c >> 8 & 31, c & 31
        low, high = lane & segment, (lane & segment) | (clamp & ~segment)
        source, inside = source_of(lane, b & 31, high, low, segment)
        fetched = exchange.fetch(a, np.where(inside, source, lane))
        return (fetched, inside) if both else (fetched,)

    return run


def vote(match: re.Match[str]) -> Any:
    """`vote.sync`: all, any and uni give a predicate, ballot a mask."""
    verdicts = {
        "all": lambda bits, everyone: bits == everyone,
        "any": lambda bits, everyone: bits != 0,
        "uni": lambda bits, everyone: (bits == everyone) | (bits == 0),
        "ballot": lambda bits, everyone: bits.astype(np.uint32),
    }
    verdict = verdicts[match["mode"]]

    def run(lanes: Lanes, statement: Statement, mask: Any, flag: Any, members: Any) -> tuple[Any]:
        exchange = Exchange(lanes, statement, mask, members)
        return (verdict(exchange.bits(flag), exchange.everyone()),)

    return run


def matching(match: re.Match[str]) -> Any:
    """`match.sync`; any: the members with the same value; all: all members, if all values agree."""
    every, both = match["mode"] == "all", bool(match["both"])

    def run(lanes: Lanes, statement: Statement, mask: Any, a: Any, members: Any) -> tuple[Any, ...]:
        exchange = Exchange(lanes, statement, mask, members)
        values = exchange.everywhere(lanes.broadcast(a), a.dtype.type(0))[exchange.warp]
        same = values == lanes.broadcast(a)[:, None]
        bits = same.astype(np.int64) @ (np.int64(1) << np.arange(32)) & exchange.everyone()
        if not every:
            return (bits.astype(np.uint32),)
        agree = bits == exchange.everyone()
        members_mask = np.where(agree, bits, 0).astype(np.uint32)
        return (members_mask, agree) if both else (members_mask,)

    return run


_COMBINE: dict[str, tuple[Callable[..., Any], Callable[[np.dtype], Any]]] = {
    "add": (np.add.reduce, lambda kind: 0),
    "and": (np.bitwise_and.reduce, lambda kind: ~kind.type(0)),
    "or": (np.bitwise_or.reduce, lambda kind: 0),
    "xor": (np.bitwise_xor.reduce, lambda kind: 0),
    "min": (np.minimum.reduce, lambda kind: np.iinfo(kind).max),
    "max": (np.maximum.reduce, lambda kind: np.iinfo(kind).min),
}


def reduction(match: re.Match[str]) -> Any:
    """`redux.sync`: every member gets the combination of all their values."""
    kind = dtype(match["t"])
    combine, neutral = _COMBINE[match["o"]]

    def run(lanes: Lanes, statement: Statement, mask: Any, a: Any, members: Any) -> tuple[Any]:
        exchange = Exchange(lanes, statement, mask, members)
        # NumPy would add words in a longer type.
        reduce = combine if match["o"] != "add" else lambda x, axis: combine(x, axis, kind)
        return (exchange.reduced(a, reduce, neutral(kind)),)

    return run


def elect(match: re.Match[str]) -> Any:
    """`elect.sync`: the lowest member leads."""

    def run(lanes: Lanes, statement: Statement, mask: Any, members: Any) -> tuple[Any, Any]:
        exchange = Exchange(lanes, statement, mask, members)
        everyone = exchange.everyone()
        leader = np.bitwise_count(np.bitwise_and(everyone, -everyone) - 1).astype(np.uint32)
        return leader, exchange.lane == leader

    return run


def active(match: re.Match[str]) -> Any:
    """`activemask`."""
    return lambda lanes, statement, mask: (active_bits(lanes).astype(np.uint32),)


for _both, _more in (("", ""), (".both", " pred")):
    effect(
        f"shfl.sync.(?P<mode>up|down|bfly|idx).b32(?P<both>{_both})",
        f"b32{_more} = b32 u32 u32 u32",
        shuffle,
        needs_warp=True,
    )
    effect(
        f"match.(?P<mode>all|any).sync.<t:bits>(?P<both>{_both})",
        f"u32{_more} = t u32",
        matching,
        needs_warp=True,
    )
effect("vote.sync.(?P<mode>all|any|uni).pred", "pred = pred u32", vote, needs_warp=True)
effect("vote.sync.(?P<mode>ballot).b32", "u32 = pred u32", vote, needs_warp=True)
effect("redux.sync.(?P<o>add|min|max).(?P<t>[su]32)", "t = t u32", reduction, needs_warp=True)
effect("redux.sync.(?P<o>and|or|xor).(?P<t>b32)", "t = t u32", reduction, needs_warp=True)
effect("elect.sync.both", "u32 pred = u32", elect, needs_warp=True)
effect("activemask.b32", "u32 =", active)
