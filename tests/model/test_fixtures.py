"""The model against NumPy: every fixture gives what its author computed."""

from __future__ import annotations

import json
from pathlib import Path

import ml_dtypes  # noqa: F401  (teaches NumPy the names of its types)
import numpy as np
import pytest

from tests.conftest import FIXTURES
from tileir.bytecode import Bytecode

from . import run

LAUNCHES = FIXTURES / "launches"
NEWEST = {path.stem: path for path in sorted(FIXTURES.glob("13.*/*.tileirbc"))}
LAUNCHED = [path for path in NEWEST.values() if (LAUNCHES / f"{path.stem}.json").exists()]


ALIGNMENT = 256
"""Bytes; kernels may assume as much of the arrays that they are made for."""


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy at an aligned address."""
    room = np.empty(array.nbytes + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@pytest.mark.parametrize("path", LAUNCHED, ids=lambda path: path.stem)
def test_fixture_gives_what_numpy_gives(path: Path) -> None:
    launch = json.loads((LAUNCHES / f"{path.stem}.json").read_text())
    data = np.load(LAUNCHES / f"{path.stem}.npz")
    arrays = {
        name: aligned(data[name].view(np.dtype(info["dtype"])))
        for name, info in launch["arrays"].items()
    }
    args = [arrays[p["array"]] if "array" in p else p["value"] for p in launch["parameters"]]
    run(Bytecode.parse(path.read_bytes()), launch["entry"], launch["grid"], args)
    for name, array in arrays.items():
        is_output = name in launch["outputs"]
        expected = data[f"{name}.expected"] if is_output else data[name]
        if is_output and launch["tolerance"]:
            found = array.astype(np.float64)
            wanted = expected.view(array.dtype).astype(np.float64)
            np.testing.assert_allclose(found, wanted, **launch["tolerance"], err_msg=name)
        else:
            np.testing.assert_array_equal(array.view(expected.dtype), expected, err_msg=name)
