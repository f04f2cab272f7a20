"""KernelTuner on variants of a kernel: its search strategies, our compiler, and a stated objective.

KernelTuner (https://kerneltuner.github.io) searches a space by one of its strategies and asks its
runner for what configurations are worth. `tune_kernel` gives it a runner that compiles each lot of
configurations as `tileir.variants` does, in parallel, and answers with their figures. So without a
GPU the objective is a static figure of the machine code, or whatever `measure` returns: such as
the time of the kernel on this machine's CPU, by `cpu_time`. Nothing here times a GPU.

It needs the package kernel_tuner from PyPI.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tileir import __version__
from tileir.batches.executors import Threads, cpus
from tileir.batches.variants.figures import FIGURES
from tileir.batches.variants.varying import Dropped, Variant, variants
from tileir.errors import UnsupportedError
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import needing
from tileir.messages.wording import did_you_mean

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from tileir.bytecode import Bytecode

Measure = Callable[[Variant], Mapping[str, float]]
"""What measures a variant: it returns numbers by their names."""

_OURS = {"lang", "observers", "simulation_mode", "parallel", "cache", "kernel_source", "arguments"}
"""Arguments of KernelTuner that mean nothing where it neither compiles nor launches."""
_NO_BLOCKS = "None of the tunable parameters specify thread block dimensions"
"""What KernelTuner warns of; here the compiler chooses how many threads a block has."""
_MS = 1e3


def tune_kernel(
    module: Bytecode | ReadableBuffer | str | Callable[..., Bytecode | ReadableBuffer | str],
    target: str,
    space: Mapping[str, Sequence[Any]],
    *,
    objective: str,
    objective_higher_is_better: bool | None = None,
    measure: Measure | None = None,
    strategy: Any = None,
    executor: Executor | None = None,
    workers: int | None = None,
    compiling: Mapping[str, Any] | None = None,
    **tuning: Any,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Let KernelTuner search a space; return its results and its environment, as its function does.

    module, target, space   as for `tileir.variants`; values of the space can be hashed
    objective   what is made as small as possible, or as large with `objective_higher_is_better`: a
                figure of `tileir.variants` for a GPU, of which it is known which is better; or what
                `measure` returns
    measure     called with each variant that can be launched, one after the other in this thread,
                and returns numbers by their names
    strategy    of KernelTuner: None for all configurations, a name, or an object with `tune`
    executor, workers   where variants are compiled: by default `workers` child processes, as many
                as CPUs if None
    compiling   further arguments of `tileir.variants`, such as seconds or symbols
    tuning      further arguments of KernelTuner's `tune_kernel`: strategy_options, restrictions,
                metrics, seed, quiet ...

    A result has the configuration, the figures and what `measure` returned as floats; or
    `__error__`, KernelTuner's mark of what failed, and `reason`. The environment says what the
    objective is: `device_name` is the target, and `objective_is` says ``static figure of machine
    code`` or ``measured``. MissingPackageError without kernel_tuner; UnsupportedError for an
    objective that nobody knows; else as KernelTuner and `tileir.variants` raise.
    """
    for name in _OURS & tuning.keys():
        raise TypeError(f"{name} means nothing here: KernelTuner neither compiles nor launches")
    with needing(("kernel_tuner",), "tuning"), not_forking:
        from kernel_tuner import interface  # pyright: ignore[reportMissingImports]

    if objective_higher_is_better is None:
        if objective in FIGURES:
            objective_higher_is_better = FIGURES[objective].more
        elif measure is not None:
            objective_higher_is_better = False
    if measure is None and (objective not in FIGURES or target == "host"):
        known = "" if target == "host" else f", which are {', '.join(FIGURES)}"
        raise UnsupportedError(
            f"objective {objective!r} is no figure of machine code for {target}{known};"
            " `measure` may return others"
        )
    chosen = _strategy(interface.strategy_map, strategy)
    owned = None if executor is not None else Threads(workers or cpus())
    given = {**(compiling or {}), "executor": executor or owned, "workers": workers}
    runner = _Runner(module, target, given, measure)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=_NO_BLOCKS)
            results, environment = interface.tune_kernel(
                "variants",
                _no_source,
                1,
                [],
                {name: list(values) for name, values in space.items()},
                lang="CUDA",
                simulation_mode=True,  # or KernelTuner would look for a GPU
                strategy=_Strategy(chosen, runner),
                objective=objective,
                objective_higher_is_better=objective_higher_is_better,
                **tuning,
            )
    finally:
        if owned is not None:
            owned.shutdown(cancel_futures=True)
    for name in ("simulation", "simulated_time"):
        environment.pop(name, None)
    static = objective in FIGURES
    environment["device_name"] = target
    environment["objective_is"] = "static figure of machine code" if static else "measured"
    environment["tileir"] = __version__
    return results, environment


def cpu_time(
    entry: str,
    grid: Sequence[int] | Callable[[Mapping[str, Any]], Sequence[int]],
    arguments: Sequence[Any],
    iterations: int = 7,
) -> Measure:
    """Return what measures the time of a kernel on this machine's CPU, for target ``host``.

    `grid` may be a function of the configuration. The number is called ``time``, as KernelTuner
    does, and is the median of some launches in milliseconds, after one that is not counted. It
    says nothing about a GPU. The measure raises UnsupportedError for a variant for a GPU.
    """

    def measure(variant: Variant) -> Mapping[str, float]:
        if variant.target != "host":
            raise UnsupportedError(f"the CPU's time says nothing about {variant.target}")
        kernel = variant.compile()[entry]
        blocks = tuple(grid(variant.configuration) if callable(grid) else grid)
        taken = []
        for _ in range(iterations + 1):
            started = time.perf_counter()
            kernel.launch(blocks, list(arguments))
            taken.append(_MS * (time.perf_counter() - started))
        return {"time": statistics.median(taken[1:])}

    return measure


class _Strategy:
    """A strategy of KernelTuner with another runner than KernelTuner gives it."""

    def __init__(self, strategy: Any, runner: _Runner) -> None:
        self._strategy, self._runner = strategy, runner

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> Any:
        """Search; KernelTuner calls this."""
        self._runner.theirs = runner
        return self._strategy.tune(searchspace, self._runner, tuning_options)


class _Runner:
    """A runner of KernelTuner: it compiles lots of configurations, and measures them.

    What it does not say itself, KernelTuner's own runner says, which has no device.
    """

    def __init__(
        self, module: Any, target: str, given: Mapping[str, Any], measure: Measure | None
    ) -> None:
        self.theirs: Any = None
        self._module, self._target, self._given = module, target, given
        self._measure = measure

    def __getattr__(self, name: str) -> Any:
        return getattr(self.theirs, name)

    def run(self, parameter_space: Iterable[Sequence[Any]], tuning_options: Any) -> list[Any]:
        """Return a result for each configuration, None for those beyond the budget."""
        with not_forking:
            from kernel_tuner import util  # pyright: ignore[reportMissingImports]

        names = list(tuning_options.tune_params)
        lot = [dict(zip(names, each, strict=True)) for each in parameter_space]
        keys = [",".join(map(str, each.values())) for each in lot]
        budget, known = tuning_options.budget, tuning_options.cache
        new: dict[str, dict[str, Any]] = {}
        for key, configuration in zip(keys, lot, strict=True):
            if key not in known and key not in new and not budget.is_done():
                budget.add_evaluations(1)
                new[key] = configuration
        for key, result in zip(new, self._results(list(new.values())), strict=True):
            if tuning_options.metrics and "__error__" not in result:
                result = util.process_metrics(result, tuning_options.metrics)
            params, quiet = tuning_options.tune_params, self.theirs.quiet
            util.print_config_output(params, result, quiet, tuning_options.metrics, {})
            util.store_cache(key, result, None, known)
        results: list[Any] = []
        for key in keys:
            result = dict(known[key]) if key in known else None
            if result is not None and new.pop(key, None) is None:
                result = util.copy_without_benchmark_timings(result)
            results.append(result)
        return results

    def _results(self, configurations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the results of new configurations, in their order."""
        with not_forking:
            from kernel_tuner import util  # pyright: ignore[reportMissingImports]

        if not configurations:
            return []
        started = time.perf_counter()
        found = variants(self._module, self._target, configurations, **self._given)
        each = _MS * (time.perf_counter() - started) / len(configurations)
        told: dict[str, Variant | Dropped] = {
            repr(one.configuration): one for one in (*found, *found.dropped)
        }
        results = []
        for configuration in configurations:
            one = told[repr(dict(configuration))]
            result = {**configuration, "compile_time": each, "verification_time": 0.0}
            result |= {"benchmark_time": 0.0, "strategy_time": 0.0, "framework_time": 0.0}
            result["timestamp"] = datetime.now(UTC).isoformat()
            if isinstance(one, Dropped):
                failed = util.CompilationFailedConfig()
                results.append({**result, "__error__": failed, "reason": one.reason})
                continue
            result |= {name: float(figure) for name, figure in one.figures.items()}
            if self._measure is not None:
                started = time.perf_counter()
                measured = self._measure(one)
                for name in FIGURES.keys() & measured.keys():
                    raise ValueError(f"measure returns {name!r}, which is a static figure")
                result |= {name: float(value) for name, value in measured.items()}
                result["benchmark_time"] = _MS * (time.perf_counter() - started)
            results.append(result)
        return results


def _strategy(known: Mapping[str, Any], strategy: Any) -> Any:
    """Return the strategy of a name; ValueError for one that KernelTuner does not have."""
    if strategy is not None and not isinstance(strategy, str):
        return strategy
    name = strategy or "brute_force"
    if name not in known:
        raise ValueError(f"KernelTuner has no strategy {name!r}{did_you_mean(name, known)}")
    return known[name]


def _no_source(_: Any) -> str:
    """Return the source that KernelTuner asks for, and nobody compiles."""
    return ""
