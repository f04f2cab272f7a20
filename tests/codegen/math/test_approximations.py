"""Functions on GPUs whose approximate instructions err as much as PTX lets them."""

from __future__ import annotations

import numpy as np
import pytest

from tests import emulator
from tests.codegen.build import elementwise
from tests.emulator import APPROXIMATIONS
from tileir.codegen import compile
from tileir.codegen.scalar.math import hyperbolic
from tileir.codegen.scalar.math.binary import SINGLE

from .expected import OPS
from .measure import Measured, arguments, bound, compare, types_of

pytestmark = pytest.mark.usefixtures("quiet")

LOOSE = {"exp": 3.0, "exp2": 2.5, "rsqrt": 2.2}
"""What README says of f32 on GPUs: these give what an instruction gives."""
APPROXIMATED = ("cosh", "exp", "exp2", "fpowf", "fpowi", "rsqrt", "sinh", "tanh")
SIZE = 1024


def on_gpu(name: str, types: tuple[str, ...], choice: str, samples: int) -> Measured:
    arrays = arguments(name, types, samples)
    count = len(arrays[0])
    blocks = -(-count // SIZE)
    padded = [np.resize(array, blocks * SIZE) for array in arrays]
    found = np.zeros_like(padded[0])
    kernels = compile(elementwise(name, types, types[0], SIZE), "sm_90")
    for first in range(0, len(found), SIZE):
        part = [array[first : first + SIZE] for array in (*padded, found)]
        emulator.launch(
            kernels.ptx, kernels.plan["apply"], 1, part, races=False, approximations=choice
        )
    return compare(name, types, arrays, found[:count])


@pytest.mark.parametrize("choice", APPROXIMATIONS[1:-1])
@pytest.mark.parametrize("name", APPROXIMATED)
def test_errors_are_bounded(name: str, choice: str) -> None:
    found = on_gpu(name, types_of(name, "f32")[-1], choice, 6000)
    assert not found.wrong
    assert found.error <= LOOSE.get(name, bound(name, "f32"))


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("name", APPROXIMATED)
def test_halves_are_rounded_from_f32(name: str, element: str) -> None:
    found = on_gpu(name, types_of(name, element)[-1], "random-2", 2000)
    assert not found.wrong
    assert found.error <= bound(name, element)


def test_no_other_function_has_approximations() -> None:
    for name in set(OPS) - set(APPROXIMATED):
        ptx = compile(elementwise(name, types_of(name, "f32")[-1], "f32", 128), "sm_90").ptx
        assert ".approx" not in ptx


def test_a_bound_is_tight_enough_to_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exponential of an instruction is not good enough for tanh near zero."""
    monkeypatch.setitem(hyperbolic._TANH_FAR, SINGLE, 0.55)
    assert on_gpu("tanh", ("f32",), "random-1", 6000).error > 2
