"""`cp.async.bulk.tensor`: copies of boxes of a tensor, which a tensor map describes.

In shared memory a box is dense, its innermost dimension first, but for the swizzle. With
`tile::gather4` and `tile::scatter4` a box is four rows of a matrix, each at its own coordinate.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.spaces import WINDOWS, Memory
from tileir.codegen.emulator.memory.spans import Span, contiguous
from tileir.codegen.emulator.memory.tensor_map import TensorMap
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.threads.lanes import Lanes

from .batch import batch_of
from .bulk import HINTS, MULTICASTS, REDUCTIONS, bar_at, check_aligned, each_lane, receivers
from .bulk import reduction as reduction_of
from .mbarriers import under

FOUR = 4
"""Rows of a gather or scatter."""


def _map_at(one: Lanes, statement: Statement, address: int, rank: int) -> TensorMap:
    """Return the tensor map at a generic address, which is that of a parameter."""
    found = batch_of(one).tensor_maps.get(address - WINDOWS["param"])
    if found is None:
        message = f"no parameter at {address:#x} is a tensor map"
        raise one.error("unknown", message, statement, None, address)
    if found.rank != rank:
        message = f"the tensor map has {found.rank} dimensions, the instruction {rank}"
        raise one.error("launch", message, statement, None, address)
    return found


def _coordinates(
    one: Lanes, statement: Statement, box: TensorMap, places: list[int], rows: bool
) -> list[np.ndarray]:
    """Return the coordinates of a box: from a start, or with the four `rows` given."""
    expected = 1 + FOUR if rows else box.rank
    if len(places) != expected:
        message = f"{len(places)} coordinates, expected {expected}"
        raise one.error("syntax", message, statement)
    if not rows:
        return box.coordinates(places)
    if box.rank != 2 or box.box[1] != 1:
        message = "gather4 and scatter4 take a tensor map of a matrix, with a box of one row"
        raise one.error("launch", message, statement)
    return [box.coordinates([places[0], 0])[0], np.array(places[1:], np.int64)]


def _in_global(memory: Memory, box: TensorMap, coordinates: list[np.ndarray]) -> Span:
    unit, address, inside = box.units(coordinates)
    index = np.flatnonzero(inside)
    return Span(memory, address[index], index, len(address), unit, box.filling(unit))


def _in_shared(memory: Memory, box: TensorMap, address: int, size: int) -> Span:
    span = contiguous(memory, address, size)
    span.address = box.swizzled(span.address)
    return span


def _check_shared(
    one: Lanes, statement: Statement, box: TensorMap, what: str, address: int
) -> None:
    here = np.array([address], np.uint64)
    check_aligned(one, statement, box.alignment, **{what: here})


def loading(match: re.Match[str]) -> Any:
    """A copy of a box to shared memory, which an mbarrier counts."""
    groups = match.groupdict()
    rank, rows, multicast = int(match["rank"]), bool(groups["rows"]), bool(groups.get("multi"))

    def run(
        lanes: Lanes,
        statement: Statement,
        mask: Any,
        target: Any,
        address: Any,
        places: tuple[Any, ...],
        bar: Any,
        *more: Any,
    ) -> None:
        blocks = more[0] if multicast else np.uint16(0)
        active, *operands = under(lanes, mask, target, address, bar, blocks, *places)
        batch = batch_of(active)
        shared, memory = batch.spaces["shared"], batch.spaces["global"]
        for one, to, at, barrier, ranks, *start in each_lane(active, *operands):
            box = _map_at(one, statement, at, rank)
            _check_shared(one, statement, box, "destination", to)
            coordinates = _coordinates(one, statement, box, start, rows)
            size = box.moved(coordinates)
            ends = receivers(one, statement, to, barrier, ranks if multicast else None)
            bars = [bar_at(one, statement, each) for _, each in ends]
            targets = [_in_shared(shared, box, each, size) for each, _ in ends]
            source = _in_global(memory, box, coordinates)
            convert = _to_tf32 if box.element == "tf32" else None
            batch.bulk.start(int(one.numbers[0]), statement, source, targets, bars, convert=convert)

    return run


def _to_tf32(data: np.ndarray) -> np.ndarray:
    """Round the bytes of f32 to nearest, ties to even; infinities and NaN stay as they are.

    A tie to either side, one that carries into the exponent, infinity and NaN were tried on a
    device (Triton, pull request 11751), not which bits of a NaN are kept.
    """
    bits = np.ascontiguousarray(data).view(np.uint32)
    rounded = bits + np.uint32((1 << _DROPPED - 1) - 1) + (bits >> np.uint32(_DROPPED) & 1)
    rounded &= np.uint32(-1 << _DROPPED & 0xFFFFFFFF)
    finite = bits & np.uint32(_EXPONENT) != _EXPONENT
    return np.where(finite, rounded, bits).view(np.uint8)


_DROPPED, _EXPONENT = 13, 0x7F800000
"""The bits that an f32 has more than a tf32, and those of its exponent."""


def storing(match: re.Match[str]) -> Any:
    """A copy of a box to global memory in the thread's group; perhaps with a reduction."""
    groups = match.groupdict()
    rank, rows, operation = int(match["rank"]), bool(groups["rows"]), groups.get("o")

    def run(
        lanes: Lanes,
        statement: Statement,
        mask: Any,
        address: Any,
        places: tuple[Any, ...],
        source: Any,
        policy: Any = None,
    ) -> None:
        active, *operands = under(lanes, mask, address, source, *places)
        batch = batch_of(active)
        shared, memory = batch.spaces["shared"], batch.spaces["global"]
        for one, at, start_of, *start in each_lane(active, *operands):
            box = _map_at(one, statement, at, rank)
            _check_shared(one, statement, box, "source", start_of)
            coordinates = _coordinates(one, statement, box, start, rows)
            source = _in_shared(shared, box, start_of, box.moved(coordinates))
            target = _in_global(memory, box, coordinates)
            combine = None if operation is None else _combine(operation, box)
            batch.bulk.start(int(one.numbers[0]), statement, source, [target], [], combine)

    return run


def _combine(operation: str, box: TensorMap) -> Any:
    kind = box.element
    if operation in ("and", "or", "xor"):
        kind = f"b{8 * box.size}"
    return reduction_of(operation, kind, "global")


def prefetching(match: re.Match[str]) -> Any:
    """Prefetches of a box or a tensor map, which only hint."""
    return lambda lanes, statement, mask, *operands: None


_HEAD = "cp.async.bulk.tensor.(?P<rank>[1-5])d"
_COUNTED = "mbarrier::complete_tx::bytes"
for _suffix, _operand in HINTS:
    for _multi, _mask in MULTICASTS:
        effect(
            f"{_HEAD}.shared::(cluster|cta).global(.tile(?P<rows>::gather4)?)?.{_COUNTED}{_multi}"
            f"{_suffix}",
            f"= @ # @{_mask}{_operand}",
            loading,
        )
    effect(
        f"{_HEAD}.global.shared::cta(.tile(?P<rows>::scatter4)?)?.bulk_group{_suffix}",
        f"= # @{_operand}",
        storing,
    )
    effect(
        f"cp.reduce.async.bulk.tensor.(?P<rank>[1-5])d.global.shared::cta.(?P<o>{REDUCTIONS})"
        f"(?P<rows>(?!))?(.tile)?.bulk_group{_suffix}",
        f"= # @{_operand}",
        storing,
    )
    effect(
        f"cp.async.bulk.prefetch.tensor.[1-5]d.L2.global(.tile(::gather4)?)?{_suffix}",
        f"= #{_operand}",
        prefetching,
    )
effect("prefetch(.param)?.tensormap", "= @", prefetching)
