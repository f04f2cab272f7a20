"""Fixtures on a GPU: what they compute is compared with what they ought to, bit by bit."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .driver import Driver, DriverError

HEAP = 64 << 20
"""Bytes that kernels may allocate, of all fixtures together."""


class _Number:
    """A scalar argument: bytes for the kernel, and its number for tensor maps."""

    def __init__(self, data: bytes, number: int) -> None:
        self.bits = (ctypes.c_char * len(data)).from_buffer_copy(data)
        self.value = number


def run(
    folder: Path, driver: Driver, names: Sequence[str], tell: Callable[[str, str], None]
) -> None:
    """Launch fixtures one after the other; `tell` the name and what is wrong, or nothing."""
    rows = json.loads((folder / "fixtures.json").read_text())
    driver.enlarge_heap(HEAP)
    with np.load(folder / "fixtures.npz") as data:
        for name in names:
            tell(name, "started")
            try:
                tell(name, _checked(folder, driver, name, rows[name], data))
            except (DriverError, AssertionError) as problem:
                tell(name, str(problem).strip().partition("\n")[0] or "wrong")
                if isinstance(problem, DriverError) and not str(problem).startswith("cuLibrary"):
                    raise  # the context may serve no more


def _checked(folder: Path, driver: Driver, name: str, row: dict[str, Any], data: Any) -> str:
    addresses = {each: driver.uploaded(data[f"{name}/{each}"]) for each in row["arrays"]}
    numbers: list[Any] = [
        ctypes.c_uint64(addresses[each["array"]]) if "array" in each
        else _Number(bytes.fromhex(each["bytes"]), each["number"])
        for each in row["given"]
    ]  # fmt: skip
    passed = [getattr(each, "bits", each) for each in numbers]
    passed += [driver.of_recipe(recipe, numbers) for recipe in row["tensor_maps"]]
    kernel = driver.load((folder / row["file"]).read_bytes(), row["entry"], row["shared"])
    driver.launch(kernel, row["grid"], row["block"], row["shared"], passed)
    driver.wait()
    wrong = []
    for each, address in addresses.items():
        expected = data[f"{name}/{each}.expected"]
        found = driver.take(np.empty_like(expected), address)
        driver.free(address)
        if not _equal(found, expected, row, each):
            wrong.append(each)
    return f"wrong: {', '.join(wrong)}" if wrong else ""


def _equal(found: np.ndarray, expected: np.ndarray, row: dict[str, Any], array: str) -> bool:
    if row["tolerance"] is None or array not in row["outputs"]:
        alike = expected.dtype.kind == "f" and np.array_equal(found, expected, equal_nan=True)
        return alike or found.tobytes() == expected.tobytes()
    dtype = row["arrays"][array]
    if not hasattr(np, dtype):
        import ml_dtypes  # noqa: F401  (teaches NumPy the names of its types)
    wide = (each.view(np.dtype(dtype)).astype(np.float64) for each in (found, expected))
    return bool(np.allclose(*wide, **row["tolerance"], equal_nan=True))
