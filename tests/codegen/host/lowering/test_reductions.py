"""reduce and scan against NumPy: shapes, types, bodies, and the order of the elements."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tileir
from tests.codegen.host.text import Kernel, spelled
from tileir.codegen import compile
from tileir.codegen.compilation import Compilation

ASSOCIATIVE = {
    # body -> identity, NumPy's answer
    "addi {0}, {1}": (0, np.add),
    "muli {0}, {1}": (1, np.multiply),
    "andi {0}, {1}": (-1, np.bitwise_and),
    "ori {0}, {1}": (0, np.bitwise_or),
    "xori {0}, {1}": (0, np.bitwise_xor),
    "maxi {0}, {1} signed": ("lowest", np.maximum),
    "mini {0}, {1} signed": ("highest", np.minimum),
}


def identity(name: int | str, dtype: np.dtype) -> int:
    info = np.iinfo(dtype)
    return {"lowest": info.min, "highest": info.max}.get(name, name)


def run_fold(
    kind: str, arrays: list[np.ndarray], dim: int, identities: list[object], body: list[str],
    reverse: bool = False,
) -> list[np.ndarray]:  # fmt: skip
    """The results of one reduce or scan over whole arrays.

    Lines of the body may use %e0, %a0, %e1 ...: the elements and the accumulators.
    """
    shape, number = arrays[0].shape, len(arrays)
    elements = [spelled(array.dtype) for array in arrays]
    kept = shape if kind == "scan" else shape[:dim] + shape[dim + 1 :]
    kernel = Kernel()
    values = [kernel.load(array) for array in arrays]
    results = [np.full(kept or (1,), 99, array.dtype) for array in arrays]
    names = ("a", "e") if kind == "scan" else ("e", "a")
    pairs = ", ".join(
        f"%{name}{n}: tile<{element}>" for n, element in enumerate(elements) for name in names
    )
    kinds = ", ".join(kernel.type(shape, element) for element in elements)
    after = ", ".join(kernel.type(kept, element) for element in elements)
    listed = ", ".join(
        i if e == "i1" else f"{i} : {e}" for i, e in zip(identities, elements, strict=True)
    )
    backward = f" reverse={str(reverse).lower()}" if kind == "scan" else ""
    kernel.line(
        f"%r:{number} = {kind} {', '.join(values)} dim={dim}{backward} identities=[{listed}]"
        f" : {kinds} -> {after} ({pairs}) {{"
    )
    for line in body:
        kernel.line(line)
    kernel.line("}")
    for n, result in enumerate(results):
        kernel.store(f"%r#{n}" if number > 1 else "%r#0", result, kept)
    compiled(kernel.module())["k"].launch(1, kernel.arrays)
    return [result.reshape(kept) for result in results]


@lru_cache(maxsize=32)
def compiled(text: str) -> Compilation:
    """A kernel, compiled once for all arrays of its shapes."""
    return compile(tileir.assemble(text))


@st.composite
def tiles(draw) -> tuple[tuple[int, ...], int]:
    """A shape of up to eight dimensions, one of which is folded."""
    lists = st.lists(st.integers(0, 4), min_size=1, max_size=8)
    exponents = draw(lists.filter(lambda exponents: sum(exponents) < 13))
    return tuple(1 << e for e in exponents), draw(st.integers(0, len(exponents) - 1))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    tiles(), st.sampled_from(sorted(ASSOCIATIVE)), st.sampled_from(["i8", "i32", "i64"]),
    st.sampled_from(["reduce", "scan"]), st.booleans(), st.integers(0, 2**32),
)  # fmt: skip
def test_integers_as_numpy_folds_them(tile, body, element, kind, reverse, seed) -> None:
    shape, dim = tile
    dtype = np.dtype(f"int{element[1:]}")
    info = np.iinfo(dtype)
    array = np.random.default_rng(seed).integers(info.min, info.max, shape, dtype, endpoint=True)
    start, function = ASSOCIATIVE[body]
    text = [
        f"%v = {body.format('%e0', '%a0')} : tile<{element}>",
        f"yield %v : tile<{element}>",
    ]
    [found] = run_fold(kind, [array], dim, [identity(start, dtype)], text, reverse)
    if kind == "reduce":
        expected = function.reduce(array, dim)
    else:
        turned = np.flip(array, dim) if reverse else array
        expected = function.accumulate(turned, dim)
        expected = np.flip(expected, dim) if reverse else expected
    np.testing.assert_array_equal(found, expected.astype(dtype))


FLOATS = {
    "addf {0}, {1}": ("0.0", np.add),
    "mulf {0}, {1}": ("1.0", np.multiply),
    "maxf {0}, {1} propagate_nan": ("0xFF800000", np.maximum),
    "minf {0}, {1}": ("0x7F800000", np.fmin),
}


@pytest.mark.parametrize("shape", [(4096,), (8, 4096), (4096, 8), (2, 64, 16), (1, 1), (16,)])
@pytest.mark.parametrize("body", FLOATS)
def test_floats_within_rounding(body: str, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(7)
    array = random.uniform(0.99, 1.01, shape).astype(np.float32)
    start, function = FLOATS[body]
    if "propagate" in body or "minf" in body:
        array[random.random(shape) < 0.02] = np.nan
    for dim in range(len(shape)):
        text = [f"%v = {body.format('%e0', '%a0')} : tile<f32>", "yield %v : tile<f32>"]
        [found] = run_fold("reduce", [array], dim, [start], text)
        expected = function.reduce(array.astype(np.float64), dim)
        np.testing.assert_allclose(found, expected, rtol=array.shape[dim] * 2.0**-24)


@pytest.mark.parametrize("dim", [0, 1])
def test_a_sum_of_halves_is_rounded_at_every_step_of_a_tree(dim: int) -> None:
    """The halves of a tree are folded by halving: neighbours first, or lanes far apart."""
    array = np.random.default_rng(4).random((512, 4), np.float32).astype(np.float16)
    array = array if dim == 0 else array.T.copy()
    text = ["%v = addf %e0, %a0  : tile<f16>", "yield %v : tile<f16>"]
    [found] = run_fold("reduce", [array], dim, ["0.0"], text)
    expected = np.moveaxis(array, dim, 0)
    while len(expected) > 1:
        half = len(expected) // 2
        one, two = (
            (expected[::2], expected[1::2]) if dim == 0 else (expected[:half], expected[half:])
        )
        expected = one + two
    assert expected.dtype == np.float16
    np.testing.assert_array_equal(found, expected[0])


AFFINE = [
    # the maps x -> f x + o, one after the other: associative, but they do not commute
    "%f = muli {first}0, {second}0 : tile<i32>",
    "%m = muli {second}0, {first}1 : tile<i32>",
    "%o = addi %m, {second}1 : tile<i32>",
    "yield %f, %o : tile<i32>, tile<i32>",
]


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("kind", ["reduce", "scan", "reversed"])
def test_elements_are_folded_in_order(kind: str, dim: int) -> None:
    random = np.random.default_rng(3)
    factors, offsets = random.integers(-9, 9, (2, 4, 32, 8), np.int32)
    text = [line.format(first="%a", second="%e") for line in AFFINE]
    name = "scan" if kind == "reversed" else kind
    found = run_fold(name, [factors, offsets], dim, [1, 0], text, kind == "reversed")
    pairs = np.moveaxis(np.stack([factors, offsets], -1), dim, 0)
    if kind == "reversed":
        pairs = pairs[::-1]

    def compose(a: np.ndarray, e: np.ndarray) -> np.ndarray:
        return np.stack([a[..., 0] * e[..., 0], e[..., 0] * a[..., 1] + e[..., 1]], -1)

    steps = np.array(list(accumulate(pairs, compose)))
    if kind == "reversed":
        steps = steps[::-1]
    expected = steps[-1] if kind == "reduce" else np.moveaxis(steps, 0, dim)
    np.testing.assert_array_equal(found[0], expected[..., 0])
    np.testing.assert_array_equal(found[1], expected[..., 1])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("width", [16, 64, 256])
@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        *product((np.float32, np.float64), ("addf", "mulf")),
        *product((np.int32, np.int8), ("addi", "muli")),
    ],
)
def test_rows_are_scanned_by_vectors(dtype: type, name: str, width: int, reverse: bool) -> None:
    """Sums of integers are exact, and products of powers of two."""
    kind = np.dtype(dtype).kind
    random = np.random.default_rng(width)
    add = name.startswith("add")
    given = (
        random.integers(-9, 9, (4, width)) if add else random.choice([-1, 1, 2, 0.5], (4, width))
    )
    given = given.astype(dtype)
    rounding = " rounding<nearest_even>" if kind == "f" else ""
    spelled_type = spelled(given.dtype)
    identity = ("0" if add else "1") + (".0" if kind == "f" else "")
    body = [
        f"%o = {name} %a0, %e0{rounding} : tile<{spelled_type}>", f"yield %o : tile<{spelled_type}>"
    ]  # fmt: skip
    [found] = run_fold("scan", [given], 1, [identity], body, reverse)
    turned = given[:, ::-1] if reverse else given
    expected = (np.cumsum if add else np.cumprod)(turned, 1, dtype=dtype)
    np.testing.assert_array_equal(found, expected[:, ::-1] if reverse else expected)


def test_a_sum_of_negative_zeros_is_one() -> None:
    body = ["%o = addf %a0, %e0 : tile<f32>", "yield %o : tile<f32>"]
    [found] = run_fold("scan", [np.full((1, 64), -0.0, np.float32)], 1, ["0.0"], body)
    assert np.signbit(found).all()


FIRST_LARGEST = [
    "%more = cmpf greater_than ordered %e0, %a0 : tile<f32> -> tile<i1>",
    "%same = cmpf equal ordered %e0, %a0 : tile<f32> -> tile<i1>",
    "%before = cmpi less_than %e1, %a1, signed : tile<i32> -> tile<i1>",
    "%both = andi %same, %before : tile<i1>",
    "%take = ori %more, %both : tile<i1>",
    "%v = select %take, %e0, %a0 : tile<i1>, tile<f32>",
    "%w = select %take, %e1, %a1 : tile<i1>, tile<i32>",
    "yield %v, %w : tile<f32>, tile<i32>",
]


def test_the_first_of_the_largest_is_found_in_lanes() -> None:
    """Equal elements are in all lanes; the numbers are an iota, so that any order will do."""
    values = np.random.default_rng(4).integers(0, 9, (8, 256)).astype(np.float32)
    kernel, wide = Kernel(), "8x256"
    tile = kernel.load(values)
    kernel.line("%i = iota : tile<256xi32>")
    kernel.line("%j = reshape %i : tile<256xi32> -> tile<1x256xi32>")
    kernel.line(f"%k = broadcast %j : tile<1x256xi32> -> tile<{wide}xi32>")
    kernel.line(
        f"%r:2 = reduce {tile}, %k dim=1 identities=[0xFF800000 : f32, 0 : i32] : tile<{wide}xf32>,"
        f" tile<{wide}xi32> -> tile<8xf32>, tile<8xi32> (%e0: tile<f32>, %a0: tile<f32>,"
        " %e1: tile<i32>, %a1: tile<i32>) {"
    )
    for line in FIRST_LARGEST:
        kernel.line(line)
    kernel.line("}")
    largest, where = np.zeros(8, np.float32), np.zeros(8, np.int32)
    kernel.store("%r#0", largest)
    kernel.store("%r#1", where)
    kernel.run()
    np.testing.assert_array_equal(largest, values.max(1))
    np.testing.assert_array_equal(where, values.argmax(1))


@pytest.mark.parametrize("shape", [(8, 64), (64, 8)])
def test_a_body_with_branches_finds_the_first_maximum(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(5)
    values = random.integers(0, 20, shape, np.int32)
    indices = np.broadcast_to(np.arange(shape[1], dtype=np.int64), shape).copy()
    text = [
        "%c = cmpi greater_than %e0, %a0, signed : tile<i32> -> tile<i1>",
        "%v:2 = if %c -> (tile<i32>, tile<i64>) {",
        "yield %e0, %e1 : tile<i32>, tile<i64>",
        "} else {",
        "yield %a0, %a1 : tile<i32>, tile<i64>",
        "}",
        "yield %v#0, %v#1 : tile<i32>, tile<i64>",
    ]
    most, where = run_fold("reduce", [values, indices], 1, [-1, -1], text)
    np.testing.assert_array_equal(most, values.max(1))
    np.testing.assert_array_equal(where, values.argmax(1))


def test_a_fold_inside_a_fold() -> None:
    """The inner one folds a tile of the body's own: it adds 0 + 1 + ... + 7 at every step."""
    array = np.arange(32, dtype=np.int32).reshape(2, 16)
    text = [
        "%n = iota : tile<8xi32>",
        "%s = reduce %n dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>",
        "(%x: tile<i32>, %y: tile<i32>) {",
        "%z = addi %x, %y : tile<i32>",
        "yield %z : tile<i32>",
        "}",
        "%t = addi %s, %e0 : tile<i32>",
        "%v = addi %t, %a0 : tile<i32>",
        "yield %v : tile<i32>",
    ]
    [found] = run_fold("reduce", [array], 1, [0], text)
    np.testing.assert_array_equal(found, array.sum(1) + 15 * 28)


def test_truth_of_all_and_of_any() -> None:
    array = np.random.default_rng(1).random((16, 64)) < 0.9
    for name, start, function in (("andi", "true", np.all), ("ori", "false", np.any)):
        text = [f"%v = {name} %e0, %a0 : tile<i1>", "yield %v : tile<i1>"]
        for dim in (0, 1):
            [found] = run_fold("reduce", [array], dim, [start], text)
            np.testing.assert_array_equal(found, function(array, dim))


def test_operands_are_computed_in_the_loop() -> None:
    """Sum of the squared distances to the row's mean; the mean is broadcast back."""
    array = np.random.default_rng(2).standard_normal((4, 256)).astype(np.float32)
    result = np.zeros(4, np.float32)
    kernel = Kernel()
    name = kernel.load(array)

    def add_up(result: str, source: str) -> None:
        kernel.line(
            f"{result} = reduce {source} dim=1 identities=[0.0 : f32] : tile<4x256xf32>"
            " -> tile<4xf32> (%x: tile<f32>, %y: tile<f32>) {"
        )
        kernel.line("%z = addf %x, %y : tile<f32>")
        kernel.line("yield %z : tile<f32>")
        kernel.line("}")

    add_up("%s", name)
    kernel.line("%n = constant <f32: 256.0> : tile<4xf32>")
    kernel.line("%m = divf %s, %n : tile<4xf32>")
    kernel.line("%c = reshape %m : tile<4xf32> -> tile<4x1xf32>")
    kernel.line("%b = broadcast %c : tile<4x1xf32> -> tile<4x256xf32>")
    kernel.line(f"%d = subf {name}, %b : tile<4x256xf32>")
    kernel.line("%q = mulf %d, %d : tile<4x256xf32>")
    add_up("%v", "%q")
    kernel.store("%v", result)
    kernel.run()
    np.testing.assert_allclose(result, array.astype(np.float64).var(1) * 256, rtol=1e-5)


@pytest.mark.parametrize("rows", [1, 4])
def test_what_is_broadcast_along_a_row_does_not_slow_its_loop_down(rows: int) -> None:
    """The loop that divides by the row's sum, and keeps the quotient, is made of vectors."""
    array = np.ones((rows, 64), np.float32)
    kernel = Kernel()
    name = kernel.load(array)
    kind, short = kernel.type((rows, 64), "f32"), kernel.type((rows,), "f32")
    kernel.line(f"%s = reduce {name} dim=1 identities=[0.0 : f32] : {kind} -> {short} "
                "(%x: tile<f32>, %y: tile<f32>) {")  # fmt: skip
    kernel.line("%z = maxf %x, %y : tile<f32>")
    kernel.line("yield %z : tile<f32>")
    kernel.line("}")
    kernel.line(f"%c = reshape %s : {short} -> tile<{rows}x1xf32>")
    kernel.line(f"%b = broadcast %c : tile<{rows}x1xf32> -> {kind}")
    kernel.line(f"%q = divf {name}, %b : {kind}")
    kernel.line(f"%e = divf %q, %b : {kind}")
    for _ in range(2):
        kernel.store("%e", np.zeros_like(array))
    optimized = compile(tileir.assemble(kernel.module())).assembly
    divisions = [line for line in optimized.splitlines() if re.search(r"fdiv|div[ps]s", line)]
    assert divisions
    assert not [line for line in divisions if re.search(r"divss|fdiv\ts", line)]


SPECIAL = {
    "numbers": [1.0, -2.0, 3.5],
    "NaN first": [np.nan, -1.0, -3.0],
    "NaN last": [-1.0, -3.0, np.nan],
    "only NaN": [np.nan],
    "infinities": [-np.inf, np.inf],
    "lowest": [-np.inf],
    "highest": [np.inf],
    "lowest and NaN": [-np.inf, np.nan],
    "highest and NaN": [np.nan, np.inf],
    "zeros": [0.0, -0.0],
    "zeros the other way": [-0.0, 0.0],
    "zeros and NaN": [np.nan, -0.0],
    "zero above": [-1.0, -0.0, 0.0],
    "zero below": [1.0, 0.0, -0.0],
    "smallest": [1e-45, -1e-45],
}


@pytest.mark.parametrize("row", SPECIAL)
@pytest.mark.parametrize("body", ["maxf", "minf"])
def test_extrema_of_special_numbers(body: str, row: str) -> None:
    """NaN is left out unless there is nothing else, and zeros have signs."""
    start, function = FLOATS[f"{body} {{0}}, {{1}}"] if body == "minf" else ("0xFF800000", np.fmax)
    for count in (4, 64, 4096):
        array = np.resize(np.float32(SPECIAL[row]), count)
        text = [f"%v = {body} %e0, %a0 : tile<f32>", "yield %v : tile<f32>"]
        [found] = run_fold("reduce", [array], 0, [start], text)
        expected = np.float32(function.reduce(array))
        np.testing.assert_array_equal(found.ravel(), [expected])
        if expected == 0:
            signs = np.signbit(array[array == 0])
            assert np.signbit(found).all() == (signs.all() if body == "maxf" else signs.any())
