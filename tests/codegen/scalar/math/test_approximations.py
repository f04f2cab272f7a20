"""Functions on GPUs whose approximate instructions err as much as PTX lets them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.codegen.build import elementwise
from tileir.codegen import compile, emulator
from tileir.codegen.emulator import APPROXIMATIONS
from tileir.codegen.scalar.math import hyperbolic
from tileir.codegen.scalar.math.binary import SINGLE

from .expected import OPS, unit
from .measure import Measured, arguments, bound, compare, types_of

pytestmark = pytest.mark.usefixtures("quiet")

LOOSE = {"exp": 3.1, "exp2": 2.5, "rsqrt": 2.2}
"""What docs/guide/what_works.md says of f32 on GPUs: these give what an instruction gives."""
APPROXIMATED = ("cosh", "exp", "exp2", "fpowf", "fpowi", "rsqrt", "sinh", "tanh")
SIZE = 1024


def on_gpu(
    name: str, types: tuple[str, ...], choice: str, arrays: list[np.ndarray]
) -> Measured:  # fmt: skip
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
    types = types_of(name, "f32")[-1]
    found = on_gpu(name, types, choice, arguments(name, types, 6000))
    assert not found.wrong
    assert found.error <= LOOSE.get(name, bound(name, "f32"))


@pytest.mark.parametrize("choice", ["low", "high"])
def test_the_largest_exponentials(choice: str) -> None:
    """Of every eighth f32, from the first whose result is infinite down to 2^127.5."""
    low, high = (int(np.float32(x).view(np.int32)) for x in (88.376, 88.72284))
    found = on_gpu("exp", ("f32",), choice, [np.arange(high, low, -8, np.int32).view(np.float32)])
    assert not found.wrong
    assert found.error <= LOOSE["exp"]


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("name", APPROXIMATED)
def test_halves_are_rounded_from_f32(name: str, element: str) -> None:
    types = types_of(name, element)[-1]
    found = on_gpu(name, types, "random-2", arguments(name, types, 2000))
    assert not found.wrong
    assert found.error <= bound(name, element)


ROUGH = {
    "divf approx": ("div.approx.f32", np.divide, 2.5),
    "divf full": ("div.full.f32", np.divide, 2.5),
    "exp approx": ("ex2.approx.f32", np.exp, 13.0),
    "sqrt approx": ("sqrt.approx.f32", np.sqrt, 2.0),
    "tanh approx": ("tanh.approx.f32", np.tanh, 2.0**13),
}
"""Mode -> its instruction, the function, and units in the last place for operands up to 10."""


@pytest.mark.parametrize("choice", APPROXIMATIONS)
@pytest.mark.parametrize("mode", ROUGH)
def test_approximate_modes_are_one_instruction(mode: str, choice: str) -> None:
    instruction, function, units = ROUGH[mode]
    name, rounding = mode.split()
    random = np.random.default_rng(5)
    arrays = [random.uniform(0.01, 10, SIZE).astype(np.float32) for _ in range(function.nin)]
    found = np.zeros(SIZE, np.float32)
    flush = {} if name in ("exp", "tanh") else {"flush_to_zero": False}
    module = elementwise(name, ["f32"] * function.nin, "f32", SIZE, rounding_mode=rounding, **flush)
    kernels = compile(module, "sm_90")
    emulator.launch(
        kernels.ptx, kernels.plan["apply"], 1, [*arrays, found], races=False,
        approximations=choice,
    )  # fmt: skip
    assert kernels.ptx.count(instruction) == SIZE // 128
    exact = function(*(array.astype(np.float64) for array in arrays))
    assert (np.abs(found - exact) <= units * unit(exact, "f32")).all()


@pytest.mark.oracle
@pytest.mark.parametrize("target", ["sm_75", "sm_80"])
def test_nvidia_assembles_them(tool, tmp_path: Path, target: str) -> None:
    """On the oldest GPUs, whose PTX is the oldest."""
    for mode, (_, function, _) in ROUGH.items():
        name, rounding = mode.split()
        module = elementwise(name, ["f32"] * function.nin, "f32", 128, rounding_mode=rounding)
        source = tmp_path / "rough.ptx"
        source.write_text(compile(module, target).ptx)
        done = tool("ptxas", f"-arch={target}", "-o", tmp_path / "rough.cubin", source)
        assert done.returncode == 0, (done.stdout + done.stderr).decode()


def test_only_the_instruction_needs_a_newer_ptx() -> None:
    for mode, version in (("full", "6.3"), ("approx", "7.0")):
        ptx = compile(elementwise("tanh", ["f32"], "f32", 128, rounding_mode=mode), "sm_75").ptx
        assert f".version {version}\n" in ptx


def test_no_other_function_has_approximations() -> None:
    for name in set(OPS) - set(APPROXIMATED):
        ptx = compile(elementwise(name, types_of(name, "f32")[-1], "f32", 128), "sm_90").ptx
        assert ".approx" not in ptx


def test_a_bound_is_tight_enough_to_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exponential of an instruction is not good enough for tanh near zero."""
    monkeypatch.setitem(hyperbolic._TANH_FAR, SINGLE, 0.55)
    assert on_gpu("tanh", ("f32",), "random-1", arguments("tanh", ("f32",), 6000)).error > 2
