"""Where the threads of a block have to meet: between ordered ops that share memory."""

from __future__ import annotations

import pytest

from tests.codegen.build import TOKEN, Kernel
from tileir.attributes import DivBy
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.types import Frag
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import blocked
from tileir.codegen.nvptx.passes.memory.place_barriers import place_barriers
from tileir.ir import Body, Op, Value
from tileir.types import Tile

SIZE, THREADS = 256, 128
WEAK = {"memory_ordering_semantics": "weak"}


class Builder(Kernel):
    """Memory ops with tokens."""

    def load_after(self, token: Value | None, view: Value, *index: Value) -> tuple[Value, Value]:
        kind = Tile(view.type.view.element, view.type.tile)
        return tuple(self.op("load_view_tko", view, index, token, results=[kind, TOKEN], **WEAK))

    def store_after(self, token: Value | None, value: Value, view: Value, *index: Value) -> Value:
        return self.op("store_view_tko", value, view, index, token, results=[TOKEN], **WEAK)

    def placed(self, vectors: dict[Value, int] | None = None) -> Body:
        """The body with barriers; tiles have one element after the other in each thread."""
        kernel = KernelIR.of(self.module().functions[0])
        facts = kernel.facts(Divisibility)
        for op in kernel.walk():
            for value in op.results:
                if isinstance(value.type, Tile) and value.type.size > 1:
                    layout = blocked(value.type.size, (vectors or {}).get(value, 1), THREADS)
                    value.type = Frag(value.type.element, value.type.shape, layout=layout)
        place_barriers(kernel.body, facts, 1 << 16)
        return kernel.body

    def barriers(self, vectors: dict[Value, int] | None = None) -> list[str]:
        """The names of the ops behind barriers."""
        return [_behind(op).name for op in self.placed(vectors).walk() if op.name == "barrier"]


def _behind(barrier: Op) -> Op:
    return barrier.parent.ops[barrier.index + 1]


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


@pytest.mark.parametrize("ordered", [False, True])
def test_another_view_of_ordered_memory_needs_one(ordered: bool) -> None:
    builder, view, zero = start()
    tile, token = builder.load_after(None, view, zero)
    other = builder.view(builder.parameters[0], [SIZE, 4], [SIZE, 1])
    column = builder.op("reshape", tile, results=[f"{SIZE}x1xf32"])
    builder.store_after(token if ordered else None, column, other, zero, zero)
    assert builder.barriers() == ["store_view_tko"] * ordered


def test_an_index_that_may_be_another_tile_needs_one() -> None:
    builder, view, _ = start()
    x, y, _ = builder.op("get_tile_block_id", results=["i32"] * 3)
    tile, token = builder.load_after(None, view, x)
    builder.store_after(token, tile, view, y)
    body = builder.placed()
    (barrier,) = [op for op in body.walk() if op.name == "barrier"]
    assert barrier.attributes["pairs"] == ("load_view_tko before store_view_tko",)
    assert barrier.operands["memory"] == (token,)


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


@pytest.mark.parametrize("width", ["i8", "i32"])
def test_indices_are_unsigned_whatever_their_width(width: str) -> None:
    """The bits 0xFF of eight bits are tile 255, and so are those of 32 bits."""
    builder = Builder("k", "ptr<f32>", "ptr<f32>")
    view = builder.view(builder.parameters[0], [256 * SIZE], [SIZE])
    aligned = builder.op("assume", builder.parameters[1], results=["ptr<f32>"], predicate=DivBy(16))
    other = builder.load(builder.view(aligned, [SIZE], [SIZE]), builder.constant("i32", 0))
    token = builder.store_after(None, other, view, builder.constant("i8", 0xFF))
    tile, token = builder.load_after(token, view, builder.constant(width, 0xFF))
    builder.store_after(token, tile, view, builder.constant("i32", 3))
    assert builder.barriers({other: 4}) == ["load_view_tko"]


STORE = {"memory_scope": "device", "memory_ordering_semantics": "release"}
LOAD = {"memory_scope": "device", "memory_ordering_semantics": "acquire"}


def test_what_all_threads_have_done_is_released() -> None:
    builder, view, zero = start()
    tile, _ = builder.load_after(None, view, zero)
    builder.store_after(None, tile, view, zero)
    flag, one = builder.parameters[0], builder.constant("f32", 0)
    builder.op("store_ptr_tko", flag, one, results=[TOKEN], **STORE)
    body = builder.placed()
    (barrier,) = [op for op in body.walk() if op.name == "barrier"]
    assert _behind(barrier).name == "store_ptr_tko"
    assert barrier.attributes["pairs"] == (
        "load_view_tko before release of store_ptr_tko",
        "store_view_tko before release of store_ptr_tko",
    )


def test_nothing_before_a_release_needs_no_barrier() -> None:
    builder, _, _ = start()
    flag, one = builder.parameters[0], builder.constant("f32", 0)
    builder.op("store_ptr_tko", flag, one, results=[TOKEN], **STORE)
    assert builder.barriers() == []


@pytest.mark.parametrize("wanted", [False, True])
@pytest.mark.parametrize("more", [False, True])
def test_all_threads_acquire_before_the_next_access(more: bool, wanted: bool) -> None:
    builder, view, zero = start()
    flag = builder.parameters[0]
    seen, _ = builder.op("load_ptr_tko", flag, results=["f32", TOKEN], **LOAD)
    if wanted:
        builder.op("addf", seen, seen, results=["f32"])
    if more:
        tile, _ = builder.load_after(None, view, zero)
        builder.store_after(None, tile, view, zero)
    body = builder.placed()
    found = [op for op in body.walk() if op.name == "barrier"]
    assert [_behind(op).name for op in found] == ["load_view_tko"] * more
    for op in found:
        assert op.attributes["pairs"] == (
            "acquire of load_ptr_tko before load_view_tko",
            "acquire of load_ptr_tko before store_view_tko",
        )
