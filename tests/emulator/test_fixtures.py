"""The fixtures that compile for a GPU give the expected bits, in whatever order warps run."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401  (teaches NumPy the names of its types)
import numpy as np
import pytest

from tileir.bytecode import Bytecode
from tileir.codegen import compile
from tileir.errors import UnsupportedError

from . import BETWEEN_BLOCKS, SCHEDULES, launch, load

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
LAUNCHES = FIXTURES / "launches"
TARGETS = ("sm_80", "sm_75", "sm_90")
FEWEST = 119
"""As many fixtures at least compile for a GPU; a larger number with every op lowered."""


@cache
def compiled(name: str, target: str) -> Any:
    """The newest bytecode of a fixture for a GPU; None if something in it is not lowered."""
    path = sorted(FIXTURES.glob(f"13.*/{name}.tileirbc"))[-1]
    try:
        return compile(Bytecode.parse(path.read_bytes()), target)
    except UnsupportedError:
        return None


NAMES = [path.stem for path in sorted(LAUNCHES.glob("*.json"))]


def test_enough_fixtures_compile() -> None:
    assert sum(compiled(name, "sm_90") is not None for name in NAMES) >= FEWEST


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_fixture_gives_the_expected_bits(name: str, target: str) -> None:
    """Code that another target has too is run once."""
    kernels = compiled(name, target)
    if kernels is None:
        pytest.skip("not lowered for GPUs")
    if target != TARGETS[0] and same_code(kernels.ptx, compiled(name, TARGETS[0]).ptx):
        return
    info = json.loads((LAUNCHES / f"{name}.json").read_text())
    data = np.load(LAUNCHES / f"{name}.npz")
    plan = kernels[info["entry"]].plan
    orders = load(kernels.ptx).kernel(info["entry"]).orders_threads
    for schedule in (*SCHEDULES, *(BETWEEN_BLOCKS if orders else ())):
        arrays = {
            array: data[array].view(np.dtype(about["dtype"])).copy()
            for array, about in info["arrays"].items()
        }
        args = [arrays[p["array"]] if "array" in p else p["value"] for p in info["parameters"]]
        launch(kernels.ptx, plan, info["grid"], args, schedule=schedule)
        for array, found in arrays.items():
            expected = data[f"{array}.expected" if array in info["outputs"] else array]
            compare(found.view(expected.dtype), expected, info["tolerance"])


def same_code(ptx: str, other: str) -> bool:
    """Whether two texts differ in their headers only."""
    return ptx.partition(".address_size")[2] == other.partition(".address_size")[2]


def compare(found: np.ndarray, expected: np.ndarray, tolerance: Any) -> None:
    if tolerance is None:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found.astype(float), expected.astype(float), **tolerance)
