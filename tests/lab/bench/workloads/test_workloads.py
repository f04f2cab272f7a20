"""The workloads compute what NumPy does, and their texts are those of their sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

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


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CASES)
def test_the_cpu_computes_what_numpy_does(name: str) -> None:
    case = CASES[name]()
    compiled(name, "host")[name].launch(case.grid, case.arguments(), threads=1)
    case.check()


def on_targets() -> Iterator[tuple[str, str]]:
    """Each workload on one target, those with matrix products on two that differ in them."""
    for name in CASES:
        yield name, "sm_80"
        if re.search(r"\bmma[fi]", (HERE / f"{name}.mlir").read_text(encoding="utf-8")):
            yield name, "sm_90"


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "target"), [*on_targets()])
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
