"""cuTile's tuner where a CPU stands in for the GPU: fewer measurements, and its timeouts.

What is fastest on the CPU says nothing of the GPU that a program was written for, so there is no
use in measuring every configuration. On a GPU a launch with a timeout is measured by another
process, which can be killed. Here the launch itself watches the clock: it ends between two blocks,
or at the back edge of a loop.
"""

from __future__ import annotations

import functools
import inspect
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib import import_module
from typing import Any

from .driver import Driver, LaunchTimeoutError
from .options import measured


def install(
    launch: Callable[..., Any],
    launching: AbstractContextManager,
    driver: Driver,
    autotune: str | int,
) -> None:
    """Replace the tuner's measurements, its timeouts and, unless all are measured, its search."""
    tune, timed = (import_module(f"cuda.tile.tune.{n}") for n in ("_tune", "_tune_utils"))

    def benchmark(stream: Any, grid: Any, kernel: Any, arguments: Any, flush_l2: Any = True):
        start = time.perf_counter()
        launch(stream, grid, kernel, arguments)
        return (time.perf_counter() - start) * 1e6

    for module in (timed, tune, import_module("cuda.tile._cext")):
        vars(module)["_benchmark"] = benchmark
    vars(timed)["_export_ipc_benchmark_payload"] = lambda *launched: launched[:4]
    runner = TimedRunner(benchmark, launching, driver, timed.TileLaunchTimeoutError)
    vars(timed)["_timed_benchmark_runner"] = runner
    count = measured(autotune)
    if count is not None:
        search = _search(tune, count)
        for module in (tune, import_module("cuda.tile.tune")):
            vars(module)["exhaustive_search"] = search


class TimedRunner:
    """Stands in for the process that measures launches with a timeout; `late` is cuTile's error."""

    def __init__(
        self,
        benchmark: Callable[..., float],
        launching: AbstractContextManager,
        driver: Driver,
        late: type[Exception],
    ) -> None:
        self._benchmark = benchmark
        self._launching = launching
        self._driver = driver
        self._late = late

    def run(self, payload: tuple[Any, ...], timeout_sec: float) -> tuple[float, float]:
        """Return microseconds of a launch, and seconds of it with all around it."""
        start = time.perf_counter()
        with self._launching:
            self._driver.limit = timeout_sec
            try:
                took = self._benchmark(*payload)
            except LaunchTimeoutError:
                problem = f"CUDA kernel launch exceeded timeout {timeout_sec} sec"
                raise self._late(problem) from None
            finally:
                self._driver.limit = None
        return took, time.perf_counter() - start

    def terminate(self, graceful_shutdown: bool) -> None:
        """Do nothing: there is no process."""


def _search(tune: Any, count: int) -> Callable[..., Any]:
    """Return cuTile's search over the first `count` configurations that can be launched.

    If it is 0, the first one is taken as it is, with the time of its only launch.
    """
    original = tune.exhaustive_search
    told: list[None] = []

    @functools.wraps(original)
    def search(
        search_space: Sequence[Any],
        stream: Any,
        grid_fn: Any,
        kernel: Any,
        args_fn: Any,
        hints_fn: Any = None,
        *,
        quiet: bool = False,
        **options: Any,
    ) -> Any:
        """Search as cuTile's does; its parameters are explained there."""
        functions = (stream, grid_fn, kernel, args_fn, hints_fn)
        valid: list[tuple[Any, float]] = []
        failures: list[tuple[Any, type[BaseException], str]] = []
        for configuration in search_space:
            launched = _launched(tune, configuration, functions, options)
            try:
                valid.append((configuration, launched()))
            except Exception as error:
                failures.append((configuration, type(error), str(error)))
            if len(valid) == max(count, 1):
                break
        if not valid:  # cuTile says so
            return original(search_space, *functions, quiet=quiet, **options)
        if not told:
            told.append(None)
            _tell(count, len(search_space))
        if count:
            chosen = [configuration for configuration, _ in valid]
            found = original(chosen, *functions, quiet=True, **options)
            found = replace(found, failures=(*failures, *found.failures))
        else:
            ((configuration, took),) = valid
            best = tune.Measurement(
                config=configuration, mean_us=took, num_samples=1, error_margin_us=0.0
            )
            found = tune.TuningResult(best=best, successes=(best,), failures=tuple(failures))
        if not quiet:
            print(found)
        return found

    return search


def _launched(
    tune: Any, configuration: Any, functions: tuple[Any, ...], options: dict[str, Any]
) -> Callable[[], float]:
    """Return a function that launches a configuration once and returns microseconds."""
    stream, grid_fn, kernel, args_fn, hints_fn = functions
    grid = grid_fn(configuration)
    made = import_module("cuda.tile._execution").kernel
    base = kernel if isinstance(kernel, made) else kernel(configuration)
    hinted = base.replace_hints(**(hints_fn(configuration) if hints_fn is not None else {}))
    limit = options.get("single_run_timeout_sec")

    def launch() -> float:
        given = (stream, grid, hinted, args_fn(configuration))
        if limit is None:
            return tune._benchmark(*given)
        timed = tune.benchmark_with_timeout
        flushed = (True,) if "flush_l2" in inspect.signature(timed).parameters else ()
        return timed(*given, limit, *flushed)[0]

    return launch


def _tell(count: int, total: int) -> None:
    which = f"measures the first {count}" if count else "takes the first"
    print(
        f"tileir cutile: the tuner {which} of {total} configurations that can be launched, as "
        "times on a CPU say nothing of a GPU; --autotune all measures all",
        file=sys.stderr,
    )
