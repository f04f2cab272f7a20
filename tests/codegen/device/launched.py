"""Fixtures through `launch` on whatever driver there is.

``python -m tests.codegen.device.launched NAME TARGET`` does one of them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import ml_dtypes  # noqa: F401  (teaches NumPy the names of its types)
import numpy as np

from tests.emulator.test_fixtures import compare
from tileir import Bytecode, compile
from tileir.codegen.device.copies import copied

ROOT = Path(__file__).parent.parent.parent.parent
FIXTURES = ROOT / "fixtures"
NAMES = [path.stem for path in sorted((FIXTURES / "launches").glob("*.json"))]


def newest(name: str) -> Bytecode:
    """The newest bytecode of a fixture."""
    path = sorted(FIXTURES.glob(f"13.*/{name}.tileirbc"))[-1]
    return Bytecode.parse(path.read_bytes())


def check_fixture(name: str, target: str) -> None:
    """Launch a fixture on its arrays; UnsupportedError if it cannot be compiled."""
    info = json.loads((FIXTURES / "launches" / f"{name}.json").read_text())
    data = np.load(FIXTURES / "launches" / f"{name}.npz")
    kernel = compile(newest(name), target)[info["entry"]]
    arrays = {
        array: data[array].view(np.dtype(about["dtype"])).copy()
        for array, about in info["arrays"].items()
    }
    args = [arrays[p["array"]] if "array" in p else p["value"] for p in info["parameters"]]
    with copied(args) as arguments:
        kernel.launch(info["grid"], arguments)
    for array, found in arrays.items():
        expected = data[f"{array}.expected" if array in info["outputs"] else array]
        compare(found.view(expected.dtype), expected, info["tolerance"])


if __name__ == "__main__":
    check_fixture(*sys.argv[1:])
