"""How fixtures are launched: what fixtures/launches says of them, and their arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import ml_dtypes  # noqa: F401  (teaches NumPy the names of its types)
import numpy as np

from tileir.bytecode import Bytecode

from .corpus import FIXTURES, NEWEST

LAUNCHES = FIXTURES / "launches"
NAMES = [path.stem for path in sorted(LAUNCHES.glob("*.json"))]


def newest(name: str) -> Bytecode:
    """The newest bytecode of a fixture."""
    return Bytecode.parse(NEWEST[name].read_bytes())


class Launch:
    """The launch that comes with a fixture.

    tolerance   `rtol` and `atol` of what it gives; None where every bit counts
    parameters  for each either the name of an array or a value
    data        the arrays beforehand, and as `.expected` those it gives; maybe as plain bits
    """

    def __init__(self, name: str) -> None:
        about = json.loads((LAUNCHES / f"{name}.json").read_text())
        self.entry: str = about["entry"]
        self.grid: list[int] = about["grid"]
        self.outputs: list[str] = about["outputs"]
        self.tolerance: dict[str, float] | None = about["tolerance"]
        self.parameters: list[dict[str, Any]] = about["parameters"]
        self.dtypes = {array: np.dtype(each["dtype"]) for array, each in about["arrays"].items()}
        with np.load(LAUNCHES / f"{name}.npz") as data:
            self.data = dict(data)

    def arrays(self) -> dict[str, np.ndarray]:
        """New arrays for a launch."""
        return {name: self.data[name].view(dtype).copy() for name, dtype in self.dtypes.items()}

    def arguments(self, arrays: Mapping[str, Any]) -> list[Any]:
        """What the kernel is given, if these are the arrays."""
        return [arrays[row["array"]] if "array" in row else row["value"] for row in self.parameters]

    def expected(self, name: str) -> np.ndarray:
        """What an array holds afterwards."""
        return self.data[f"{name}.expected" if name in self.outputs else name]

    def check(self, arrays: Mapping[str, np.ndarray]) -> None:
        """AssertionError unless the arrays are what they ought to be after a launch."""
        for name, found in arrays.items():
            expected = self.expected(name)
            if self.tolerance is None or name not in self.outputs:
                np.testing.assert_array_equal(found.view(expected.dtype), expected, err_msg=name)
            else:
                dtype = self.dtypes[name]
                wide = (each.view(dtype).astype(np.float64) for each in (found, expected))
                np.testing.assert_allclose(*wide, **self.tolerance, err_msg=name)
