"""Tiles by themselves: shapes, views, masks, and what is read before it is overwritten."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.build import Kernel, tile
from tests.codegen.host.decided import workspace
from tileir.codegen import compile
from tileir.codegen.host.planning.fusion import MAX_RECOMPUTED
from tileir.codegen.kernel import KernelIR

NEAREST = {"rounding_mode": "nearest_even", "flush_to_zero": False}


def run(kernel: Kernel, *args: object, grid: object = 1) -> None:
    compile(kernel.module())[kernel.name].launch(grid, args)


def buffers(kernel: Kernel) -> int:
    return workspace(KernelIR.of(kernel.module().functions[0]))


@st.composite
def shape_chains(draw) -> tuple[tuple[int, ...], list[tuple[str, tuple[int, ...]]]]:
    """A shape, and reshapes, permutes and broadcasts from there on."""
    exponents = draw(st.lists(st.integers(0, 2), min_size=1, max_size=4))
    start = shape = tuple(1 << e for e in exponents)
    steps = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["reshape", "permute", "broadcast"]))
        size = int(np.prod(shape))
        if kind == "permute" and len(shape) >= 2:
            order = tuple(draw(st.permutations(range(len(shape)))))
            steps.append(("permute", order))
            shape = tuple(shape[d] for d in order)
        elif kind == "broadcast" and size <= 64:
            shape = tuple(draw(st.sampled_from([2, 4])) if n == 1 else n for n in shape)
            steps.append(("broadcast", shape))
        else:
            bits, new = size.bit_length() - 1, []
            while bits:
                taken = draw(st.integers(0, bits))
                new.append(1 << taken)
                bits -= taken
                if len(new) == 4:
                    new.append(1 << bits)
                    break
            shape = tuple(new) or (1,)
            steps.append(("reshape", shape))
    return start, steps


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(shape_chains(), st.booleans())
def test_shape_ops_move_elements_as_numpy_does(chain, computed: bool) -> None:
    start, steps = chain
    kernel = Kernel("shapes", "ptr<i32>", "ptr<i32>")
    source, target = kernel.parameters
    value = kernel.load(kernel.view(source, start, start), *kernel.zeros(len(start)))
    expected = array = np.arange(np.prod(start), dtype=np.int32).reshape(start) * 3
    for kind, shape in steps:
        if kind == "permute":
            expected = expected.transpose(shape)
            attributes = {"permutation": shape}
        else:
            change = np.reshape if kind == "reshape" else np.broadcast_to
            expected = change(expected, shape)
            attributes = {}
        result = tile("x".join(map(str, (*expected.shape, "i32"))))
        value = kernel.op(kind, value, results=[result], **attributes)
        if computed:
            value = kernel.op("negi", value, results=[result], overflow="none")
            expected = -expected
    shape = expected.shape
    kernel.store(value, kernel.view(target, shape, shape), *kernel.zeros(len(shape)))
    found = np.zeros(shape, np.int32)
    run(kernel, array, found)
    np.testing.assert_array_equal(found, expected)


def test_iota_and_dense_constants() -> None:
    kernel = Kernel("numbers", "ptr<i16>", "ptr<i1>")
    numbers, bits = kernel.parameters
    counted = kernel.op("iota", results=["16xi16"])
    table = kernel.constant("16xi16", *[(k * k) & 0xFFFF for k in range(16)])
    total = kernel.op("addi", counted, table, results=["16xi16"], overflow="none")
    kernel.store(total, kernel.view(numbers, [16], [16]), *kernel.zeros(1))
    kernel.store(
        kernel.constant("16xi1", 0b10100101, 0b00111100), kernel.view(bits, [16], [16]),
        *kernel.zeros(1),
    )  # fmt: skip
    found, flags = np.zeros(16, np.int16), np.zeros(16, bool)
    run(kernel, found, flags)
    assert found.tolist() == [k + k * k for k in range(16)]
    expected = np.unpackbits(np.array([0b10100101, 0b00111100], np.uint8), bitorder="little")
    assert (flags == expected.astype(bool)).all()


def test_a_loaded_tile_survives_a_later_store_to_its_memory() -> None:
    """Rotate by one within the tile: every element is overwritten before its neighbour is read."""
    kernel = Kernel("rotate", "ptr<f32>", "ptr<f32>")
    source, target = kernel.parameters
    value = kernel.load(kernel.view(source, [64], [64]), *kernel.zeros(1))
    kernel.store(value, kernel.view(target, [64], [64]), *kernel.zeros(1))
    kernel.store(value, kernel.view(source, [64], [64], strides=[2]), *kernel.zeros(1))
    memory = np.arange(200, dtype=np.float32)
    run(kernel, memory, memory.ctypes.data + 4)
    expected = np.arange(200, dtype=np.float32)
    expected[1:65] = np.arange(64)
    expected[:128:2] = np.arange(64)
    assert (memory == expected).all()


def overlapping() -> Kernel:
    """Store the sum of two tiles; where all three are in memory is left to the launch."""
    kernel = Kernel("overlap", *["ptr<i32>"] * 3, *["i32"] * 6)
    *pointers, size_a, size_b, size_c, stride_a, stride_b, stride_c = kernel.parameters
    views = [
        kernel.view(
            pointer, [None], [32], strides=[None], dynamic=[size], dynamic_strides=[stride],
            padding="zero",
        )
        for pointer, size, stride in zip(
            pointers, (size_a, size_b, size_c), (stride_a, stride_b, stride_c), strict=True
        )
    ]  # fmt: skip
    index = kernel.zeros(1)
    a, b = (kernel.load(view, *index) for view in views[:2])
    total = kernel.op("addi", a, b, results=["32xi32"], overflow="none")
    kernel.store(total, views[2], *index)
    return kernel


@cache
def overlap_kernel():
    return compile(overlapping().module())["overlap"]


PLACE = st.tuples(st.integers(0, 80), st.integers(20, 40), st.integers(1, 3))


@settings(max_examples=300, deadline=None)
@given(PLACE, PLACE, PLACE)
def test_all_is_read_before_anything_is_written(a: tuple, b: tuple, c: tuple) -> None:
    """Whether the loop may read the tensors themselves is found out at run time."""
    kernel = overlap_kernel()
    memory = np.arange(300, dtype=np.int32) ** 2
    expected = memory.copy()

    def read(place: tuple) -> np.ndarray:
        start, size, stride = place
        tile = np.zeros(32, np.int32)
        count = min(size, 32)
        tile[:count] = memory[start : start + count * stride : stride][:count]
        return tile

    start, size, stride = c
    count = min(size, 32)
    expected[start : start + count * stride : stride][:count] = (read(a) + read(b))[:count]
    pointers = [memory.ctypes.data + 4 * place[0] for place in (a, b, c)]
    sizes, strides = [p[1] for p in (a, b, c)], [p[2] for p in (a, b, c)]
    kernel.launch(1, [*pointers, *sizes, *strides])
    np.testing.assert_array_equal(memory, expected)


@pytest.mark.parametrize("shape", [(8, 16), (7, 16), (8, 13)])
def test_in_place(shape: tuple[int, int]) -> None:
    kernel = Kernel("negate", "ptr<f32>")
    (base,) = kernel.parameters
    view = kernel.view(base, shape, [8, 16])
    value = kernel.op("negf", kernel.load(view, *kernel.zeros(2)), results=["8x16xf32"])
    kernel.store(value, view, *kernel.zeros(2))
    data = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    expected = -data
    run(kernel, data)
    assert (data == expected).all()


def test_program_order_between_a_store_and_a_load() -> None:
    kernel = Kernel("twice", "ptr<i32>", "ptr<i32>")
    memory, out = kernel.parameters
    view, index = kernel.view(memory, [32], [32]), kernel.zeros(1)
    before = kernel.load(view, *index)
    kernel.store(kernel.op("negi", before, results=["32xi32"], overflow="none"), view, *index)
    after = kernel.load(view, *index)
    total = kernel.op("subi", before, after, results=["32xi32"], overflow="none")
    kernel.store(total, kernel.view(out, [32], [32]), *index)
    data, found = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    run(kernel, data, found)
    assert (found == 2 * np.arange(32)).all()
    assert (data == -np.arange(32)).all()


PADDINGS = {
    None: 0.0, "zero": 0.0, "neg_zero": -0.0, "nan": np.nan, "pos_inf": np.inf, "neg_inf": -np.inf
}  # fmt: skip


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64", "f8E5M2"])
@pytest.mark.parametrize("padding", PADDINGS)
def test_padding_around_the_tensor(padding: str | None, element: str) -> None:
    import ml_dtypes

    names = {"bf16": ml_dtypes.bfloat16, "f8E5M2": ml_dtypes.float8_e5m2}
    dtype = np.dtype(names.get(element, element.replace("f", "float")))
    kernel = Kernel("pad", f"ptr<{element}>", f"ptr<{element}>")
    source, target = kernel.parameters
    view = kernel.view(source, [5, 3], [8, 4], padding=padding)
    kernel.store(
        kernel.load(view, *kernel.zeros(2)), kernel.view(target, [8, 4], [8, 4]), *kernel.zeros(2)
    )
    data = np.arange(1, 16).astype(dtype).reshape(5, 3)
    found = np.zeros((8, 4), dtype)
    run(kernel, data, found)
    expected = np.full((8, 4), PADDINGS[padding], dtype)
    expected[:5, :3] = data
    bits = f"uint{8 * dtype.itemsize}"
    assert (found.view(bits) == expected.view(bits)).all()


WIDTHS = {
    "i1": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "uint16",
    "bf16": "uint16", "f32": "uint32", "tf32": "uint32", "f64": "uint64", "f8E4M3FN": "uint8",
    "f8E5M2": "uint8", "f8E8M0FNU": "uint8", "fnv8E5M3FNU": "uint8",
}  # fmt: skip


@pytest.mark.parametrize("element", WIDTHS)
def test_copies_keep_every_bit(element: str) -> None:
    """All 8- and 16-bit patterns, signalling NaNs among them."""
    kernel = Kernel("copy", f"ptr<{element}>", f"ptr<{element}>")
    source, target = kernel.parameters
    index = kernel.zeros(1)
    value = kernel.load(kernel.view(source, [65536], [65536]), *index)
    kernel.store(value, kernel.view(target, [65536], [65536]), *index)
    dtype = np.dtype(WIDTHS[element])
    data = np.arange(65536, dtype=np.uint64)
    data = (data | (data * np.uint64(0x7F85_0000_FFF0_0000))).astype(dtype)
    passed = {
        "f16": "float16", "f32": "float32", "f64": "float64", "tf32": "float32"
    }.get(element, dtype)  # fmt: skip
    found = np.zeros_like(data)
    run(kernel, data.view(passed), found.view(passed))
    assert (found == ((data != 0) if element == "i1" else data)).all()


@pytest.mark.parametrize("dim_map", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_dim_map_permutes_the_tile(dim_map: tuple[int, ...]) -> None:
    shape, cut = (5, 9, 6), (4, 2, 8)
    kernel = Kernel("mapped", "ptr<i32>", "ptr<i32>", "i32", "i32", "i32")
    source, target, *index = kernel.parameters
    view = kernel.view(source, shape, cut, dim_map=dim_map, padding="zero")
    kernel.store(kernel.load(view, *index), kernel.view(target, cut, cut), *kernel.zeros(3))
    data = np.arange(1, 271, dtype=np.int32).reshape(shape)
    transposed = data.transpose(dim_map)
    large = np.zeros(
        tuple(-(-n // t) * t for n, t in zip(transposed.shape, cut, strict=True)), "i4"
    )
    large[tuple(slice(n) for n in transposed.shape)] = transposed
    compiled = compile(kernel.module())["mapped"]
    for place in np.ndindex(*(n // t for n, t in zip(large.shape, cut, strict=True))):
        found = np.zeros(cut, np.int32)
        compiled.launch(1, [data, found, *place])
        start = [p * t for p, t in zip(place, cut, strict=True)]
        expected = large[tuple(slice(s, s + t) for s, t in zip(start, cut, strict=True))]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("number", [2, 3, 1 << 20, -1])
def test_a_tile_outside_the_index_space_touches_nothing(number: int) -> None:
    kernel = Kernel("outside", "ptr<i32>", "ptr<i32>", "i32")
    source, target, index = kernel.parameters
    value = kernel.load(kernel.view(source, [40], [32], padding="zero"), index)
    kernel.store(value, kernel.view(target, [40], [32]), index)
    data, found = np.ones(40, np.int32), np.full(40, 7, np.int32)
    run(kernel, data, found, number)
    assert (found == 7).all()


def gather(mask: bool, padding: bool) -> Kernel:
    """out[i] = table[where[i]], and the mirror image: back[where[i]] = value."""
    kernel = Kernel("gather", "ptr<f32>", "ptr<i32>", "ptr<i1>", "ptr<f32>", "ptr<f32>")
    table, where, flags, out, back = kernel.parameters
    index = kernel.zeros(1)
    places = kernel.load(kernel.view(where, [64], [64]), *index)
    allowed = kernel.load(kernel.view(flags, [64], [64]), *index) if mask else None
    other = kernel.constant("64xf32", 0xC0000000) if padding else None
    pointers = []
    for base in (table, back):
        row = kernel.op("reshape", base, results=["1xptr<f32>"])
        row = kernel.op("broadcast", row, results=["64xptr<f32>"])
        pointers.append(kernel.op("offset", row, places, results=["64xptr<f32>"]))
    value, _ = kernel.op(
        "load_ptr_tko", pointers[0], allowed, other, results=["64xf32", "token"],
        memory_ordering_semantics="weak",
    )  # fmt: skip
    kernel.store(value, kernel.view(out, [64], [64]), *index)
    kernel.op(
        "store_ptr_tko", pointers[1], value, allowed, results=["token"],
        memory_ordering_semantics="weak",
    )  # fmt: skip
    return kernel


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("padding", [False, True])
def test_gather_and_scatter(mask: bool, padding: bool) -> None:
    random = np.random.default_rng(9)
    table = random.standard_normal(64).astype(np.float32)
    where = random.permutation(64).astype(np.int32)
    flags = random.integers(0, 2, 64).astype(bool) if mask else np.ones(64, bool)
    where[~flags] = 2**30  # would fault if it were touched
    out, back = np.zeros(64, np.float32), np.full(64, 5, np.float32)
    run(gather(mask, padding), table, where, flags, out, back)
    safe = np.where(flags, where, 0)
    expected = np.where(flags, table[safe], np.float32(-2 if padding else 0))
    assert (out == expected).all()
    untouched = np.full(64, 5, np.float32)
    untouched[where[flags]] = table[where[flags]]
    assert (back == untouched).all()


def test_a_chain_of_thousands_is_one_loop() -> None:
    kernel = Kernel("chain", "ptr<i32>", "ptr<i32>")
    source, target = kernel.parameters
    index = kernel.zeros(1)
    value = kernel.load(kernel.view(source, [64], [64]), *index)
    for _ in range(2000):
        value = kernel.op("addi", value, value, results=["64xi32"], overflow="none")
        value = kernel.op("xori", value, kernel.constant("64xi32", 1), results=["64xi32"])
    kernel.store(value, kernel.view(target, [64], [64]), *index)
    found = np.zeros(64, np.int32)
    run(kernel, np.arange(64, dtype=np.int32), found)
    expected = np.arange(64, dtype=np.int32)
    for _ in range(2000):
        expected = (expected + expected) ^ 1
    assert (found == expected).all()
    assert buffers(kernel) == 64 * 4


def test_what_two_stores_need_is_computed_once() -> None:
    kernel = Kernel("shared", "ptr<f32>", "ptr<f32>", "ptr<f32>")
    source, first, second = kernel.parameters
    index = kernel.zeros(1)
    value = kernel.load(kernel.view(source, [64], [64]), *index)
    power = value
    for _ in range(MAX_RECOMPUTED + 1):
        power = kernel.op("mulf", power, value, results=["64xf32"], **NEAREST)
    kernel.store(power, kernel.view(first, [64], [64]), *index)
    kernel.store(power, kernel.view(second, [64], [64]), *index)
    data = np.linspace(1, 2, 64, dtype=np.float32)
    a, b = np.zeros(64, "f4"), np.zeros(64, "f4")
    run(kernel, data, a, b)
    expected = data
    for _ in range(MAX_RECOMPUTED + 1):
        expected = expected * data
    assert (a == expected).all()
    assert (b == a).all()
    assert buffers(kernel) == 2 * 64 * 4


def test_buffers_are_used_again() -> None:
    kernel = Kernel("copies", "ptr<i32>", "i32")
    base, index = kernel.parameters
    for place in range(10):
        number = kernel.constant("i32", place)
        value = kernel.load(kernel.view(base, [1024], [64]), number)
        kernel.store(value, kernel.view(base, [1024], [64]), index)
    assert buffers(kernel) == 64 * 4


def test_code_does_not_grow_with_the_tile() -> None:
    def lines(size: int) -> int:
        kernel = Kernel("copy", "ptr<f32>", "ptr<f32>")
        source, target = kernel.parameters
        index = kernel.zeros(1)
        value = kernel.load(kernel.view(source, [size], [size]), *index)
        kernel.store(value, kernel.view(target, [size], [size]), *index)
        return len(compile(kernel.module()).assembly.splitlines())

    assert lines(1 << 20) <= lines(1 << 10) + 20
