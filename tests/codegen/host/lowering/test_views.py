"""Views of every kind against index arithmetic in Python's integers, which never overflow."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.build import Kernel, Tile, tensor, tile
from tileir.codegen import compile
from tileir.errors import UnsupportedError
from tileir.types import GatherScatterView, PartitionView, StridedView

DTYPES = {
    "i1": np.dtype(bool), "i8": np.dtype("i1"), "i32": np.dtype("i4"), "f16": np.dtype("f2"),
    "f64": np.dtype("f8"), "f4E2M1FN": np.dtype("u1"),
}  # fmt: skip

MAKERS = {
    "partition": "make_partition_view",
    "strided": "make_strided_view",
    "gather": "make_gather_scatter_view",
}


def packed(nibbles: np.ndarray) -> np.ndarray:
    """Two elements a byte, the even one low."""
    return nibbles[::2] | nibbles[1::2] << 4


def unpacked(data: np.ndarray) -> np.ndarray:
    return np.stack([data & 15, data >> 4], axis=1).reshape(-1)


@dataclass
class Case:
    """A view and the index of a tile. `places` are the sparse indices of a gather/scatter view."""

    kind: str
    element: str
    shape: list[int]
    strides: list[int]
    tile: list[int]
    dim_map: tuple[int, ...]
    steps: list[int]
    index: list[int]
    index_type: str
    sparse: int = 0
    places: tuple[int, ...] = ()
    dynamic: bool = False
    ordering: tuple[str, str] = ("weak", "weak")

    @property
    def view(self) -> object:
        shape = [None if self.dynamic else n for n in self.shape]
        strides = [None if self.dynamic and s > 1 else s for s in self.strides]
        whole, cut = tensor(self.element, shape, strides), tuple(self.tile)
        if self.kind == "partition":
            return PartitionView(cut, whole, self.dim_map, "zero")
        if self.kind == "strided":
            return StridedView(cut, tuple(self.steps), whole, self.dim_map, "zero")
        return GatherScatterView(cut, whole, self.sparse, "zero")

    def offsets(self) -> np.ndarray:
        """Where each element of the tile is, in elements; -1 outside the tensor."""
        bits = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}[self.index_type]
        found = np.full(self.tile, -1, np.int64)
        for place in np.ndindex(*self.tile):
            offset, inside = 0, True
            for d, e in enumerate(place):
                number = self.index[d] % (1 << bits)
                at = number * self.steps[d] + e
                if self.kind == "gather":
                    at = self.places[e] % (1 << 32) if d == self.sparse else number + e
                dimension = d if self.kind == "gather" else self.dim_map[d]
                inside &= at < self.shape[dimension]
                offset += at * self.strides[dimension]
            if inside:
                found[place] = offset
        return found

    def run(self, memory: np.ndarray, stored: np.ndarray) -> np.ndarray:
        """Load the tile of `memory`, then store another one there. Element arrays are flat."""
        kernel = Kernel(
            "move", *[f"ptr<{self.element}>"] * 3, "ptr<i32>", *[self.index_type] * len(self.tile)
        )
        base, source, target, where, *numbers = kernel.parameters
        filled = self.view.view
        shape, strides = (
            tuple(
                kernel.constant("i64", size)
                for size, static in zip(sizes, statics, strict=True)
                if static is None
            )
            for sizes, statics in ((self.shape, filled.shape), (self.strides, filled.strides))
        )
        whole = kernel.op("make_tensor_view", base, shape, strides, results=[filled])
        view = kernel.op(MAKERS[self.kind], whole, results=[self.view])
        index = numbers
        if self.kind == "gather":
            count = self.tile[self.sparse]
            index[self.sparse] = kernel.load(kernel.view(where, [count], [count]), *kernel.zeros(1))
        scopes = [None if order == "weak" else "device" for order in self.ordering]
        kind = Tile(filled.element, tuple(self.tile))
        flat = [kernel.view(pointer, [kind.size], [kind.size]) for pointer in (source, target)]
        loaded, _ = kernel.op(
            "load_view_tko", view, tuple(index), results=[kind, "token"],
            memory_ordering_semantics=self.ordering[0], memory_scope=scopes[0],
        )  # fmt: skip
        row = kernel.op("reshape", loaded, results=[Tile(kind.element, (kind.size,))])
        kernel.store(row, flat[1], *kernel.zeros(1))
        given = kernel.op("reshape", kernel.load(flat[0], *kernel.zeros(1)), results=[kind])
        kernel.op(
            "store_view_tko", given, view, tuple(index), results=["token"],
            memory_ordering_semantics=self.ordering[1], memory_scope=scopes[1],
        )  # fmt: skip
        compiled = compile(kernel.module())["move"]
        out = np.ones(prod(self.tile), memory.dtype)
        places = np.array([p % (1 << 32) for p in self.places] or [0], np.uint32)
        arrays = [memory, stored, out]
        if self.element == "f4E2M1FN":
            arrays = [packed(array) for array in arrays]
        compiled.launch(1, [*arrays, places, *self.index])
        if self.element == "f4E2M1FN":
            memory[:], _, out = (unpacked(array) for array in arrays)
        return out

    def check(self) -> None:
        random = np.random.default_rng(5)
        dtype, size = DTYPES[self.element], prod(self.tile)
        top = 2 if self.element == "i1" else 16 if self.element == "f4E2M1FN" else 100
        extent = 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))
        memory = random.integers(0, top, extent + 1 & ~1).astype(dtype)
        stored = random.integers(0, top, size).astype(dtype)
        offsets = self.offsets().reshape(-1)
        inside = offsets >= 0
        loaded = np.where(inside, memory[offsets], dtype.type(0))
        after = memory.copy()
        after[offsets[inside]] = stored[inside]
        found = self.run(memory, stored)
        np.testing.assert_array_equal(found, loaded)
        np.testing.assert_array_equal(memory, after)


@st.composite
def cases(draw) -> Case:
    element = draw(st.sampled_from(list(DTYPES)))
    rank = draw(st.integers(1, 4))
    shape = draw(st.lists(st.integers(1, 9), min_size=rank, max_size=rank))
    is_packed = element == "f4E2M1FN"
    strides, below = [0] * rank, 1 if is_packed else draw(st.integers(1, 2))
    layout = draw(st.permutations(range(rank)))
    for d in layout:
        strides[d] = below
        below = max(2, below * (shape[d] + draw(st.integers(0, 1))))
    cut = draw(st.lists(st.sampled_from([1, 2, 4, 8]), min_size=rank, max_size=rank))
    if is_packed and prod(cut) == 1:
        cut[-1] = 2
    kinds = ["partition", "strided"] if is_packed and rank == 1 else list(MAKERS)
    kind = draw(st.sampled_from(kinds))
    order = tuple(draw(st.permutations(range(rank))))
    steps, sparse, places = cut, 0, ()
    if kind == "strided":
        steps = draw(st.lists(st.integers(1, 9), min_size=rank, max_size=rank))
    numbers = st.integers(0, 3) | st.sampled_from([-1, 1 << 62, 1 << 63, (1 << 61) + 1])
    index_type = draw(st.sampled_from(["i8", "i16", "i32", "i64"]))
    limit = 1 << int(index_type[1:])
    index = [draw(numbers) for _ in range(rank)]
    index = [number if -limit // 2 <= number < limit else number % 5 for number in index]
    if kind == "gather":
        sparse = draw(st.sampled_from(layout[1:] if is_packed else layout))
        possible = st.permutations([*range(10), -1, 1 << 31])
        places = tuple(draw(possible)[: cut[sparse]])
    ordering = draw(st.sampled_from([("weak", "weak"), ("acquire", "release")]))
    return Case(
        kind, element, shape, strides, cut, order, steps, index, index_type, sparse, places,
        draw(st.booleans()), ordering,
    )  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(cases())
def test_tiles_are_where_the_index_says(case: Case) -> None:
    case.check()


@pytest.mark.parametrize("kind", ["partition", "strided", "gather"])
def test_rank_eight(kind: str) -> None:
    cut = [2, 1, 1, 2, 1, 2, 1, 1]
    shape = [3, 2, 1, 3, 2, 3, 1, 2]
    strides = [prod(shape[d + 1 :]) for d in range(8)]
    order = (1, 0, 2, 4, 3, 5, 7, 6)
    index = [1, 1, 0, 1, 1, 1, 0, 0]
    Case(
        kind, "i32", shape, strides, cut, order, [3] * 8 if kind == "strided" else cut, index,
        "i32", 3, (2, 0),
    ).check()  # fmt: skip


@pytest.mark.parametrize("step", [2, 16, 1 << 20])
def test_a_product_that_wraps_is_outside(step: int) -> None:
    number = (1 << 64) // step
    Case("strided", "i32", [40], [1], [4], (0,), [step], [number], "i64").check()


@pytest.mark.parametrize(
    ("kind", "steps", "expected"),
    [
        ("partition", None, [6, 4]),
        ("strided", [3, 5], [32, 6]),
        ("strided", [1, 200], [96, 1]),
        ("gather", None, [28, 96]),
    ],
)
@pytest.mark.parametrize("dynamic", [False, True])
def test_index_space(kind: str, steps, expected: list[int], dynamic: bool) -> None:
    """Extents of 28 and 96; what a gather/scatter view has was measured on NVIDIA's compiler."""
    kernel = Kernel("spaces", "ptr<f32>", "ptr<i64>", "i32", "i32")
    base, out, *sizes = kernel.parameters
    whole = tensor("f32", [None, None] if dynamic else [28, 96], [96, 1])
    view = kernel.op("make_tensor_view", base, tuple(sizes) if dynamic else (), (), results=[whole])
    kinds = {
        "partition": lambda: PartitionView((16, 8), whole, (1, 0)),
        "strided": lambda: StridedView((4, 8), tuple(steps), whole, (1, 0)),
        "gather": lambda: GatherScatterView((16, 8), whole, 0),
    }
    cut = kernel.op(MAKERS[kind], view, results=[kinds[kind]()])
    counts = kernel.op("get_index_space_shape", cut, results=["i64", "i64"])
    for place, count in enumerate(counts):
        kernel.store(
            kernel.op("reshape", count, results=["1xi64"]), kernel.view(out, [2], [1]),
            kernel.constant("i32", place),
        )  # fmt: skip
    found = np.zeros(2, np.int64)
    compile(kernel.module())["spaces"].launch(1, [np.zeros(1, "f4"), found, 28, 96])
    assert found.tolist() == expected


SMALL = {
    "f8E4M3FN": (ml_dtypes.float8_e4m3fn, {"zero": 0.0, "neg_zero": -0.0, "nan": np.nan}),
    "f8E8M0FNU": (ml_dtypes.float8_e8m0fnu, {"zero": 2.0**-127, "nan": np.nan}),
    "f4E2M1FN": (ml_dtypes.float4_e2m1fn, {"zero": 0.0, "neg_zero": -0.0}),
}


@pytest.mark.parametrize("element", SMALL)
@pytest.mark.parametrize("padding", ["zero", "neg_zero", "nan", "pos_inf", "neg_inf"])
def test_padding_of_small_floats(element: str, padding: str) -> None:
    """NVIDIA's compiler gives f8E8M0FNU, which has no zero, the byte 0; it has no other ones."""
    dtype, values = SMALL[element]
    kernel = Kernel("pad", f"ptr<{element}>", f"ptr<{element}>")
    source, target = kernel.parameters
    loaded = kernel.load(kernel.view(source, [3], [4], padding=padding), *kernel.zeros(1))
    kernel.store(loaded, kernel.view(target, [4], [4]), *kernel.zeros(1))
    if padding not in values:
        with pytest.raises(UnsupportedError, match=f"no value for the padding {padding}"):
            compile(kernel.module())
        return
    expected = np.array([1, 2, 4, values[padding]]).astype(dtype)
    given, bits = expected.copy().view(np.uint8), expected.view(np.uint8)
    given[3:] = 1
    if element == "f4E2M1FN":
        given, bits = packed(given), packed(bits)
    found = np.zeros_like(bits)
    compile(kernel.module())["pad"].launch(1, [given, found])
    assert (found == bits).all()


def test_neighbouring_tiles_meet_within_a_byte() -> None:
    """Rows of an odd length, one block a row, on several threads: each nibble has one writer."""
    rows, columns = 257, 31
    kernel = Kernel("copy", "ptr<f4E2M1FN>", "ptr<f4E2M1FN>")
    source, target = kernel.parameters
    row, _, _ = kernel.op("get_tile_block_id", results=["i32"] * 3)
    views = [kernel.view(base, [rows, columns], [1, 32]) for base in (source, target)]
    zero = kernel.zeros(1)
    kernel.store(kernel.load(views[0], row, *zero), views[1], row, *zero)
    data = np.random.default_rng(3).integers(0, 256, rows * columns // 2 + 1).astype(np.uint8)
    data[-1] &= 15
    compiled = compile(kernel.module())["copy"]
    for _ in range(20):
        found = np.full_like(data, 0xFF)
        compiled.launch(rows, [data, found], threads=4)
        found[-1] &= 15
        assert (found == data).all()


def test_rank_zero_tensors_have_no_extents() -> None:
    kernel = Kernel("scalar", "ptr<f32>")
    (base,) = kernel.parameters
    whole = kernel.op("make_tensor_view", base, (), (), results=[tensor("f32", [], [])])
    assert kernel.op("get_tensor_shape", whole, results=[]) == []
    compile(kernel.module())["scalar"].launch(1, [np.zeros(1, np.float32)])


def test_sparse_indices_may_be_computed() -> None:
    """out = table[(7 * k) % 32], rows in reverse; and back to where they came from, doubled."""
    kernel = Kernel("pick", "ptr<i32>", "ptr<i32>")
    table, out = kernel.parameters
    whole = kernel.op("make_tensor_view", table, (), (), results=[tensor("i32", [32, 8], [8, 1])])
    view = kernel.op(
        "make_gather_scatter_view", whole, results=[GatherScatterView((32, 8), whole.type, 0)]
    )
    seven, last = kernel.constant("32xi32", 7), kernel.constant("32xi32", 31)
    rows = kernel.op("muli", kernel.op("iota", results=["32xi32"]), seven, results=["32xi32"])
    rows = kernel.op("andi", rows, last, results=["32xi32"])
    zero = kernel.zeros(1)[0]
    loaded = kernel.load(view, rows, zero)
    kernel.store(loaded, kernel.view(out, [32, 8], [32, 8]), zero, zero)
    doubled = kernel.op("addi", loaded, loaded, results=[tile("32x8xi32")])
    kernel.store(doubled, view, rows, zero)
    data = np.arange(256, dtype=np.int32).reshape(32, 8)
    given, found = data.copy(), np.zeros((32, 8), np.int32)
    compile(kernel.module())["pick"].launch(1, [given, found])
    assert (found == data[7 * np.arange(32) % 32]).all()
    assert (given == 2 * data).all()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("pitch", [6, 7])
@pytest.mark.parametrize("cut", [(4, 1), (2, 4), (4, 8), (1, 2)])
def test_packed_tiles(kind: str, pitch: int, cut: tuple[int, int]) -> None:
    """Columns, rows that start within a byte, whole bytes, and tiles that cross the edge."""
    for place in range(4):
        Case(
            kind, "f4E2M1FN", [5, 6], [pitch, 1], list(cut), (0, 1),
            [2, 1] if kind == "strided" else list(cut), [place // 2, place], "i32", 0, (3, 0, 9, 2),
        ).check()  # fmt: skip
