"""Linear layouts against brute force: every thread and register at small sizes."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from tileir.codegen.layouts.linear_layout import (
    LinearLayout,
    along,
    blocked,
    combine,
    dim_bits,
    dropped_images,
    for_scan,
    gathered_images,
    span,
    uniform,
)

SIZES = [1 << bits for bits in range(11)]
VECTORS = [1, 2, 4, 8, 16]
THREADS = [32, 64, 128]
LAYOUTS = {
    threads: [
        blocked(size, vector, threads) for size, vector in product(SIZES, VECTORS) if vector <= size
    ]
    for threads in THREADS
}


def threads_of(layout: LinearLayout) -> range:
    return range(1 << len(layout.thread))


@pytest.mark.parametrize("threads", THREADS)
def test_a_blocked_layout_gives_each_element_one_owner(threads: int, named) -> None:
    for layout in LAYOUTS[threads]:
        with named(layout):
            owners = [thread for thread in threads_of(layout) if not thread & layout.replicas]
            owned = [layout.of_thread(thread) ^ o for thread in owners for o in layout.offsets()]
            assert sorted(owned) == list(range(1 << layout.bits))
            assert layout.is_permutation


@pytest.mark.parametrize("threads", THREADS)
def test_copies_are_the_threads_that_differ_in_replica_bits(threads: int, named) -> None:
    for layout in LAYOUTS[threads]:
        with named(layout):
            for thread in threads_of(layout):
                assert layout.of_thread(thread) == layout.of_thread(thread & ~layout.replicas)


@pytest.mark.parametrize("threads", THREADS)
def test_offsets_are_the_registers_in_order(threads: int, named) -> None:
    for layout in LAYOUTS[threads]:
        with named(layout):
            for thread in (0, 1, len(threads_of(layout)) - 1):
                elements = [layout.of_thread(thread) ^ offset for offset in layout.offsets()]
                registers = range(1 << len(layout.register))
                assert elements == [layout.element(register, thread) for register in registers]
                first = layout.of_thread(thread)
                assert elements == [first + offset for offset in layout.offsets()]


def test_neighbouring_threads_take_neighbouring_vectors() -> None:
    layout = blocked(1024, 4, 128)
    assert [layout.of_thread(thread) for thread in range(128)] == list(range(0, 512, 4))
    assert layout.offsets() == [0, 1, 2, 3, 512, 513, 514, 515]


def test_a_scalar_is_everywhere() -> None:
    layout = uniform(128)
    assert layout.offsets() == [0]
    assert layout.replicas == 127


def shapes(most: int, rank: int) -> list[tuple[int, ...]]:
    return [s for s in product([1, 2, 4, 8], repeat=rank) if np.prod(s) <= most]


def check_renumbering(source: tuple[int, ...], images: list[int], numbers: np.ndarray) -> None:
    """`numbers` says which source element each result element is."""
    flat = numbers.ravel()
    assert [combine(images, element) for element in range(flat.size)] == flat.tolist()
    for vector in (1, 2):
        if vector > flat.size:
            continue
        layout = blocked(flat.size, vector, 32)
        composed = layout.compose(images)
        held = {combine(images, offset) for offset in layout.offsets()}
        assert set(composed.offsets()) == held
        for thread in threads_of(layout):
            wanted = {flat[layout.of_thread(thread) ^ offset] for offset in layout.offsets()}
            assert {composed.of_thread(thread) ^ o for o in composed.offsets()} == wanted


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_broadcast_forgets_bits(rank: int) -> None:
    for result in shapes(64, rank):
        for kept in product([True, False], repeat=rank):
            source = tuple(n if keep else 1 for n, keep in zip(result, kept, strict=True))
            numbers = np.arange(int(np.prod(source))).reshape(source)
            coordinates = [dim if keep else None for dim, keep in enumerate(kept)]
            images = gathered_images(source, result, coordinates)
            check_renumbering(source, images, np.broadcast_to(numbers, result))


@pytest.mark.parametrize("rank", [2, 3])
def test_permute_reorders_bits(rank: int) -> None:
    for source in shapes(64, rank):
        for order in permutations(range(rank)):
            numbers = np.arange(int(np.prod(source))).reshape(source)
            result = [source[dim] for dim in order]
            images = gathered_images(source, result, [order.index(dim) for dim in range(rank)])
            check_renumbering(source, images, numbers.transpose(order))


def test_composition_is_linear_for_bases_of_several_bits() -> None:
    layout = LinearLayout(3, (1, 6), (3, 0, 0, 0, 0), ())
    images = [2, 1, 4]
    composed = layout.compose(images)
    for thread, offset in product(range(2), layout.offsets()):
        element = layout.of_thread(thread) ^ offset
        assert combine(images, element) == composed.of_thread(thread) ^ combine(images, offset)
    assert not layout.is_permutation


@pytest.mark.parametrize("shape", [(64,), (8, 16), (16, 4, 2), (1, 32), (2, 128)])
def test_the_last_dimension_in_the_order_is_the_fastest(shape: tuple[int, ...]) -> None:
    for order in permutations(range(len(shape))):
        layout = along(shape, order, 2, 32)
        numbers = np.arange(int(np.prod(shape))).reshape(shape).transpose(order).ravel()
        expected = blocked(numbers.size, 2, 32)
        for thread, register in product(range(32), range(len(expected.offsets()))):
            assert layout.element(register, thread) == numbers[expected.element(register, thread)]


@pytest.mark.parametrize(
    "shape", [(64,), (1024,), (8, 16), (16, 64), (4, 8, 16), (2, 256), (256, 2)]
)
def test_a_scan_meets_registers_then_lanes_then_warps(shape: tuple[int, ...]) -> None:
    for dim, threads in product(range(len(shape)), (32, 128, 256)):
        layout = for_scan(shape, dim, threads)
        low, count = dim_bits(shape, dim)
        assert len(set(span(layout.register + layout.thread))) == 1 << layout.bits
        assert layout.is_permutation
        order = [*layout.register, *layout.lane, *layout.warp]
        along_dim = [base for base in order if base & ((1 << count) - 1 << low)]
        assert along_dim == [1 << bit for bit in range(low, low + count)]
        lanes = [bit for bit, base in enumerate(layout.lane) if base in along_dim]
        assert lanes == list(range(lanes[0], lanes[0] + len(lanes))) if lanes else True
        assert len(layout.thread) == threads.bit_length() - 1


def test_without_bits_threads_that_differed_in_them_hold_copies() -> None:
    layout = blocked(1024, 4, 128)
    kept = layout.without(0b1111)
    for thread, register in product(range(128), range(len(kept.offsets()))):
        assert not kept.element(register, thread) & 0b1111
    held = {kept.element(r, t) for r, t in product(range(len(kept.offsets())), range(128))}
    assert held == {element & ~0b1111 for element in range(1024)}


def test_widened_holds_all_that_lie_side_by_side() -> None:
    layout = blocked(64, 2, 32)
    wide = layout.widened(2)
    for thread in range(32):
        own = {layout.of_thread(thread) ^ offset for offset in layout.offsets()}
        wider = {wide.of_thread(thread) ^ offset for offset in wide.offsets()}
        assert wider == {4 * element + part for element in own for part in range(4)}


def test_dropped_bits_close_up() -> None:
    for bits, low, count in [(6, 0, 2), (6, 2, 3), (5, 4, 1), (4, 0, 4), (3, 1, 0)]:
        images = dropped_images(bits, low, count)
        for number in range(1 << bits):
            text = f"{number:0{bits}b}"
            kept = text[: bits - low - count] + text[bits - low :]
            assert combine(images, number) == int(kept or "0", 2)
