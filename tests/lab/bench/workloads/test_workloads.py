"""The workloads compute what NumPy does, and their texts are those of their sources."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.lab.bench.workloads.cases import CASES, HERE
from tileir import emulator


def compiled(name: str, target: str) -> tileir.Compilation:
    text = (HERE / f"{name}.mlir").read_text(encoding="utf-8")
    return tileir.compile(tileir.assemble(text), target=target, cache=False)


def test_every_workload_has_a_case() -> None:
    assert {path.stem for path in HERE.glob("*.mlir")} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_the_cpu_computes_what_numpy_does(name: str) -> None:
    case = CASES[name]()
    compiled(name, "host")[name].launch(case.grid, case.arguments(), threads=1)
    case.check()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", CASES)
def test_ptx_computes_what_numpy_does(name: str, target: str) -> None:
    case = CASES[name]()
    emulator.load(compiled(name, target))[name].launch(case.grid, case.arguments())
    case.check()


def test_a_wrong_result_is_found() -> None:
    """Whatever the tolerance: nothing is right before it is computed."""
    for name, make in CASES.items():
        case = make()
        case.arguments()
        with pytest.raises(AssertionError):
            case.check()
        assert all(np.isfinite(np.asarray(each)).all() for each in case.expected.values()), name


def test_texts_are_those_of_their_sources() -> None:
    pytest.importorskip("cuda.tile")
    from tests.lab.bench.workloads import source

    assert set(source.KERNELS) == set(CASES)
    for name in source.KERNELS:
        assert (HERE / f"{name}.mlir").read_text(encoding="utf-8") == source.text_of(name)
