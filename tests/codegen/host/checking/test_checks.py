"""Kernels that do what they must not, compiled to check for it: what is found, and where."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel, spelled
from tests.lab.model.kernels.comparing import differences
from tests.launches import Launch, newest
from tileir.codegen import compile
from tileir.errors import KernelError, UncheckedWarning, UnsupportedError
from tileir.launch.buffer import Buffer
from tileir.smith.case import Case
from tileir.smith.program import program

BOTH = ("memory", "undefined")


def problem(kernel: Kernel, check: object) -> KernelError:
    """What a kernel that runs without a word when nothing is checked has done wrong."""
    kernel.run()
    with pytest.raises(KernelError) as caught:
        kernel.run(check=check)
    return caught.value


def on_pairs(op: str, attributes: str, x: np.ndarray, y: np.ndarray) -> Kernel:
    """An op on two arrays, element by element."""
    kernel = Kernel()
    names = kernel.load(x), kernel.load(y)
    kind = kernel.type(x.shape, spelled(x.dtype))
    kernel.line(f"%r = {op} {names[0]}, {names[1]} {attributes} : {kind}")
    kernel.store("%r", np.zeros_like(x))
    return kernel


def integers(*numbers: int, dtype: str = "int32") -> np.ndarray:
    return np.array(numbers, dtype)


@pytest.mark.parametrize("op", ["divi", "remi"])
def test_a_division_by_zero(op: str) -> None:
    x, y = integers(1, 2, -7, 4).reshape(2, 2), integers(1, 1, 0, 1).reshape(2, 2)
    found = problem(on_pairs(op, "signed", x, y), "undefined")
    assert (found.op, found.indices, found.block) == (op, ((1, 0),), (0, 0, 0))
    assert re.fullmatch(
        re.escape(f"{op}: division by zero (lhs = -7, rhs = 0) at element [1, 0] in k, ")
        + r"block \(0, 0, 0\) \(<text>:\d+:\d+\)",
        str(found),
    )
    on_pairs(op, "signed", x, np.abs(y) + 1).run(check="undefined")


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_a_quotient_that_does_not_fit(dtype: str) -> None:
    lowest = int(np.iinfo(dtype).min)
    x, y = integers(8, lowest, dtype=dtype), integers(-1, -1, dtype=dtype)
    assert "does not fit" in str(problem(on_pairs("divi", "signed", x, y), "undefined"))
    on_pairs("divi", "unsigned", x, y).run(check="undefined")


@pytest.mark.parametrize(("op", "sign"), [("shli", ""), ("shri", "signed"), ("shri", "unsigned")])
def test_a_shift_by_the_width(op: str, sign: str) -> None:
    x = integers(1, 2, 3, 4, dtype="int16")
    on_pairs(op, sign, x, integers(0, 1, 14, 15, dtype="int16")).run(check="undefined")
    found = problem(on_pairs(op, sign, x, integers(0, 1, 16, 15, dtype="int16")), "undefined")
    assert found.indices == ((2,),)
    found = problem(on_pairs(op, sign, x, integers(-1, 1, 6, 15, dtype="int16")), "undefined")
    assert found.indices == ((0,),)


WRAPPING = [
    # op, promise, what fits, what does not
    ("addi", "no_signed_wrap", (100, 27), (100, 28)),
    ("addi", "no_unsigned_wrap", (100, 100), (-1, 1)),
    ("subi", "no_signed_wrap", (-100, 28), (-100, 29)),
    ("subi", "no_unsigned_wrap", (-1, 3), (3, 4)),
    ("muli", "no_signed_wrap", (-64, 2), (64, 2)),
    ("muli", "no_unsigned_wrap", (-128, 1), (-128, 2)),
    ("shli", "no_signed_wrap", (31, 2), (32, 2)),
    ("shli", "no_unsigned_wrap", (32, 2), (64, 2)),
    ("addi", "no_wrap", (1, 2), (-1, 1)),
]


@pytest.mark.parametrize(("op", "promise", "fits", "wraps"), WRAPPING)
def test_a_broken_promise_about_overflow(op: str, promise: str, fits, wraps) -> None:
    arrays = [integers(number, dtype="int8") for number in fits]
    on_pairs(op, f"overflow<{promise}>", *arrays).run(check="undefined")
    arrays = [integers(number, dtype="int8") for number in wraps]
    assert "is promised" in str(problem(on_pairs(op, f"overflow<{promise}>", *arrays), "undefined"))


EDGES = [
    # element, its signedness, the numbers that fit, those that do not
    ("i8", "signed", (-128.9, 127.9), (-129, 128, np.nan, np.inf)),
    ("i8", "unsigned", (-0.9, 255.9), (-1, 256, np.nan)),
    ("i32", "signed", (-2147483648.5, 2147483647.5), (-2147483649, 2147483648)),
    ("i64", "signed", (-(2.0**63), 2.0**62), (2.0**63, -np.inf, -(2.0**63) * 1.01)),
    ("i64", "unsigned", (-0.5, 2.0**63), (2.0**64, -1)),
]


@pytest.mark.parametrize(("element", "sign", "fit", "others"), EDGES)
def test_a_number_that_does_not_fit_an_integer(element: str, sign: str, fit, others) -> None:
    def converting(number: float, how: str = "") -> Kernel:
        kernel = Kernel()
        name = kernel.load(np.array([number], float))
        kind = kernel.type((1,), element)
        kernel.line(f"%r = ftoi {name} {sign} {how} : tile<1xf64> -> {kind}")
        kernel.store("%r", np.zeros(1, f"int{element[1:]}"))
        return kernel

    for number in fit:
        converting(number).run(check="undefined")
    for number in others:
        assert f"does not fit {element}" in str(problem(converting(number), "undefined"))
        converting(number, "saturating").run(check="undefined")


def test_every_number_is_a_truth_value() -> None:
    kernel = Kernel()
    name = kernel.load(np.array([5.0, np.nan, -1.0, 0.0], np.float32))
    kernel.line(f"%r = ftoi {name} unsigned  : tile<4xf32> -> tile<4xi1>")
    kernel.store("%r", np.zeros(4, bool))
    kernel.run(check="undefined")


MADE = [
    # op, x, y, what is said, "" for nothing, with the first element it is said of
    ("divf", (1, 0), (1, 0), "makes a NaN (lhs = 0.0, rhs = 0.0) at element [1]"),
    ("divf", (0.1, 0), (0, 1), "makes an infinity (lhs = 0.1, rhs = 0.0) at element [0]"),
    ("subf", (np.inf, 1), (np.inf, 1), "makes a NaN (lhs = inf, rhs = inf) at element [0]"),
    ("mulf", (3e38, 1), (2, 1), "makes an infinity (lhs = 3e+38, rhs = 2.0)"),
    ("addf", (np.nan, np.inf), (np.inf, 1), ""),
    ("mulf", (-np.inf, np.nan), (2, np.nan), ""),
    ("maxf", (np.nan, np.inf), (1, 1), ""),
]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("op", "x", "y", "said"), MADE)
def test_the_first_that_is_not_finite(op: str, x, y, said: str, dtype: str) -> None:
    with np.errstate(over="ignore"):
        kernel = on_pairs(op, "", *(np.array(each).astype(dtype) for each in (x, y)))
    if not said:
        kernel.run(check="nan")
    elif dtype == "float32" or "NaN" in said:
        assert str(problem(kernel, "nan")).startswith(f"{op}: {said}")


def test_what_is_loaded_written_or_reinterpreted_is_made_by_nobody() -> None:
    kernel = Kernel()
    name = kernel.load(np.array([0x7F800000, 0x7FC00000], np.int32))
    kernel.line(f"%f = bitcast {name} : tile<2xi32> -> tile<2xf32>")
    kernel.line("%c = constant <f32: 0x7F800000> : tile<2xf32>")
    kernel.line("%r = addf %f, %c  : tile<2xf32>")
    kernel.store("%r", np.zeros(2, np.float32))
    kernel.run(check="nan")


def extents_of_one(shape: str, stride: str, given: str) -> str:
    """A kernel that copies an element of a tensor whose stride is assumed to be even."""
    tensor = f"tensor_view<{shape}xi32, strides=[{stride},1]>"
    view = f"partition_view<tile=(1x1), {tensor}>"
    return f"""
    entry @k(%p: tile<ptr<i32>>, %n: tile<i32>, %s: tile<i32>) {{
      %o = constant <i32: 1> : tile<i32>
      %a = assume div_by<2>, {given} : tile<i32>
      %b = assume bounded<0, ?>, %a : tile<i32>
      %t = make_tensor_view %p, shape = [{"%n" if "?" in shape else "1"}, 1], strides = [%b, 1]
        : tile<i32> -> {tensor}
      %v = make_partition_view %t : {view}
      %z = constant <i32: 0> : tile<i32>
      %x, %u = load_view_tko weak %v[%z, %z] : {view}, tile<i32> -> tile<1x1xi32>, token
      %w = print_tko "%d", %x : tile<1x1xi32> -> token
      return
    }}"""


@pytest.mark.parametrize("given", ["%s", "%o"])
def test_a_stride_that_no_index_multiplies(given: str) -> None:
    array = np.zeros(8, np.int32)
    fixed = tileir.assemble(extents_of_one("1x1", "?", given))
    assert not tileir.verify(fixed)
    compile(fixed, check="undefined")["k"].launch(1, [array, 1, 7])
    dynamic = compile(tileir.assemble(extents_of_one("?x1", "?", given)), check="undefined")["k"]
    dynamic.launch(1, [array, 1, 7])
    with pytest.raises(KernelError, match="assume: div_by<2> is assumed") as found:
        dynamic.launch(1, [array, 2, 7])
    assert ":4:" in found.value.location


def test_a_stride_that_is_more_than_that() -> None:
    text = extents_of_one("1x1", "?", "%o").replace(
        "%w =", '%y = print_tko "%d", %a : tile<i32> -> token\n%w ='
    )
    (warning,) = tileir.verify(tileir.assemble(text))
    assert warning.kind == "broken-promise"
    with pytest.raises(KernelError, match="is assumed"):
        compile(tileir.assemble(text), check="undefined")["k"].launch(1, [np.zeros(1, "i4"), 1, 7])


ASSUMPTIONS = [
    # predicate, elements of which it is true, and of which it is not, and which is the first
    ("div_by<4>", (0, 4, -8, 100), (4, 4, 6, 4), 2),
    ("div_by<4, every 2 along 0>", (4, 5, -8, -7), (4, 5, 7, 8), 2),
    ("div_by<4, every 2 along 0>", (4, 5, 8, 9), (4, 9, 8, 9), 1),
    ("same_elements<[2]>", (3, 3, 7, 7), (3, 3, 7, 8), 3),
    ("bounded<-3, ?>", (-3, 0, 5, 9), (0, -4, 0, 0), 1),
    ("bounded<?, 7>", (-99, 7, 0, 0), (0, 0, 0, 8), 3),
    ("bounded<0, 7>", (0, 7, 0, 0), (-1, 0, 0, 0), 0),
]


@pytest.mark.parametrize(("predicate", "true", "false", "first"), ASSUMPTIONS)
def test_a_false_assumption(predicate: str, true, false, first: int) -> None:
    def assuming(numbers: tuple[int, ...]) -> Kernel:
        kernel = Kernel()
        name = kernel.load(integers(*numbers))
        kernel.line(f"%r = assume {predicate}, {name} : tile<4xi32>")
        kernel.store("%r", np.zeros(4, np.int32))
        return kernel

    assuming(true).run(check="undefined")
    found = problem(assuming(false), "undefined")
    assert str(found).startswith(f"assume: {predicate} is assumed (value = {false[first]})")
    assert found.indices == ((first,),)


@pytest.mark.parametrize(("about", "said"), [
    ("%p : tile<ptr<i32>>", "(value = 0x"),
    ("%t : tensor_view<4xi32, strides=[1]>", "of the base address in k"),
])  # fmt: skip
def test_a_false_assumption_about_an_address(about: str, said: str) -> None:
    name = about.split(" ")[0]
    base, tensor = ("%q", "%t") if name == "%p" else ("%p", "%q")
    first = f"%q = assume div_by<4096>, {about}"
    made = f"%t = make_tensor_view {base}, shape = [4], strides = [1] : {VECTOR}"
    lines = [first, made] if name == "%p" else [made, first]
    text = f"""
    entry @k(%p: tile<ptr<i32>>) {{
      {lines[0]}
      {lines[1]}
      %v = make_partition_view {tensor} : partition_view<tile=(4), {VECTOR}>
      %zero = constant <i32: 0> : tile<i32>
      %x, %u = load_view_tko weak %v[%zero] : partition_view<tile=(4), {VECTOR}>, tile<i32>
        -> tile<4xi32>, token
      %w = print_tko "%d", %x : tile<4xi32> -> token
      return
    }}"""
    memory = np.zeros(2048, np.int32)
    start = -memory.ctypes.data // 4 % 1024
    kernel = compile(tileir.assemble(text), check="undefined")["k"]
    kernel.launch(1, [memory[start : start + 4]])
    with pytest.raises(KernelError) as found:
        kernel.launch(1, [memory[start + 1 : start + 5]])
    assert str(found.value).startswith("assume: div_by<4096> is assumed ")
    assert said in str(found.value)


VECTOR = "tensor_view<4xi32, strides=[1]>"


@pytest.mark.parametrize("op", ["extract", "insert"])
def test_a_slice_that_is_not_there(op: str) -> None:
    whole, part = np.zeros((4, 8), np.int32), np.zeros((2, 4), np.int32)
    kernel = Kernel()
    tile, piece = kernel.load(whole), kernel.load(part)
    kernel.line("%two = constant <i32: 2> : tile<i32>")
    if op == "extract":
        kernel.line(f"%r = extract {tile}[%zero, %two] : tile<4x8xi32> -> tile<2x4xi32>")
    else:
        kernel.line(f"%r = insert {piece}, {tile}[%zero, %two] : tile<2x4xi32>, tile<4x8xi32>")
    kernel.store("%r", part if op == "extract" else whole)
    assert str(problem(kernel, "undefined")).startswith(
        f"{op}: index 1 of a slice is not below 2 (index = 2) in k"
    )


def blocks(
    extent: int, tile: int, grid: int, check: object, array: np.ndarray | None = None
) -> str:
    """Each block of a grid stores its tile of a view of `extent` elements."""
    array = np.zeros(extent, np.int32) if array is None else array
    view = f"partition_view<tile=({tile}), tensor_view<{extent}xi32, strides=[1]>>"
    text = f"""
    entry @k(%p: tile<ptr<i32>>) {{
      %x, %y, %z = get_tile_block_id : tile<i32>
      %t = make_tensor_view %p, shape = [{extent}], strides = [1]
        : tensor_view<{extent}xi32, strides=[1]>
      %v = make_partition_view %t : {view}
      %c = constant <i32: 1> : tile<{tile}xi32>
      %s = store_view_tko weak %c, %v[%x] : tile<{tile}xi32>, {view}, tile<i32> -> token
      return
    }}"""
    try:
        compile(tileir.assemble(text), check=check)["k"].launch(grid, [array], threads=1)
    except KernelError as error:
        return str(error)
    return ""


def test_an_index_outside_of_the_view() -> None:
    assert blocks(20, 8, 3, BOTH) == ""
    for check in ("memory", "undefined"):
        assert blocks(20, 8, 4, check) == (
            "store_view_tko: index 3 along dimension 0 is outside the view, which has 3 tiles "
            "there; is the grid too large? in k, block (3, 0, 0) (<text>:8:12)"
        )
    assert blocks(20, 8, 4, "nan") == "", "nothing is stored there"


def test_a_view_larger_than_its_array() -> None:
    array = np.zeros(64, np.int32)
    assert blocks(20, 8, 3, "memory", array[:20]) == ""
    assert blocks(20, 8, 3, "memory", array[30:49]) == (
        "store_view_tko: access of 4 bytes at offset 76 of parameter 0, which has 76 bytes "
        "at element [3] in k, block (2, 0, 0) (<text>:8:12)"
    )
    assert array[30:49].all()
    assert not array[49:].any(), "the access was made all the same"


def gather(shift: int, check: object, **launch: object) -> np.ndarray:
    """Adds 1 to 8 elements through pointers, from element `shift` of an array of 8 on."""
    text = """
    entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
      %i = iota : tile<8xi32>
      %m = reshape %n : tile<i32> -> tile<1xi32>
      %s = broadcast %m : tile<1xi32> -> tile<8xi32>
      %j = addi %i, %s : tile<8xi32>
      %q = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
      %r = broadcast %q : tile<1xptr<i32>> -> tile<8xptr<i32>>
      %a = offset %r, %j : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
      %x, %t = load_ptr_tko weak %a : tile<8xptr<i32>> -> tile<8xi32>, token
      %c = constant <i32: 1> : tile<8xi32>
      %y = addi %x, %c : tile<8xi32>
      %u = store_ptr_tko weak %a, %y : tile<8xptr<i32>>, tile<8xi32> -> token
      return
    }"""
    memory = np.zeros(32, np.int32)
    argument = launch.pop("argument", lambda array: array[8:16])(memory)
    extra = [memory[start:stop] for start, stop in launch.pop("allocated", ())]
    kernel = compile(tileir.assemble(text), check=check)["k"]
    kernel.launch(1, [argument, shift], allocations=extra)
    return memory


def test_pointers_outside_of_an_array() -> None:
    assert gather(0, "memory")[8:16].all()
    assert gather(5, ()).sum() == 8
    with pytest.raises(KernelError, match="offset 32 of parameter 0, which has 32 bytes") as found:
        gather(5, "memory")
    assert (found.value.op, found.value.indices) == ("load_ptr_tko", ((3,),))
    with pytest.raises(KernelError, match="offset -4 of parameter 0"):
        gather(-1, "memory")
    for far in (-(2**31), 2**31 - 8, 2**29, -(2**20)):
        with pytest.raises(KernelError, match=f"offset {4 * far} of parameter 0"):
            gather(far, "memory")


def test_allocations_may_be_touched_too() -> None:
    assert gather(5, "memory", allocated=[(0, 4), (12, 24)]).sum() == 8
    with pytest.raises(KernelError):
        gather(5, "memory", allocated=[(14, 20)])


def test_what_is_not_known_is_said_to_be_unchecked() -> None:
    with pytest.warns(UncheckedWarning, match="parameter 0 is an address of unknown extent"):
        found = gather(5, "memory", argument=lambda array: array[8:].ctypes.data)
    assert found.sum() == 8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gather(0, "memory", argument=lambda array: Buffer(array[8:].ctypes.data, 32))
        with pytest.raises(KernelError):
            gather(1, "memory", argument=lambda array: Buffer(array[8:].ctypes.data, 32))


@pytest.mark.parametrize("mask", [False, True])
def test_what_a_mask_leaves_out_is_not_accessed(mask: bool) -> None:
    array = np.zeros(8, np.int32)
    limit = 8 if mask else 9
    text = f"""
    entry @k(%p: tile<ptr<i32>>) {{
      %i = iota : tile<16xi32>
      %n = constant <i32: {limit}> : tile<16xi32>
      %m = cmpi less_than %i, %n, signed : tile<16xi32> -> tile<16xi1>
      %q = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
      %r = broadcast %q : tile<1xptr<i32>> -> tile<16xptr<i32>>
      %a = offset %r, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
      %o, %t = atomic_rmw_tko relaxed device %a, add, %i, %m
        : tile<16xptr<i32>>, tile<16xi32>, tile<16xi1> -> tile<16xi32>, token
      return
    }}"""
    kernel = compile(tileir.assemble(text), check="memory")["k"]
    if mask:
        kernel.launch(1, [array])
    else:
        with pytest.raises(KernelError) as found:
            kernel.launch(1, [array])
        assert (found.value.op, found.value.indices) == ("atomic_rmw_tko", ((8,),))
    np.testing.assert_array_equal(array, np.arange(8))


def test_memory_of_the_kernels_own() -> None:
    def kernel(count: int) -> str:
        return f"""
        entry @k() {{
          %p = alloca num_elem = {count}, alignment = 16 : tile<ptr<i32>>
          %i = iota : tile<8xi32>
          %q = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
          %r = broadcast %q : tile<1xptr<i32>> -> tile<8xptr<i32>>
          %a = offset %r, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
          %u = store_ptr_tko weak %a, %i : tile<8xptr<i32>>, tile<8xi32> -> token
          return
        }}"""

    compile(tileir.assemble(kernel(8)), check="memory")["k"].launch(1, [])
    with pytest.raises(KernelError, match="memory of the kernel's own") as found:
        compile(tileir.assemble(kernel(7)), check="memory")["k"].launch(1, [])
    assert found.value.indices == ((7,),)


def test_a_step_that_is_not_positive() -> None:
    kernel = Kernel()
    kernel.line("%n = constant <i32: 0> : tile<i32>")
    kernel.line("for %i in (%zero to %n, step %zero) : tile<i32> {")
    kernel.line("}")
    assert "the step is not positive (step = 0)" in str(problem(kernel, "undefined"))


CHECKED = (
    "atomic_modes", "gather_padded", "integer_division", "layer_norm", "matmul", "module_globals",
    "nibbles", "reduce_pair", "scatter_rows", "scratch_memory",
)  # fmt: skip


@pytest.mark.parametrize("name", CHECKED)
def test_kernels_that_do_no_wrong_give_the_same_results(name: str) -> None:
    about, bytecode = Launch(name), newest(name)
    results = []
    for check in ((), BOTH):
        arrays = about.arrays()
        kernel = compile(bytecode, check=check)[about.entry]
        kernel.launch(about.grid, about.arguments(arrays), threads=1)
        results.append(arrays)
    for key, array in results[0].items():
        assert array.tobytes() == results[1][key].tobytes(), key


@pytest.mark.parametrize("seed", range(4))
def test_random_programs_that_have_a_meaning_pass(seed: int) -> None:
    def launch(case: Case, args: list) -> None:
        compiled = compile(case.bytecode, check=BOTH, cache=False)
        compiled[case.symbol].launch(case.grid, args, threads=1)

    assert not differences(program(seed), launch)


def test_the_source_line_is_named() -> None:
    """The fixture promises that addresses are divisible by 128."""
    about = Launch("assumed_layout")
    arrays = {
        key: np.concatenate([np.zeros(1, array.dtype), array.ravel()])[1:]
        for key, array in about.arrays().items()
    }
    compiled = compile(newest("assumed_layout"), check="undefined")
    with pytest.raises(KernelError) as found:
        compiled[about.entry].launch(about.grid, about.arguments(arrays))
    assert "effects.py:" in found.value.location
    assert found.value.location in str(found.value)


def test_what_is_asked_for_must_be_a_check_and_the_host() -> None:
    module = tileir.assemble("entry @k() { return }")
    with pytest.raises(
        UnsupportedError, match="no check 'everything', only memory, undefined and nan"
    ):
        compile(module, check="everything")
    with pytest.raises(UnsupportedError, match="checks are for target host"):
        compile(module, "sm_90", check="memory")
