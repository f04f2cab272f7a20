"""Where the threads of a block have to meet: between ordered ops that share memory."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.codegen.build import TOKEN, Kernel
from tests.codegen.nvptx.compiled import compiled
from tests.codegen.nvptx.decided import decided
from tileir.attributes import DivBy
from tileir.codegen.kernel import KernelIR
from tileir.ir import Value
from tileir.types import Tile

SIZE = 256
WEAK = {"memory_ordering_semantics": "weak"}


class Builder(Kernel):
    """Memory ops with tokens."""

    def load_after(self, token: Value | None, view: Value, *index: Value) -> tuple[Value, Value]:
        kind = Tile(view.type.view.element, view.type.tile)
        return tuple(self.op("load_view_tko", view, index, token, results=[kind, TOKEN], **WEAK))

    def store_after(self, token: Value | None, value: Value, view: Value, *index: Value) -> Value:
        return self.op("store_view_tko", value, view, index, token, results=[TOKEN], **WEAK)

    def barriers(self) -> list[str]:
        """The names of the ops that wait for all threads."""
        found = decided(KernelIR.of(self.module().functions[0]), "sm_90", "place_barriers")
        return [op.name for op in found.kernel.walk() if op in found.barriers]


def start() -> tuple[Builder, Value, Value]:
    builder = Builder("k", "ptr<f32>")
    view = builder.view(builder.parameters[0], [4 * SIZE], [SIZE])
    return builder, view, builder.constant("i32", 0)


def test_in_place_elementwise_needs_none() -> None:
    builder, view, zero = start()
    tile, token = builder.load_after(None, view, zero)
    builder.store_after(token, tile, view, zero)
    assert builder.barriers() == []


def test_equal_constants_are_the_same_index() -> None:
    builder, view, zero = start()
    tile, token = builder.load_after(None, view, zero)
    builder.store_after(token, tile, view, builder.constant("i32", 0))
    assert builder.barriers() == []


def test_ops_without_token_order_need_none() -> None:
    builder, view, zero = start()
    tile, _ = builder.load_after(None, view, zero)
    other = builder.view(builder.parameters[0], [SIZE, 4], [SIZE, 1])
    column = builder.op("reshape", tile, results=[f"{SIZE}x1xf32"])
    builder.store_after(None, column, other, zero, zero)
    assert builder.barriers() == []


def test_another_view_of_ordered_memory_needs_one() -> None:
    builder, view, zero = start()
    tile, token = builder.load_after(None, view, zero)
    other = builder.view(builder.parameters[0], [SIZE, 4], [SIZE, 1])
    column = builder.op("reshape", tile, results=[f"{SIZE}x1xf32"])
    builder.store_after(token, column, other, zero, zero)
    assert builder.barriers() == ["store_view_tko"]


def test_an_index_that_may_be_another_tile_needs_one() -> None:
    builder, view, _ = start()
    x, y, _ = builder.op("get_tile_block_id", results=["i32"] * 3)
    tile, token = builder.load_after(None, view, x)
    builder.store_after(token, tile, view, y)
    assert builder.barriers() == ["store_view_tko"]


def test_different_tiles_of_a_partition_need_none() -> None:
    builder, view, zero = start()
    tile, token = builder.load_after(None, view, zero)
    builder.store_after(token, tile, view, builder.constant("i32", 1))
    assert builder.barriers() == []


def test_strides_that_may_overlap_need_one() -> None:
    builder = Builder("k", "ptr<f32>", "i32")
    pointer, stride = builder.parameters
    view = builder.view(pointer, [8, 32], [1, 32], strides=[None, 1], dynamic_strides=[stride])
    zero, one = builder.constant("i32", 0), builder.constant("i32", 1)
    tile, token = builder.load_after(None, view, zero, zero)
    builder.store_after(token, tile, view, one, zero)
    assert builder.barriers() == ["store_view_tko"]


def test_order_passes_through_joined_tokens() -> None:
    builder, view, _ = start()
    x, y, _ = builder.op("get_tile_block_id", results=["i32"] * 3)
    tile, token = builder.load_after(None, view, x)
    other = builder.op("make_token", results=[TOKEN])
    joined = builder.op("join_tokens", (other, token), results=[TOKEN])
    builder.store_after(joined, tile, view, y)
    assert builder.barriers() == ["store_view_tko"]


def test_one_barrier_serves_all_earlier_accesses() -> None:
    builder, view, zero = start()
    x, y, z = builder.op("get_tile_block_id", results=["i32"] * 3)
    first, token = builder.load_after(None, view, x)
    second, other = builder.load_after(None, view, y)
    builder.store_after(token, first, view, z)
    builder.store_after(other, second, view, zero)
    assert builder.barriers() == ["store_view_tko"]


def test_a_load_after_a_store_waits_for_it() -> None:
    builder, view, zero = start()
    x, y, _ = builder.op("get_tile_block_id", results=["i32"] * 3)
    tile, _ = builder.load_after(None, view, x)
    token = builder.store_after(None, tile, view, x)
    again, _ = builder.load_after(token, view, y)
    out = builder.view(builder.parameters[0], [SIZE], [SIZE])
    builder.store_after(None, again, out, zero)
    assert builder.barriers() == ["load_view_tko"]


@pytest.mark.parametrize(("shape", "expected"), [("", []), ("8x", ["store_ptr_tko"])])
def test_stores_through_pointers_may_collide_unless_one_thread_does_both(
    shape: str, expected: list[str]
) -> None:
    builder = Builder("k", "ptr<f32>", "f32")
    pointer, value = builder.parameters
    if shape:
        ones, wide = shape.replace("8", "1"), shape
        pointer, value = (
            builder.op(
                "broadcast", builder.op("reshape", v, results=[ones + kind]), results=[wide + kind]
            )
            for v, kind in ((pointer, "ptr<f32>"), (value, "f32"))
        )
    token = builder.op("store_ptr_tko", pointer, value, results=[TOKEN], **WEAK)
    builder.op("store_ptr_tko", pointer, value, None, token, results=[TOKEN], **WEAK)
    assert builder.barriers() == expected


def ptx_of(name: str) -> list[str]:
    """The lines of a fixture with barriers, accesses of memory, and ends."""
    steps = re.compile(r"\tbar\.|\b(ld|st|atom|red)\.(?!param)|\tret")
    return [line for line in compiled(name, "sm_90").ptx.splitlines() if steps.search(line)]


@pytest.mark.parametrize("name", ["atomic_modes", "atomic_swap", "histogram", "ordered_flags"])
def test_nobody_waits_twice_or_at_the_end(name: str) -> None:
    lines = ptx_of(name)
    after = {line.split()[0] for before, line in pairwise(lines) if "bar." in before}
    assert after
    assert not after & {"bar.sync", "ret;"}


def test_a_scalar_is_stored_by_the_same_thread_in_every_iteration() -> None:
    lines = ptx_of("loop_steps")
    assert any("st.global" in line for line in lines)
    assert not any("bar." in line for line in lines)


def test_a_fence_for_aliases_needs_one_barrier() -> None:
    assert sum("bar." in line for line in ptx_of("alias_fence")) == 1


@pytest.mark.parametrize("width", ["i8", "i32"])
def test_indices_are_unsigned_whatever_their_width(width: str) -> None:
    """The bits 0xFF of eight bits are tile 255, and so are those of 32 bits."""
    builder = Builder("k", "ptr<f32>", "ptr<f32>")
    view = builder.view(builder.parameters[0], [256 * SIZE], [SIZE])
    aligned = builder.op("assume", builder.parameters[1], results=["ptr<f32>"], predicate=DivBy(16))
    # This tile has four neighbours in a thread, that of the other view has one.
    other = builder.load(builder.view(aligned, [SIZE], [SIZE]), builder.constant("i32", 0))
    token = builder.store_after(None, other, view, builder.constant("i8", 0xFF))
    tile, token = builder.load_after(token, view, builder.constant(width, 0xFF))
    builder.store_after(token, tile, view, builder.constant("i32", 3))
    assert builder.barriers() == ["load_view_tko"]
