"""One kernel, ours and others', in a process of its own: is it right, and how long does it take.

What is known is written to a file at once, with the side that is on its turn: whoever has started
this process reads there what went wrong if it ends in an unforeseen way.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import json
import math
import statistics
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np

from . import answers, arrays, rivals
from .driver import Driver, DriverError

CUBINS = ("ours", "tileiras")
SIDES = (*CUBINS, "torch", "triton")
"""Those that are launched by the driver, and all."""
WARM_UP, FEWEST, MOST, SECONDS = 2, 7, 50, 0.4
"""Launches that are not timed; those that are, at least and at most, or as many as take so long."""
TRIES = 3
"""Launches of each grid, of which the faster one is kept."""

Run = Callable[[], Any]


def arguments_of(case: dict[str, Any], addresses: list[int]) -> list[Any]:
    """What cuTile passes: address, extents and strides of each tensor; then the numbers."""
    made: list[Any] = []
    for tensor, address in zip(case["tensors"], addresses, strict=True):
        shape = tensor["shape"]
        strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        made.append(ctypes.c_uint64(address))
        made += [ctypes.c_int32(n) for n in (*shape, *strides)]
    return made + [ctypes.c_float(number) for number in case["numbers"]]


class Measured:
    """The sides of a case: each is a launch, made and checked; then all take turns."""

    def __init__(self, case: dict[str, Any], driver: Driver, folder: Path, out: Path) -> None:
        self.case, self.driver, self.folder, self.out = case, driver, folder, out
        self.arrays = [arrays.filled(each, seed) for seed, each in enumerate(case["tensors"])]
        self.dtypes = [each["dtype"] for each in case["tensors"]]
        self.given = answers.Given(self.arrays, self.dtypes, case["numbers"])
        self.result = answers.result_of(case["tensors"])
        self.addresses = [driver.uploaded(each) for each in self.arrays]
        self.found: dict[str, Any] = {}
        self.runs: dict[str, Run] = {}

    def tell(self, turn: str | None = None) -> None:
        """Write down what is known, and whose turn it is."""
        self.out.write_text(json.dumps({"turn": turn, "sides": self.found}))

    def add(self, side: str) -> None:
        """Make a side and check it."""
        self.tell(side)
        try:
            made = self._by_driver(side) if side in CUBINS else self._by_torch(side)
        except (RuntimeError, ImportError, ValueError, TypeError, AttributeError) as problem:
            if _lost(problem):
                raise
            text = str(problem).strip().partition("\n")[0]
            self.found[side] = {"problem": text or type(problem).__name__}
            return
        if made is not None:
            self.runs[side], self.found[side] = made

    def _by_driver(self, side: str) -> tuple[Run, dict[str, Any]] | None:
        about, driver = self.case[side], self.driver
        if about is None:
            return None
        image = (self.folder / about["file"]).read_bytes()
        kernel = driver.load(image, self.case["entry"], about["shared"])
        arguments = arguments_of(self.case, self.addresses)
        passed = arguments + [driver.of_recipe(each, arguments) for each in about["tensor_maps"]]
        run, found = None, {}
        for grid in about["grids"]:

            def launch(grid: Any = grid) -> None:
                driver.launch(kernel, grid, about["block"], about["shared"], passed)

            driver.put(self.addresses[self.result], self.arrays[self.result])
            launch()
            driver.wait()
            there = driver.take(self.arrays[self.result].copy(), self.addresses[self.result])
            error = answers.worst(self.case, self.given, there)
            took = min(driver.seconds(launch) for _ in range(TRIES))
            if run is None or took < found["first"] or not self._right(error):
                run, found = launch, {"error": error, "first": took, "grid": grid}
            if not self._right(error):
                break
        return run, found | {"right": self._right(found["error"])}

    def _by_torch(self, side: str) -> tuple[Run, dict[str, Any]] | None:
        torch = importlib.import_module("torch")
        device = "cuda" if torch.cuda.is_available() else "cpu"
        tensors = rivals.tensors(torch, self.arrays, self.dtypes, device)
        make = rivals.of_triton
        if side == "torch":

            def make(*given: Any) -> Run | None:
                return rivals.of_torch(torch, *given)

        run = make(self.case, tensors, self.case["numbers"])
        if run is None:
            return None
        result = run()
        if device == "cuda":
            torch.cuda.synchronize()
        error = self._error_of(result.float().cpu().numpy())
        took = min(self.driver.seconds(run) for _ in range(TRIES))
        return run, {"error": error, "right": self._right(error), "first": took}

    def _error_of(self, result: np.ndarray) -> float:
        """As `answers.worst`, of a result that is f32 already."""
        shape = self.arrays[self.result].shape
        given = self.given._replace(dtypes=[
            "float32" if i == self.result else each for i, each in enumerate(self.dtypes)
        ])  # fmt: skip
        return answers.worst(self.case, given, result.reshape(shape))

    def _right(self, error: float) -> bool:
        return error <= (1 if self.case["tolerance"] else 0)

    def time(self) -> None:
        """Time all sides in turns; the median counts."""
        self.tell("times")
        slowest = max((self.found[side]["first"] for side in self.runs), default=1)
        repeat = int(min(max(SECONDS / max(slowest, 1e-6), FEWEST), MOST))
        times: dict[str, list[float]] = {side: [] for side in self.runs}
        for turn in range(WARM_UP + repeat):
            for side, run in self.runs.items():
                took = self.driver.seconds(run)
                if turn >= WARM_UP:
                    times[side].append(took)
        for side, each in times.items():
            self.found[side]["seconds"] = statistics.median(each)
        self.tell()


def _lost(problem: Exception) -> bool:
    """Whether the driver may serve this process no more, after what a kernel did."""
    text = str(problem)
    if isinstance(problem, DriverError):
        return not text.startswith(("cuLibrary", "cuKernel", "cuTensorMap"))
    return "CUDA error" in text


def run(case: dict[str, Any], folder: Path, out: Path, without: Collection[str]) -> None:
    """Measure a case, but for some sides; everything goes to the file `out`."""
    measured = Measured(case, Driver(), folder, out)
    for side in SIDES:
        there = side in CUBINS or importlib.util.find_spec(side) is not None
        if there and side not in without:
            measured.add(side)
    measured.time()
