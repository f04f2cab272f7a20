"""Layout conversions: every element arrives, by as few copies and barriers as can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.block.kernels_by_hand import BlockKernel, frag
from tests.codegen.build import tile
from tests.codegen.nvptx.emit.test_shared_memory import DTYPES, layouts, numbers
from tests.codegen.nvptx.passes.finished import ROOM, finish, names
from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, along, blocked, combine
from tileir.codegen.nvptx.passes.choose_copies import PIECE_BYTES, offsets_between
from tileir.ir import Body

THREADS = 64


def converted(
    kind: str, source: LinearLayout, target: LinearLayout, room: int = ROOM, threads: int = THREADS
) -> tuple[Body, str]:
    """Convert an array from one layout to another; return the expanded body, and the PTX."""
    kernel = BlockKernel(f"ptr<{kind}>", f"ptr<{kind}>", threads=threads)
    value = kernel.load(kernel.parameters[0], (1 << source.bits,), source)
    wanted = frag(f"{1 << source.bits}x{kind}", target)
    kernel.store(kernel.parameters[1], kernel.op("convert_layout", [wanted], source=value))
    body = finish(kernel, room)
    array = numbers(kind, source.bits)
    found = np.zeros_like(array)
    text = kernel.run(array, found)
    assert (found == array).all()
    return body, text


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(sorted(DTYPES)), st.integers(1, 8))
def test_every_element_arrives(data: st.DataObject, kind: str, bits: int) -> None:
    converted(kind, data.draw(layouts(bits)), data.draw(layouts(bits)))


def test_registers_of_the_same_thread_are_renamed() -> None:
    source = LinearLayout(8, (1, 2), (4, 8, 16, 32, 64), (128,))
    body, text = converted("i32", source, LinearLayout(8, (2, 1), source.lane, source.warp))
    assert names(body) == ["convert_layout"]
    assert "shfl" not in text
    assert "shared" not in text


def test_threads_select_among_their_registers() -> None:
    source = LinearLayout(6, (1,), (2, 4, 8, 16, 32), (0,))
    body, text = converted("i32", source, LinearLayout(6, (), source.lane, (1,)))
    assert names(body) == ["convert_layout"]
    assert "selp" in text
    assert "shared" not in text


def test_lanes_shuffle_where_few_shuffles_suffice() -> None:
    source = LinearLayout(6, (1,), (2, 4, 8, 16, 32), (0,))
    target = LinearLayout(6, (32,), (2, 4, 8, 16, 1), (0,))
    body, text = converted("i32", source, target)
    assert names(body) == ["convert_layout"]
    assert text.count("shfl") == 4
    assert "shared" not in text


def test_more_shuffles_go_through_shared_memory() -> None:
    source = LinearLayout(8, (1, 2, 4), (8, 16, 32, 64, 128), (0,))
    target = LinearLayout(8, (128, 2, 4), (8, 16, 32, 64, 1), (0,))
    body, text = converted("i32", source, target)
    assert names(body) == ["shared_alloc", "store_shared", "barrier", "load_shared"]
    assert "shfl" not in text


def test_what_is_stored_is_selected_before() -> None:
    """Threads with copies keep a half each, so that all of them store."""
    source = LinearLayout(8, (1, 2, 4), (8, 16, 32, 64, 128), (0,))
    target = LinearLayout(8, (8, 16, 2), (32, 64, 128, 4, 0), (1,))
    body, _ = converted("i32", source, target)
    stored = next(op for op in body.walk() if op.name == "store_shared")
    assert stored.operands["value"].type.layout.warp == (1,)


@pytest.mark.parametrize("room", [48 << 10, 96 << 10])
def test_a_large_tile_is_converted_in_pieces(room: int) -> None:
    bits = 16
    source, target = along((256, 256), (0, 1), 4, 256), along((256, 256), (1, 0), 4, 256)
    body, _ = converted("i16", source, target, room, 256)
    allocated = next(op for op in body.walk() if op.name == "shared_alloc")
    pieces = (2 << bits) // PIECE_BYTES
    assert allocated.result.type.bytes == PIECE_BYTES
    assert names(body).count("load_shared") == pieces
    assert names(body).count("barrier") == 2 * pieces - 1


def test_larger_pieces_are_taken_before_there_are_too_many() -> None:
    source, target = along((256, 256), (0, 1), 4, 256), along((256, 256), (1, 0), 4, 256)
    kernel = BlockKernel("ptr<f32>", threads=256)
    value = kernel.load(kernel.parameters[0], (256, 256), source)
    wanted = frag("256x256xf32", target)
    kernel.store(kernel.parameters[0], kernel.op("convert_layout", [wanted], source=value))
    body = finish(kernel, 96 << 10)
    allocated = next(op for op in body.walk() if op.name == "shared_alloc")
    assert allocated.result.type.bytes == 2 * PIECE_BYTES


def neighbours(kernel: BlockKernel, between: bool) -> list[str]:
    """Convert two tiles, the second one of what depends on the first if `between`; the ops."""
    source, target = blocked(512, 4, THREADS), blocked(512, 1, THREADS)
    wanted = frag("512xi32", target)
    one, two = (kernel.load(base, (512,), source) for base in kernel.parameters)
    first = kernel.op("convert_layout", [wanted], source=one)
    if between:
        two = kernel.op(
            "convert_layout", [frag("512xi32", source)], source=kernel.add(first, first)
        )
    second = kernel.op("convert_layout", [wanted], source=kernel.add(two, two))
    kernel.store(kernel.parameters[0], first)
    kernel.store(kernel.parameters[1], second)
    return names(finish(kernel))


def test_neighbours_have_one_barrier() -> None:
    kernel = BlockKernel("ptr<i32>", "ptr<i32>", threads=THREADS)
    assert neighbours(kernel, False) == [
        "shared_alloc", "store_shared", "shared_alloc", "store_shared", "barrier",
        "load_shared", "load_shared",
    ]  # fmt: skip
    arrays = [np.arange(512, dtype=np.int32), np.arange(512, dtype=np.int32)[::-1].copy()]
    expected = [arrays[0].copy(), 2 * arrays[1]]
    kernel.run(*arrays)
    assert all((one == two).all() for one, two in zip(arrays, expected, strict=True))


def test_what_depends_on_a_conversion_is_converted_behind_it() -> None:
    kernel = BlockKernel("ptr<i32>", "ptr<i32>", threads=THREADS)
    assert neighbours(kernel, True) == [
        *["shared_alloc", "store_shared", "barrier", "load_shared"],
        *["shared_alloc", "barrier", "store_shared", "barrier", "load_shared"],
        *["shared_alloc", "barrier", "store_shared", "barrier", "load_shared"],
    ]
    arrays = [np.arange(512, dtype=np.int32) for _ in range(2)]
    expected = [arrays[0].copy(), 4 * arrays[0]]
    kernel.run(*arrays)
    assert all((one == two).all() for one, two in zip(arrays, expected, strict=True))


def test_sums_of_warps_lie_side_by_side() -> None:
    """Rows in lanes and registers, warps along them."""
    source = LinearLayout(6, (4,), (8, 16, 32, 0, 0), (1, 2))
    target = LinearLayout(6, (1, 2, 4), source.lane, (0, 0))
    assert offsets_between(source, target, 4) == (1, 2, 4, 8, 16, 32)


def conflicts(kind: Shared, layout: LinearLayout, size: int, vector: int) -> int:
    """The most words of one bank that the lanes of a warp ask for at once."""
    width, worst = size * vector, 1
    together = 32 * 4 // max(width, 4)
    for first in range(0, 32, together):
        banks: dict[int, set[int]] = {}
        for lane in range(first, first + together):
            start = combine(kind.offsets, layout.of_thread(lane)) * size
            for word in range(start // 4, -(-(start + width) // 4)):
                banks.setdefault(word % 32, set()).add(word)
        worst = max(worst, *(len(words) for words in banks.values()))
    return worst


def test_a_transpose_has_no_bank_conflicts() -> None:
    source, target = along((64, 64), (0, 1), 4, 128), along((64, 64), (1, 0), 4, 128)
    offsets = offsets_between(source, target, 4)
    kind = Shared(tile("f32").element, (64, 64), offsets)
    assert conflicts(kind, source, 4, 1) == 1
    assert conflicts(kind, target, 4, 4) == 1
