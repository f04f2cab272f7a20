"""Which bodies of reductions choose fairly: bodies tried on numbers, and argmax on a GPU."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile
from tileir.codegen.analysis.selecting_reductions import chooses, is_selection_by_number

LARGEST = """
%g = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>
%e = cmpf equal ordered %a, %b : tile<f32> -> tile<i1>
%n = cmpf not_equal unordered %a, %a : tile<f32> -> tile<i1>
%m = cmpf not_equal unordered %b, %b : tile<f32> -> tile<i1>
%o = cmpf equal ordered %b, %b : tile<f32> -> tile<i1>
%no = andi %n, %o : tile<i1>
%nm = andi %n, %m : tile<i1>
%more = ori %g, %no : tile<i1>
%tie = ori %e, %nm : tile<i1>
%first = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>
%tied = andi %tie, %first : tile<i1>
%c = ori %more, %tied : tile<i1>
"""
"""Whether a beats b: a NaN all numbers, equals by their places."""
END = """
%x = select %c, %a, %b : tile<i1>, tile<f32>
%y = select %c, %i, %j : tile<i1>, tile<i32>
yield %x, %y : tile<f32>, tile<i32>
"""
UNFAIR = {
    "the later of equals": "%c = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>",
    "NaN loses to what comes first": LARGEST.replace("%more = ori %g, %no", "%more = ori %g, %g"),
    "two orders of integers": LARGEST.replace("%tie, %first", "%tie, %strange").replace(
        "%tied =",
        "%below = cmpi less_than %i, %j, unsigned : tile<i32> -> tile<i1>\n"
        "%strange = andi %first, %below : tile<i1>\n%tied =",
    ),
    "a number with another one": LARGEST.replace("%first = cmpi less_than %i, %j, signed",
        "%z = constant <i32: 7> : tile<i32>\n%first = cmpi less_than %i, %z, signed"),
}  # fmt: skip


def kernel(compare: str, array: np.ndarray, values: np.ndarray, places: np.ndarray):
    text = Kernel()
    rows, columns = array.shape
    value = text.load(array)
    text.line(f"%all = iota : tile<{columns}xi32>")
    text.line(f"%row = reshape %all : tile<{columns}xi32> -> tile<1x{columns}xi32>")
    wide = f"tile<{rows}x{columns}xi32>"
    text.line(f"%at = broadcast %row : tile<1x{columns}xi32> -> {wide}")
    text.line(
        f"%t:2 = reduce {value}, %at dim=1 identities=[0xFF800000 : f32, 0 : i32] :"
        f" tile<{rows}x{columns}xf32>, {wide} -> tile<{rows}xf32>, tile<{rows}xi32>"
        f" (%a: tile<f32>, %b: tile<f32>, %i: tile<i32>, %j: tile<i32>) {{{compare}{END}}}"
    )
    text.store("%t#0", values)
    text.store("%t#1", places)
    return tileir.assemble(text.module())


def example(rows: int = 8, columns: int = 256) -> tuple[np.ndarray, ...]:
    """Rows with ties, and some with NaNs."""
    random = np.random.default_rng(5)
    array = random.integers(0, 9, (rows, columns)).astype("f4")
    array[1::3, 40:90:7] = np.nan
    array[-1] = np.nan
    return array, np.zeros(rows, "f4"), np.zeros(rows, "i4")


def reduction(module):
    return next(op for op in module.functions[0].walk() if op.name == "reduce")


def test_argmax_is_fair() -> None:
    assert chooses(reduction(kernel(LARGEST, *example())))


@pytest.mark.parametrize("name", UNFAIR)
def test_what_depends_on_the_order_is_not(name: str) -> None:
    assert not chooses(reduction(kernel(UNFAIR[name], *example())))


def test_one_that_numbers_its_elements_commutes() -> None:
    assert is_selection_by_number(reduction(kernel(LARGEST, *example())))


@pytest.mark.parametrize("name", UNFAIR)
def test_what_depends_on_the_order_does_not_commute(name: str) -> None:
    assert not is_selection_by_number(reduction(kernel(UNFAIR[name], *example())))


def test_numbers_that_occur_twice_do_not_help() -> None:
    """Of zeros with both signs and one number, each lane would keep its own."""
    op = reduction(kernel(LARGEST, *example()))
    op.attributes["dim"] = 0  # along which the numbers are the same
    assert not is_selection_by_number(op)


def test_a_number_from_here_and_an_element_from_there_are_no_selection() -> None:
    op = reduction(kernel(LARGEST, *example()))
    number = op.regions[0].block.ops[-1].operands["operands"][1].owner
    first, second = number.operands["val_if_true"], number.operands["val_if_false"]
    number.operands |= {"val_if_true": second, "val_if_false": first}
    assert chooses(op)
    assert not is_selection_by_number(op)


@pytest.mark.parametrize("compare", [LARGEST, UNFAIR["the later of equals"]], ids=["fair", "not"])
def test_the_first_largest(compare: str) -> None:
    """An unfair body is given its elements in their order, the later one first."""
    array, values, places = example()
    if compare is not LARGEST:
        array = np.nan_to_num(array)
    launch(kernel(compare, array, values, places), "k", 1, [array, values, places], "sm_80")
    first = np.argmax(array, 1)
    np.testing.assert_array_equal(values, array[np.arange(len(array)), first])
    np.testing.assert_array_equal(places, first)


def test_it_takes_fewer_shuffles() -> None:
    counts = [
        compile(kernel(compare, *example(1, 4096)), "sm_80").ptx.count("shfl.sync")
        for compare in (LARGEST, UNFAIR["the later of equals"])
    ]
    assert 4 * counts[0] <= counts[1]
