"""Tensor maps that cannot be encoded are refused, with what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.snippets import kernel, plan, run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import EmulatedLaunchError, TensorMap, load

GOOD: dict[str, Any] = {
    "element": "f16",
    "base": 0,
    "extents": (64, 32),
    "strides": (128,),
    "box": (32, 16),
}


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("elements of type 'f8'", {"element": "f8"}),
        ("6 dimensions", {"extents": (1,) * 6}),
        ("0 dimensions", {"extents": ()}),
        ("2 extents need 1 strides", {"strides": ()}),
        ("2 extents of the box", {"box": (32,)}),
        ("extents are 1 to", {"extents": (64, 0)}),
        ("extents of a box are", {"box": (32, 257)}),
        ("element strides are", {"element_strides": (1, 9)}),
        ("strides are multiples of 16", {"strides": (120,)}),
        ("strides are multiples of 16", {"strides": (1 << 40,)}),
        ("rows of a box are multiples of 16", {"box": (30, 16)}),
        ("swizzles are", {"swizzle": 16}),
        ("longer than the swizzle of 32", {"swizzle": 32}),
        ("fills are", {"fill": "one"}),
        ("only floats", {"fill": "nan", "element": "u16"}),
    ],
)
def test_what_cannot_be_encoded(text: str, change: dict[str, Any]) -> None:
    TensorMap(**GOOD)
    with pytest.raises(EmulatedLaunchError, match=text):
        TensorMap(**{**GOOD, **change})


def test_the_base_is_aligned() -> None:
    x = aligned(np.zeros(4096, np.uint8))
    run("", TensorMap(**{**GOOD, "base": x}), parameters=("map",))
    with pytest.raises(EmulatedLaunchError, match="no multiple of 16"):
        run("", TensorMap(**{**GOOD, "base": x[8:]}), parameters=("map",))


def test_other_arguments_are_no_tensor_maps() -> None:
    with pytest.raises(EmulatedLaunchError, match="expected a TensorMap"):
        run("", np.zeros(16), parameters=("map",))


def test_a_base_may_be_an_address() -> None:
    """Then its memory is among the allocations."""
    x = aligned(np.zeros(4096, np.uint8))
    made = TensorMap(**{**GOOD, "base": x.ctypes.data})
    run("", made, parameters=("map",), allocations=[x])


def test_a_loaded_program_takes_tensor_maps() -> None:
    program = load(kernel("", ("map", "u64")), {"k": plan(("map", "u64"))})
    x = aligned(np.zeros(4096, np.uint8))
    program["k"].launch(1, [TensorMap(**{**GOOD, "base": x}), x])
    with pytest.raises(EmulatedLaunchError, match="expected a TensorMap"):
        program["k"].launch(1, [x, x])
