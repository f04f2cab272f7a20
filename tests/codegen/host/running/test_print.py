"""print and assert: numbers as C's printf writes them, tiles in brackets, errors that say where."""

from __future__ import annotations

import contextlib
import ctypes
import io
import pickle
import struct
import sys

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tileir
from tests.codegen.host.text import Kernel, spelled
from tests.launches import Launch, newest
from tileir.codegen.printf import Conversion, write
from tileir.errors import KernelAssertionError

needs_libc = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks GNU's printf")


def snprintf(text: str, argument: object) -> str:
    """What the C library makes of a conversion."""
    buffer = ctypes.create_string_buffer(2000)
    ctypes.CDLL(None).snprintf(buffer, 2000, text.encode(), argument)
    return buffer.value.decode("latin-1")


FLAGS = st.lists(st.sampled_from("-+ #0"), max_size=3).map("".join)
WIDTHS = st.sampled_from(["", "1", "7", "22"])
PRECISIONS = st.sampled_from(["", ".", ".0", ".1", ".3", ".14"])
INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([0, 1, -1, 255, 2**31, -(2**63)])


@needs_libc
@settings(max_examples=400, deadline=None)
@given(
    FLAGS, WIDTHS, PRECISIONS, st.sampled_from(["", "h", "hh", "l", "ll", "j", "z"]),
    st.sampled_from("diuoxXcp"), INTEGERS,
)  # fmt: skip
def test_integers_as_c_prints_them(flags, width, precision, length, letter, number) -> None:
    if letter in "cp":  # where C leaves flags and precisions undefined
        flags, precision, length = "-" * ("-" in flags), "", ""
        number = number % 255 + 1 if letter == "c" else number
    text = f"%{flags}{width}{precision}{length}{letter}"
    found = write(Conversion.of(text), number % 2**64, 64)
    assert found == snprintf(text, ctypes.c_int64(number))


@needs_libc
@settings(max_examples=400, deadline=None)
@given(
    FLAGS, WIDTHS, PRECISIONS, st.sampled_from("eEfFgGaA"),
    st.floats() | st.floats(-1e6, 1e6) | st.integers(-99, 99).map(float),
)  # fmt: skip
@example("#0", "22", ".0", "a", 1.5)
@example("", "", ".0", "a", 5e-324)
@example("0", "22", "", "f", float("-inf"))
def test_floats_as_c_prints_them(flags, width, precision, letter, number) -> None:
    text = f"%{flags}{width}{precision}{letter}"
    assert write(Conversion.of(text), number, 64) == snprintf(text, ctypes.c_double(number))


@pytest.mark.parametrize(
    ("text", "pattern", "bits", "expected"),
    [
        ("%d", 0xFF, 8, "-1"),
        ("%u", 0xFF, 8, "255"),
        ("%x", 0xFF, 8, "ff"),
        ("%lld", 0xFFFF_FFFF, 32, "-1"),
        ("%d", 1, 1, "1"),
        ("%d", 0xF, 4, "-1"),
        ("%d", 1 << 32, 64, "0"),
    ],
)
def test_narrow_integers_are_widened_as_the_conversion_reads_them(
    text: str, pattern: int, bits: int, expected: str
) -> None:
    assert write(Conversion.of(text), pattern, bits) == expected


@pytest.mark.parametrize("letter", "diuxfga")
@pytest.mark.parametrize("size", ["{}", ".{}"])
def test_a_size_beyond_all_reason_is_not_taken_literally(size: str, letter: str) -> None:
    for digits in ("99999999999", "9" * 5000):
        found = write(Conversion.of(f"%{size.format(digits)}{letter}"), 1.0, 64)
        assert 1000 < len(found) < 2**20 or letter == "g"


def test_the_wrong_kind_of_number_is_read_by_its_bits() -> None:
    low, high = struct.unpack("<iI", struct.pack("<d", 0.1))
    assert write(Conversion.of("%d"), 0.1, 64) == str(low)
    assert write(Conversion.of("%llx"), 0.1, 64) == f"{high:x}{low & 0xFFFFFFFF:08x}"
    assert write(Conversion.of("%e"), 1, 32) == f"{5e-324:e}"


def printed(text: str, arrays: list[np.ndarray], grid: int = 1) -> str:
    """What a kernel with one print of some tiles writes."""
    kernel = Kernel()
    names = [kernel.load(array) for array in arrays]
    kinds = [kernel.type(array.shape, spelled(array.dtype)) for array in arrays]
    listed = f", {', '.join(names)}" if names else ""
    types = f" : {', '.join(kinds)}" if names else ""
    kernel.line(f'%t = print_tko "{text}"{listed}{types} -> token')
    return said(kernel, grid)


def said(kernel: Kernel, grid: int = 1, threads: int = 1) -> str:
    """What a kernel writes."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        kernel.run(grid, threads)
    return text.getvalue()


def test_a_tile_is_printed_as_nested_lists() -> None:
    array = np.arange(8, dtype=np.int32).reshape(2, 1, 4)
    assert printed("a=%d b\\0A", [array]) == f"a={array.tolist()} b\n"


def test_formats_and_arguments_are_interleaved() -> None:
    one, two = np.array([1, -2], np.int64), np.array([[0.5]], np.float64)
    found = printed("%% %lld|%5.2lf|%lld 100%%", [one, two, one])
    assert found == "% [1, -2]|[[ 0.50]]|[1, -2] 100%"


@pytest.mark.parametrize(
    "dtype",
    [np.float16, ml_dtypes.bfloat16, np.float32, np.float64, ml_dtypes.float8_e4m3fn,
     ml_dtypes.float8_e5m2],
)  # fmt: skip
def test_floats_of_every_width(dtype: type) -> None:
    array = np.array([0.1, -2.5, np.inf if dtype != ml_dtypes.float8_e4m3fn else 448, 0], dtype)
    expected = ", ".join(f"{float(number):.9f}" for number in array)
    assert printed("%.9f", [array]) == f"[{expected}]"


def test_truth_values_are_one_and_zero() -> None:
    assert printed("%i", [np.array([True, False])]) == "[1, 0]"


def test_four_bits_and_tf32() -> None:
    kernel = Kernel()
    kernel.line("%w = constant <i8: [1, 7, -8, -1]> : tile<4xi8>")
    kernel.line("%i = trunci %w : tile<4xi8> -> tile<4xi4>")
    kernel.line("%f = constant <f4E2M1FN: [0.5, -6.0]> : tile<2xf4E2M1FN>")
    kernel.line("%t = constant <tf32: 1.5> : tile<tf32>")
    kernel.line('%p = print_tko "%d %.1f %.2f", %i, %f, %t : tile<4xi4>, tile<2xf4E2M1FN>, '
                "tile<tf32> -> token")  # fmt: skip
    assert said(kernel) == "[1, 7, -8, -1] [0.5, -6.0] 1.50"


def test_text_without_arguments_once_for_each_block() -> None:
    assert printed("hello %%\\0A", [], grid=3) == "hello %\n" * 3


def test_a_pointer_is_printed_as_its_address() -> None:
    array = np.zeros(2, np.int32)
    kernel = Kernel()
    kernel.load(array)
    kernel.line('%t = print_tko "%p", %array0_base : tile<ptr<i32>> -> token')
    assert said(kernel) == hex(array.ctypes.data)


def test_prints_of_a_block_come_in_order() -> None:
    kernel = Kernel()
    kernel.line("%x, %y, %z = get_tile_block_id : tile<i32>")
    kernel.line("%n = constant <i32: 3> : tile<i32>")
    kernel.line("%one = constant <i32: 1> : tile<i32>")
    kernel.line("for %i in (%zero to %n, step %one) : tile<i32> {")
    kernel.line('%t = print_tko "%d.%d ", %x, %i : tile<i32>, tile<i32> -> token')
    kernel.line("}")
    found = said(kernel, 4, threads=2).split()
    assert sorted(found) == [f"{x}.{i}" for x in range(4) for i in range(3)]
    for x in range(4):
        assert [word for word in found if word.startswith(str(x))] == [f"{x}.{i}" for i in range(3)]


def failing(shape: str, bits: str, message: str) -> KernelAssertionError:
    kernel = Kernel()
    kernel.line(f"%b = constant <i1: {bits}> : tile<{shape}i1>")
    kernel.line(f'assert %b, "{message}" : tile<{shape}i1>')
    with pytest.raises(KernelAssertionError) as caught:
        kernel.run()
    return caught.value


def test_a_false_assertion_names_its_elements(capsys: pytest.CaptureFixture) -> None:
    problem = failing("2x2x", "[[true, false], [true, false]]", "too large")
    assert problem.indices == ((0, 1), (1, 1))
    assert (problem.op, problem.kernel, problem.block) == ("assert", "k", (0, 0, 0))
    assert str(problem) == (
        "assertion failed: too large at element [0, 1], [1, 1] in k, block (0, 0, 0)"
    )
    assert capsys.readouterr().out == f"{problem}\n"


def test_an_assertion_need_not_be_printed(capsys: pytest.CaptureFixture) -> None:
    kernel = Kernel()
    kernel.line("%b = constant <i1: false> : tile<i1>")
    kernel.line('assert %b, "no" : tile<i1>')
    compiled = tileir.compile(tileir.assemble(kernel.module()))["k"]
    with pytest.raises(KernelAssertionError, match="no in k"):
        compiled.launch(1, [], print_assertions=False)
    assert capsys.readouterr().out == ""


def test_a_false_assertion_about_one_element() -> None:
    assert str(failing("", "false", "")) == "assertion failed in k, block (0, 0, 0)"


def test_many_false_elements_are_counted() -> None:
    assert " and 56 more in k" in str(failing("64x", "false", "no"))


def test_an_assertion_error_can_be_pickled() -> None:
    problem = failing("2x", "[true, false]", "no")
    again = pickle.loads(pickle.dumps(problem))
    assert (str(again), again.indices) == (str(problem), problem.indices)


def test_an_assertion_says_its_source_line() -> None:
    """The fixture asserts that the elements are below its last argument."""
    about = Launch("check_values")
    args = about.arguments({key: np.full_like(each, 5) for key, each in about.arrays().items()})
    kernel = tileir.compile(newest("check_values"))["check_values"]
    args[-1] = 5
    with pytest.raises(KernelAssertionError) as caught:
        kernel.launch(about.grid, args)
    assert caught.value.location.split(":")[0].endswith("effects.py")
    assert "value out of range" in str(caught.value)
    args[-1] = 6
    kernel.launch(about.grid, args)
