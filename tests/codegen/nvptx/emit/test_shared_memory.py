"""Tiles in shared memory: every element arrives, whatever the layouts, offsets and parts."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.block.kernels_by_hand import BlockKernel, frag
from tests.codegen.build import tile
from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, blocked
from tileir.codegen.layouts.swizzle import swizzle

THREADS = 64
THREAD_BITS = 6
DTYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f32": np.float32, "i64": np.int64}


@st.composite
def layouts(draw: st.DrawFn, bits: int) -> LinearLayout:
    """Layouts in which every base is a bit of its own: any order, with copies in threads."""
    order = draw(st.permutations([1 << bit for bit in range(bits)]))
    used = draw(st.integers(0, min(bits, THREAD_BITS)))
    threads = draw(st.permutations([*order[:used], *[0] * (THREAD_BITS - used)]))
    return LinearLayout(bits, tuple(order[used:]), tuple(threads[:5]), tuple(threads[5:]))


@st.composite
def mixed_offsets(draw: st.DrawFn, bits: int) -> tuple[int, ...]:
    """Offsets that keep elements apart: a triangle matrix with ones on its diagonal, its rows in
    any order."""
    rows = [(1 << bit) | draw(st.integers(0, (1 << bit) - 1)) for bit in range(bits)]
    return tuple(draw(st.permutations(rows)))


def numbers(kind: str, bits: int) -> np.ndarray:
    return np.random.default_rng(3).integers(-100, 100, 1 << bits).astype(DTYPES[kind])


def barrier(kernel: BlockKernel) -> None:
    kernel.op("barrier", attributes={"pairs": ()})


def moved(
    kind: str,
    source: LinearLayout,
    target: LinearLayout,
    offsets: tuple[int, ...],
    parts: tuple = (),
) -> str:
    """Store an array from one layout and load it in another, part by part; return the PTX."""
    kernel = BlockKernel(f"ptr<{kind}>", f"ptr<{kind}>", threads=THREADS)
    given_, out = kernel.parameters
    shape = (1 << source.bits,)
    value = kernel.load(given_, shape, source)
    memory = kernel.allocate(Shared(tile(kind).element, shape, offsets))
    wanted, rest = frag(f"{shape[0]}x{kind}", target), None
    for number, part in enumerate(parts or (None,)):
        if number:
            barrier(kernel)
        kernel.op("store_shared", value=value, destination=memory, attributes={"part": part})
        barrier(kernel)
        rest = kernel.op(
            "load_shared", [wanted], source=memory, rest=rest, attributes={"part": part}
        )
    kernel.store(out, rest)
    array = numbers(kind, source.bits)
    found = np.zeros_like(array)
    text = kernel.run(array, found)
    assert (found == array).all()
    return text


@settings(max_examples=25, deadline=None)
@given(st.data(), st.sampled_from(sorted(DTYPES)), st.integers(3, 8))
def test_every_element_arrives(data: st.DataObject, kind: str, bits: int) -> None:
    source, target = data.draw(layouts(bits)), data.draw(layouts(bits))
    moved(kind, source, target, data.draw(mixed_offsets(bits)))


@settings(max_examples=15, deadline=None)
@given(st.data(), st.sampled_from(sorted(DTYPES)), st.integers(3, 8))
def test_every_element_of_every_part_arrives(data: st.DataObject, kind: str, bits: int) -> None:
    source, target = data.draw(layouts(bits)), data.draw(layouts(bits))
    cut = data.draw(st.sets(st.integers(0, bits - 1), min_size=1, max_size=2))
    rows = iter(data.draw(mixed_offsets(bits - len(cut))))
    offsets = tuple(0 if bit in cut else next(rows) for bit in range(bits))
    first, *others = sorted(cut)
    parts = [0, 1 << first]
    for bit in others:
        parts += [part | 1 << bit for part in parts]
    moved(kind, source, target, offsets, tuple(parts))


@pytest.mark.parametrize(("kind", "size"), [("i8", 1), ("i16", 2), ("f32", 4), ("i64", 8)])
def test_swizzled_tiles_are_stored_and_loaded_by_vectors(kind: str, size: int) -> None:
    source, target = blocked(1024, 4, THREADS), blocked(1024, 8, THREADS)
    found = swizzle(source, target, size)
    text = moved(kind, source, target, found.images)
    registers = len(source.offsets())
    assert text.count("st.shared") == registers >> len(found.written)
    assert text.count("ld.shared") == registers >> len(found.read)


def test_one_thread_stores_a_scalar() -> None:
    kernel = BlockKernel("ptr<f32>", "ptr<f32>", threads=THREADS)
    one = kernel.load(kernel.parameters[0], (), blocked(1, 1, THREADS))
    memory = kernel.allocate(Shared(one.type.element, (), ()))
    kernel.op("store_shared", value=one, destination=memory)
    barrier(kernel)
    kernel.store(kernel.parameters[1], kernel.op("load_shared", [one.type], source=memory))
    given_, found = np.array([2.5], np.float32), np.zeros(1, np.float32)
    kernel.run(given_, found)
    assert found == given_


@pytest.mark.parametrize(
    ("narrow", "wide"), [("f8E4M3FN", "f16"), ("f8E5M2", "f16"), ("f16", "f32")]
)
def test_wider_elements_in_memory_are_the_same_numbers(narrow: str, wide: str) -> None:
    dtype = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
    layout = blocked(256, 4, THREADS)
    kernel = BlockKernel(f"ptr<{narrow}>", f"ptr<{wide}>", threads=THREADS)
    value = kernel.load(kernel.parameters[0], (256,), layout)
    memory = kernel.allocate(Shared(tile(wide).element, (256,), tuple(1 << b for b in range(8))))
    kernel.op("store_shared", value=value, destination=memory)
    barrier(kernel)
    loaded = kernel.op("load_shared", [frag(f"256x{wide}", layout)], source=memory)
    kernel.store(kernel.parameters[1], loaded)
    array = np.arange(256, dtype=np.uint8) if narrow != "f16" else np.linspace(-9, 9, 256)
    array = array.view(dtype[narrow]) if narrow in dtype else array.astype(np.float16)
    found = np.zeros(256, np.float16 if wide == "f16" else np.float32)
    kernel.run(array, found)
    np.testing.assert_array_equal(found, array.astype(found.dtype))
