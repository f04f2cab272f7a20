"""`cp.async.bulk` and `cp.reduce.async.bulk`: copies of bytes in a row, and groups of copies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.bulk import Combine
from tileir.codegen.emulator.memory.mbarriers import BY_COPY
from tileir.codegen.emulator.memory.phases import Mbarrier
from tileir.codegen.emulator.memory.spaces import CLUSTER_STEP
from tileir.codegen.emulator.memory.spans import contiguous
from tileir.codegen.emulator.ops.atomics import change
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.ptx.types import dtype
from tileir.codegen.emulator.threads.lanes import Lanes

from .batch import batch_of
from .mbarriers import under

UNIT = 16
"""Bytes; addresses and sizes of bulk copies are multiples."""
HINTS = (("", ""), (".L2::cache_hint", " b64"))
"""Suffixes of the opcode for a cache policy, and its operand."""
MULTICASTS = (("", ""), ("(?P<multi>.multicast::cluster)", " u16"))
"""Suffixes of the opcode for a mask of blocks, and its operand."""
REDUCTIONS = "add|min|max|inc|dec|and|or|xor"


def check_aligned(
    lanes: Lanes, statement: Statement, multiple: int, **operands: np.ndarray
) -> None:
    """EmulationError unless operands, given by what they are, are multiples of a number."""
    for what, number in operands.items():
        wrong = number % np.asarray(multiple, number.dtype) != 0
        if wrong.any():
            first = int(number[wrong][0])
            named = what.replace("_", " ")
            message = f"the {named} of a bulk copy, {first:#x}, is no multiple of {multiple}"
            raise lanes.error("alignment", message, statement, wrong, first)


def each_lane(active: Lanes, *operands: np.ndarray) -> Iterator[tuple[Any, ...]]:
    """Yield for each lane itself as `Lanes`, and its operands as integers."""
    for index, lane in enumerate(active.numbers.tolist()):
        one = Lanes(active.batch, np.array([lane]))
        yield one, *(int(each[index]) for each in operands)


def bar_at(one: Lanes, statement: Statement, address: int) -> Mbarrier:
    """Return the mbarrier at an address of `shared::cluster`."""
    here = np.array([address], np.uint64)
    ((bar, _),) = batch_of(one).mbarriers.find(one, statement, here, BY_COPY)
    return bar


def receivers(
    one: Lanes, statement: Statement, target: int, bar: int, mask: int | None
) -> list[tuple[int, int]]:
    """Return destination and mbarrier in each block that a mask of a multicast names."""
    if mask is None:
        return [(target, bar)]
    blocks = int(np.prod(batch_of(one).cluster))
    if not mask or mask >> blocks:
        message = f"a multicast to the blocks {mask:#x} of a cluster of {blocks}"
        raise one.error("bounds", message, statement)
    within = CLUSTER_STEP - 1
    return [
        ((rank + 1) * CLUSTER_STEP | target & within, (rank + 1) * CLUSTER_STEP | bar & within)
        for rank in range(blocks)
        if mask >> rank & 1
    ]


def reduction(operation: str, kind: str, space: str) -> Combine:
    """Return the function from old and new bytes to those of a reduction."""
    function, number = change(operation, kind, space), dtype(kind)

    def combine(old: np.ndarray, new: np.ndarray) -> np.ndarray:
        numbers = (np.ascontiguousarray(each).ravel().view(number) for each in (old, new))
        found = np.asarray(function(*numbers)).astype(number, copy=False)
        return np.ascontiguousarray(found).view(np.uint8)

    return combine


def loading(match: re.Match[str]) -> Any:
    """A copy to shared memory, which an mbarrier counts; perhaps with a reduction."""
    groups = match.groupdict()
    source_space, multicast = groups["source"].partition("::")[0], bool(groups.get("multi"))
    combine = reduction(groups["o"], groups["t"], "shared") if groups.get("o") else None

    def run(
        lanes: Lanes,
        statement: Statement,
        mask: Any,
        target: Any,
        source: Any,
        size: Any,
        bar: Any,
        *more: Any,
    ) -> None:
        blocks = more[0] if multicast else np.uint16(0)
        active, *operands = under(lanes, mask, target, source, size, bar, blocks)
        target, source, size, *_ = operands
        check_aligned(active, statement, UNIT, destination=target, source=source, size=size)
        batch = batch_of(active)
        for one, to, at, count, barrier, ranks in each_lane(active, *operands):
            places = receivers(one, statement, to, barrier, ranks if multicast else None)
            bars = [bar_at(one, statement, each) for _, each in places]
            shared = batch.spaces["shared"]
            batch.bulk.start(
                int(one.numbers[0]),
                statement,
                contiguous(batch.spaces[source_space], at, count),
                [contiguous(shared, each, count) for each, _ in places],
                bars,
                combine,
            )

    return run


def storing(match: re.Match[str]) -> Any:
    """A copy from shared to global memory in the thread's group; perhaps with a reduction."""
    groups = match.groupdict()
    combine = reduction(groups["o"], groups["t"], "global") if groups.get("o") else None

    def run(
        lanes: Lanes,
        statement: Statement,
        mask: Any,
        target: Any,
        source: Any,
        size: Any,
        policy: Any = None,
    ) -> None:
        active, *operands = under(lanes, mask, target, source, size)
        target, source, size = operands
        check_aligned(active, statement, UNIT, destination=target, source=source, size=size)
        spaces = batch_of(active).spaces
        for one, to, at, count in each_lane(active, *operands):
            start = contiguous(spaces["shared"], at, count)
            end = contiguous(spaces["global"], to, count)
            batch_of(active).bulk.start(int(one.numbers[0]), statement, start, [end], [], combine)

    return run


def prefetching(match: re.Match[str]) -> Any:
    """`cp.async.bulk.prefetch`, which only hints."""

    def run(
        lanes: Lanes, statement: Statement, mask: Any, source: Any, size: Any, policy: Any = None
    ) -> None:
        active, source, size = under(lanes, mask, source, size)
        check_aligned(active, statement, UNIT, source=source, size=size)

    return run


def commit(match: re.Match[str]) -> Any:
    """`cp.async.bulk.commit_group`; the group may be empty."""
    return lambda lanes, statement, mask: batch_of(lanes).bulk.commit(lanes.under(mask))


def wait(match: re.Match[str]) -> Any:
    """`cp.async.bulk.wait_group`; with `.read` only until the sources are read."""
    reads_only = bool(match["read"])

    def run(lanes: Lanes, statement: Statement, mask: Any, newest: str) -> None:
        batch_of(lanes).bulk.wait(lanes.under(mask), statement, int(newest, 0), reads_only)

    return run


_COUNTED = "mbarrier::complete_tx::bytes"
_TYPES = "f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64"
_REDUCTION = f".(?P<o>{REDUCTIONS})(.noftz)?.(?P<t>{_TYPES})"
for _suffix, _operand in HINTS:
    for _multi, _mask in MULTICASTS:
        effect(
            f"cp.async.bulk.shared::(cluster|cta).(?P<source>global).{_COUNTED}{_multi}{_suffix}",
            f"= @ @ u32 @{_mask}{_operand}",
            loading,
        )
    effect(f"cp.async.bulk.global.shared::cta.bulk_group{_suffix}", f"= @ @ u32{_operand}", storing)
    effect(
        f"cp.reduce.async.bulk.global.shared::cta.bulk_group{_suffix}{_REDUCTION}",
        f"= @ @ u32{_operand}",
        storing,
    )
    effect(f"cp.async.bulk.prefetch.L2.global{_suffix}", f"= @ u32{_operand}", prefetching)
_head = f"shared::cluster.(?P<source>shared::cta).{_COUNTED}"
effect(f"cp.async.bulk.{_head}", "= @ @ u32 @", loading)
effect(f"cp.reduce.async.bulk.{_head}{_REDUCTION}", "= @ @ u32 @", loading)
effect("cp.async.bulk.commit_group", "=", commit)
effect("cp.async.bulk.wait_group(?P<read>.read)?", "= $", wait)
