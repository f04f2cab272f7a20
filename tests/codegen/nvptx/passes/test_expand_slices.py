"""Slices of tiles at places known at run time only, and tiles that only owners have."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.block.kernels_by_hand import BlockKernel
from tests.codegen.nvptx.passes.finished import finish, names, tile_op
from tileir.codegen.layouts.linear_layout import along, uniform
from tileir.codegen.nvptx.passes.expand_slices import exchange, tile_of

THREADS = 128


def layout_of(shape: tuple[int, ...], vector: int = 1, turned: bool = False):
    order = tuple(range(len(shape)))
    return along(shape, order[::-1] if turned else order, vector, THREADS)


SHAPES = [
    ((16, 32), (4, 32)),
    ((16, 32), (16, 2)),
    ((16, 32), (4, 8)),
    ((16, 32), (1, 1)),
    ((128, 128), (32, 64)),
    ((8, 4, 16), (2, 4, 4)),
]
"""Shapes of a tile and of a slice; one tile takes two pieces."""


@pytest.mark.parametrize(("whole", "part"), SHAPES)
@pytest.mark.parametrize("beyond", [False, True])
def test_a_slice_is_taken_out(whole: tuple[int, ...], part: tuple[int, ...], beyond: bool) -> None:
    kernel = BlockKernel("ptr<f32>", "ptr<f32>", *["i32"] * len(whole), threads=THREADS)
    given, out, *indices = kernel.parameters
    source = kernel.load(given, whole, layout_of(whole, 4))
    kind = tile_of(source.type, part, layout_of(part, 1, turned=True))
    (slice_,) = tile_op(kernel, "extract", [kind], source=source, indices=tuple(indices))
    kernel.store(out, slice_)
    finish(kernel)
    array = np.arange(np.prod(whole), dtype=np.float32).reshape(whole)
    counts = [a // b for a, b in zip(whole, part, strict=True)]
    found = np.zeros(part, np.float32)
    chosen = [count - 1 for count in counts]
    kernel.run(array, found, *(c + count * beyond for c, count in zip(chosen, counts, strict=True)))
    at = tuple(slice(c * n, (c + 1) * n) for c, n in zip(chosen, part, strict=True))
    assert (found == array[at]).all()


@pytest.mark.parametrize(("whole", "part"), [*SHAPES, ((256, 128), (128, 128))])
def test_a_slice_is_put_in(whole: tuple[int, ...], part: tuple[int, ...]) -> None:
    kernel = BlockKernel(*["ptr<i32>"] * 3, *["i32"] * len(whole), threads=THREADS)
    given, slices, out, *indices = kernel.parameters
    destination = kernel.load(given, whole, layout_of(whole, 2))
    source = kernel.load(slices, part, layout_of(part, 1, turned=True))
    (result,) = tile_op(
        kernel, "insert", [destination.type], source=source, destination=destination,
        indices=tuple(indices),
    )  # fmt: skip
    kernel.store(out, result)
    finish(kernel)
    array = np.arange(np.prod(whole), dtype=np.int32).reshape(whole)
    new = -1 - np.arange(np.prod(part), dtype=np.int32).reshape(part)
    chosen = [a // b // 2 for a, b in zip(whole, part, strict=True)]
    found = np.zeros(whole, np.int32)
    kernel.run(array, new, found, *chosen)
    expected = array.copy()
    expected[tuple(slice(c * n, (c + 1) * n) for c, n in zip(chosen, part, strict=True))] = new
    assert (found == expected).all()


def test_a_slice_is_loaded_by_vectors() -> None:
    kernel = BlockKernel("ptr<f32>", "ptr<f32>", "i32", "i32", threads=THREADS)
    given, out, *indices = kernel.parameters
    source = kernel.load(given, (32, 64), layout_of((32, 64), 4))
    kind = tile_of(source.type, (16, 64), layout_of((16, 64), 4))
    (slice_,) = tile_op(kernel, "extract", [kind], source=source, indices=tuple(indices))
    kernel.store(out, slice_)
    body = finish(kernel)
    assert names(body) == ["shared_alloc", "store_shared", "barrier", "load_slice"]
    array, found = np.arange(2048, dtype=np.float32), np.zeros(1024, np.float32)
    text = kernel.run(array, found, 1, 0)
    assert (found == array[1024:]).all()
    assert text.count("ld.shared.v4.b32") == text.count("ld.shared") == 2
    assert text.count("st.shared.v4.b32") == text.count("st.shared") == 4


@pytest.mark.parametrize("shape", [(4, 8), (8, 64), ()])
def test_all_threads_get_what_owners_have(shape: tuple[int, ...]) -> None:
    """A tile that is wrong in threads with copies is right after the exchange."""
    kernel = BlockKernel("ptr<i32>", "ptr<i32>", threads=THREADS)
    layout = layout_of(shape) if shape else uniform(THREADS)
    value = kernel.load(kernel.parameters[0], shape, layout)
    for op in exchange(value, value.owner):
        kernel.block.append(op)
    kernel.store(kernel.parameters[1], op.result)
    finish(kernel)
    array = np.arange(max(np.prod(shape, dtype=int), 1), dtype=np.int32).reshape(shape or 1)
    found = np.zeros_like(array)
    text = kernel.run(array, found)
    assert (found == array).all()
    assert ("@%p" in text.partition("st.shared")[0].splitlines()[-1]) == bool(layout.replicas)
