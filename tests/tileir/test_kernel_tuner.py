"""KernelTuner searches among variants: what it finds is the best of all, by the stated objective.

`pytest -m tuner` runs these tests, and fails where KernelTuner is not installed; nothing else does.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.docs.pages import TEXTS, blocks
from tests.tileir.batches.inline import Inline
from tileir.errors import MissingPackageError, UnsupportedError
from tileir.kernel_tuner import cpu_time, tune_kernel
from tileir.messages.missing_packages import is_installed

VECTOR_ADD = (FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes()
SPACE: dict[str, Any] = {"num_warps": [2, 1, 3], "maxnreg": [None]}


@pytest.fixture
def tuner() -> None:
    """KernelTuner is there, or the test fails, as it was asked for."""
    if not is_installed("kernel_tuner"):
        pytest.fail("pip install -e '.[test,tuner]' brings kernel_tuner")


@pytest.mark.tuner
@pytest.mark.oracle
def test_all_configurations_are_searched_and_the_best_is_found(tuner, tool) -> None:
    for name in ("ptxas", "nvdisasm"):
        tool(name, "--version")
    results, environment = tune_kernel(
        VECTOR_ADD, "sm_80", SPACE, objective="registers", executor=Inline(), quiet=True
    )
    found = tileir.variants(VECTOR_ADD, "sm_80", SPACE, executor=Inline())
    figures = {repr(each.configuration): each.figures for each in found}
    told = {repr({name: each[name] for name in SPACE}): each for each in results}
    assert len(told) == len(results) == 3
    for name, result in told.items():
        if name in figures:
            assert {key: result[key] for key in figures[name]} == figures[name]
        else:
            assert (str(result["__error__"]), result["num_warps"]) == ("CompilationFailedConfig", 3)
            assert "not a power of two" in result["reason"]
    best = environment["best_config"]
    assert best["registers"] == min(each["registers"] for each in figures.values())
    assert environment["device_name"] == "sm_80"
    assert environment["objective_is"] == "static figure of machine code"
    assert "simulation" not in environment


@pytest.mark.tuner
@pytest.mark.oracle
def test_the_page_tells_the_truth(tuner, tool, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ptxas", "nvdisasm"):
        tool(name, "--version")
    (body,) = [b.body for b in blocks(TEXTS["docs/guide/variants.md"]) if "-m tuner" in b.left_out]
    exec(compile(body, "variants.md", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.splitlines() == re.findall(r"#> (.*)$", body, re.MULTILINE)


@pytest.mark.tuner
def test_a_strategy_measures_on_the_host_within_its_budget(tuner) -> None:
    """What is measured is whatever `measure` says; each configuration is measured once."""
    measured = []

    def measure(variant: Any) -> dict[str, float]:
        measured.append(variant.configuration["work"])
        return {"time": abs(variant.configuration["work"] - 5)}

    def make(work: int) -> bytes:
        if work % 2 == 0:
            raise ValueError("even")
        return VECTOR_ADD

    results, environment = tune_kernel(
        make, "host", {"work": list(range(12))}, objective="time", measure=measure, seed=3,
        executor=Inline(), quiet=True, restrictions=["work < 8"],
        strategy="random_sample", strategy_options={"max_fevals": 8},
    )  # fmt: skip
    assert sorted(measured) == [1, 3, 5, 7]
    assert {each["reason"] for each in results if "__error__" in each} == {"even"}
    assert environment["best_config"]["work"] == 5
    assert environment["objective_is"] == "measured"


def test_the_time_on_the_cpu_is_of_a_kernel_that_has_run() -> None:
    import numpy as np

    (variant,) = tileir.variants(VECTOR_ADD, "host", [{}], executor=Inline())
    one, two = (np.full(4096, number, np.float32) for number in (1, 2))
    out = np.zeros(4096, np.float32)
    arguments = [part for array in (one, two, out) for part in (array, 4096, 1)]
    taken = cpu_time("vector_add", lambda chosen: (4,), arguments, iterations=1)(variant)
    assert taken["time"] > 0
    assert out[0] == 3


@pytest.mark.tuner
@pytest.mark.parametrize(
    ("target", "given", "error", "said"),
    [
        ("sm_80", {"objective": "time"}, UnsupportedError, "'time' is no figure .* spilled, resi"),
        ("host", {"objective": "registers"}, UnsupportedError, "no figure .* for host; `measure`"),
        ("sm_80", {"objective": "shared", "lang": "C"}, TypeError, "lang means nothing here"),
        ("sm_80", {"objective": "shared", "strategy": "brute"}, ValueError, "no strategy 'brute'"),
    ],
)
def test_what_cannot_be_tuned(tuner, target: str, given: dict, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        tune_kernel(VECTOR_ADD, target, SPACE, **given)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kernel_tuner", None)
    with pytest.raises(MissingPackageError, match='pip install "kernel_tuner>='):
        tune_kernel(VECTOR_ADD, "sm_80", SPACE, objective="shared")
