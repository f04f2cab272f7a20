"""A part of a type is changed wherever it stands, and nothing else is."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.corpus import NEWEST
from tileir import Bytecode
from tileir.builder.retyped import constant_as, retyped, swapped
from tileir.ir.arrays import unpack
from tileir.ir.constants import Constant
from tileir.types import FunctionType, PartitionView, Pointer, Scalar, TensorView, Tile, Type


def types() -> set[Type]:
    """The types of all values and functions in the fixtures."""
    found: set[Type] = set()
    for path in NEWEST.values():
        for function in Bytecode.parse(path.read_bytes()).functions:
            found |= {value.type for value in function.body.defined()} | {function.type}
    return found


TYPES = types()


def test_types_are_told_apart() -> None:
    kinds = {type(each).__name__ for each in TYPES}
    assert kinds >= {"Tile", "TensorView", "PartitionView", "StridedView", "GatherScatterView"}
    assert kinds >= {"FunctionType", "Token"}


def test_without_a_change_a_type_stays_what_it_is() -> None:
    assert not [each for each in TYPES if retyped(each) != each]


def test_an_element_type_is_another_in_the_text() -> None:
    """f32 is no part of another name that is spelled in these types, but of tf32."""
    wrong = []
    for each in TYPES:
        made = retyped(each, element=lambda old: Scalar("f64") if old == Scalar("f32") else old)
        wrong += [each] if str(made) != re.sub(r"(?<!t)f32", "f64", str(each)) else []
    assert not wrong
    assert any("ptr<f32>" in str(each) for each in TYPES)


def test_extents_of_tiles_and_of_arrays_are_apart() -> None:
    memory = TensorView(Scalar("f32"), (16, None), (16, 1))
    view = PartitionView((16, 8), memory, (0, 1))
    tile = Tile(Pointer(Scalar("f32")), (16, 16))
    function = FunctionType((tile, view), (memory,))
    half, more = swapped({16: 8}), swapped({16: 64, 1: 2})
    smaller, other = PartitionView((8, 8), memory, (0, 1)), Tile(tile.element, (8, 8))
    assert retyped(view, tile=half) == smaller
    assert retyped(function, tile=half) == FunctionType((other, smaller), (memory,))
    wide = TensorView(Scalar("f32"), (64, None), (64, 2))
    assert retyped(view, array=more) == PartitionView((16, 8), wide, (0, 1))
    assert retyped(tile, array=more) == tile
    assert retyped(tile, tile=lambda shape: ()) == Tile(tile.element)


def test_extents_that_become_each_other_are_swapped_at_once() -> None:
    assert swapped({2: 4, 4: 2})((2, 4, None, 8)) == (4, 2, None, 8)


@pytest.mark.parametrize(
    ("element", "extents", "numbers"),
    [
        ("i32", (4,), [1, 2, 3, 4]),
        ("i32", (2,), [1, 2]),
        ("i32", (8,), [1] * 8),
        ("f32", (4,), [1.0] * 4),
        ("i64", (2,), [1, 1]),
    ],
)
def test_constants_keep_their_first_numbers(
    element: str, extents: tuple[int, ...], numbers: list[float]
) -> None:
    old = Constant(Tile(Scalar("i32"), (4,)), np.arange(1, 5, dtype=np.int32).tobytes())
    found = constant_as(old, Tile(Scalar(element), extents))
    np.testing.assert_array_equal(unpack(found.type, found.data, found.is_splat), numbers)
