"""Loads and stores through pointers: every element type, ordering and mask."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tileir
from tests.codegen.build import Kernel
from tileir.codegen import compile

DTYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "tf32": np.float32, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}  # fmt: skip

SHAPE = "4x2x8"
ORDERINGS = [("weak", "weak"), ("relaxed", "relaxed"), ("acquire", "release")]


def column(kernel: Kernel, base, where) -> object:
    """Pointers to the elements behind `base` that the tile `where` numbers."""
    element = base.type.element.pointee
    row = kernel.op("reshape", base, results=[f"1x1x1xptr<{element}>"])
    row = kernel.op("broadcast", row, results=[f"{SHAPE}xptr<{element}>"])
    return kernel.op("offset", row, where, results=[f"{SHAPE}xptr<{element}>"])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("element", DTYPES)
def test_elements_go_where_pointers_say(element: str, ordering: tuple[str, str]) -> None:
    """target[where] = source[where], where neither faults nor is touched unless the mask allows."""
    kernel = Kernel("move", *[f"ptr<{element}>"] * 3, "ptr<i64>", "ptr<i1>")
    source, target, others, places, flags = kernel.parameters
    where, mask, padding = (
        kernel.op(
            "reshape", kernel.load(kernel.view(base, [64], [64]), *kernel.zeros(1)),
            results=[f"{SHAPE}x{base.type.element.pointee}"],
        )
        for base in (places, flags, others)
    )  # fmt: skip
    scopes = [None if order == "weak" else "sys" for order in ordering]
    value, _ = kernel.op(
        "load_ptr_tko", column(kernel, source, where), mask, padding,
        results=[f"{SHAPE}x{element}", "token"],
        memory_ordering_semantics=ordering[0], memory_scope=scopes[0],
    )  # fmt: skip
    out = kernel.op("iota", results=["64xi64"])
    out = kernel.op("reshape", out, results=[f"{SHAPE}xi64"])
    kernel.op(
        "store_ptr_tko", column(kernel, target, out), value, results=["token"],
        memory_ordering_semantics=ordering[1], memory_scope=scopes[1],
    )  # fmt: skip
    kernel.op(
        "store_ptr_tko", column(kernel, source, where), padding, mask, results=["token"],
        memory_ordering_semantics=ordering[1], memory_scope=scopes[1],
    )  # fmt: skip
    random, dtype = np.random.default_rng(4), np.dtype(DTYPES[element])
    width = f"u{dtype.itemsize}"
    top = 2 if element == "i1" else 1 << min(8 * dtype.itemsize, 62)
    data, other = random.integers(0, top, (2, 100)).astype(width)
    other = other[:64]
    chosen = random.integers(0, 2, 64).astype(bool)
    index = random.permutation(100)[:64]
    index[~chosen] = 1 << 60
    found, left = np.zeros(64, width), data.copy()
    compile(kernel.module())["move"].launch(
        1, [left.view(dtype), found.view(dtype), other.view(dtype), index, chosen]
    )
    expected, after = np.where(chosen, data[np.where(chosen, index, 0)], other), data.copy()
    after[index[chosen]] = other[chosen]
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(left, after)


def test_one_element_behind_a_mask() -> None:
    kernel = Kernel("one", "ptr<f32>", "ptr<f32>", "i1")
    source, target, mask = kernel.parameters
    value, _ = kernel.op(
        "load_ptr_tko", source, mask, kernel.constant("f32", 0x40400000), results=["f32", "token"],
        memory_ordering_semantics="weak",
    )  # fmt: skip
    kernel.op("store_ptr_tko", target, value, results=["token"], memory_ordering_semantics="weak")
    compiled = compile(kernel.module())["one"]
    for chosen, expected in ((1, 5), (0, 3)):
        found = np.zeros(1, np.float32)
        compiled.launch(1, [np.full(1, 5, np.float32), found, chosen])
        assert found[0] == expected


def test_a_pointer_between_4_bit_elements_is_one_to_the_byte_before() -> None:
    """Measured on NVIDIA's compiler: the number of elements is halved towards zero."""
    kernel = Kernel("step", "ptr<f4E2M1FN>", "i32", "ptr<i64>")
    base, count, out = kernel.parameters
    moved = kernel.op("offset", base, count, results=["ptr<f4E2M1FN>"])
    value = kernel.op("ptr_to_int", moved, results=["i64"])
    kernel.op("store_ptr_tko", out, value, results=["token"], memory_ordering_semantics="weak")
    compiled = compile(kernel.module())["step"]
    for count, expected in ((0, 0), (1, 0), (2, 1), (7, 3), (-1, 0), (-2, -1), (-5, -2)):
        found = np.zeros(1, np.int64)
        compiled.launch(1, [4096, count, found])
        assert found[0] == 4096 + expected


ADD = """
entry @add(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %size = constant <i32: 128> : tile<i32>
  %start = muli %bx, %size : tile<i32>
  %i = iota : tile<128xi32>
  %s1 = reshape %start : tile<i32> -> tile<1xi32>
  %sb = broadcast %s1 : tile<1xi32> -> tile<128xi32>
  %o = addi %sb, %i : tile<128xi32>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %nb = broadcast %n1 : tile<1xi32> -> tile<128xi32>
  %m = cmpi less_than %o, %nb, signed : tile<128xi32> -> tile<128xi1>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %xb = broadcast %x1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %xp = offset %xb, %o : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
  %yb = broadcast %y1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %yp = offset %yb, %o : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %z1 = reshape %z : tile<ptr<f32>> -> tile<1xptr<f32>>
  %zb = broadcast %z1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %zp = offset %zb, %o : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %a, %t1 = load_ptr_tko weak %xp, %m : tile<128xptr<f32>>, tile<128xi1> -> tile<128xf32>, token
  %b, %t2 = load_ptr_tko weak %yp, %m : tile<128xptr<f32>>, tile<128xi1> -> tile<128xf32>, token
  %c = addf %a, %b  : tile<128xf32>
  %t3 = store_ptr_tko weak %zp, %c, %m : tile<128xptr<f32>>, tile<128xf32>, tile<128xi1> -> token
  return
}
"""


@pytest.mark.parametrize("size", [1, 127, 128, 129, 1000])
def test_addresses_in_a_row_need_no_gather(size: int) -> None:
    compilation = compile(tileir.assemble(ADD))
    assert "gather" not in compilation.assembly
    random = np.random.default_rng(2)
    x, y = random.standard_normal((2, size)).astype(np.float32)
    z = np.full(size + 200, 7, np.float32)
    compilation["add"].launch(-(-size // 128), [x, y, z, size])
    assert (z[:size] == x + y).all()
    assert (z[size:] == 7).all()


def test_addresses_used_twice_are_counted_along() -> None:
    """x[row, column] += 1 in place, with more arithmetic than is worth doing twice elsewhere."""
    kernel = Kernel("bump", "ptr<f32>", "i32")
    base, stride = kernel.parameters
    iota = kernel.op("iota", results=["32xi32"])
    places = []
    for shape in ("32x1", "1x32"):
        number = kernel.op("reshape", iota, results=[f"{shape}xi32"])
        wide = kernel.op("broadcast", number, results=["32x32xi32"])
        places.append(kernel.op("exti", wide, signedness="signed", results=["32x32xi64"]))
    step = kernel.op("exti", stride, signedness="signed", results=["i64"])
    step = kernel.op("reshape", step, results=["1x1xi64"])
    step = kernel.op("broadcast", step, results=["32x32xi64"])
    row = kernel.op("muli", places[0], step, results=["32x32xi64"])
    where = kernel.op("addi", row, places[1], results=["32x32xi64"])
    where = kernel.op("subi", where, kernel.constant("32x32xi64", 1), results=["32x32xi64"])
    pointer = kernel.op("reshape", base, results=["1x1xptr<f32>"])
    pointer = kernel.op("broadcast", pointer, results=["32x32xptr<f32>"])
    pointer = kernel.op("offset", pointer, where, results=["32x32xptr<f32>"])
    value, _ = kernel.op(
        "load_ptr_tko", pointer, results=["32x32xf32", "token"], memory_ordering_semantics="weak"
    )
    one = kernel.constant("32x32xf32", 0x3F800000)
    value = kernel.op(
        "addf", value, one, results=["32x32xf32"], rounding_mode="nearest_even",
        flush_to_zero=False,
    )  # fmt: skip
    kernel.op("store_ptr_tko", pointer, value, results=["token"], memory_ordering_semantics="weak")
    compilation = compile(kernel.module())
    assert "gather" not in compilation.assembly
    data = np.arange(40 * 50, dtype=np.float32).reshape(40, 50)
    expected = data.copy()
    expected[1:33, 9:41] += 1
    compilation["bump"].launch(1, [data[1:, 10:].ctypes.data, 50])
    np.testing.assert_array_equal(data, expected)
