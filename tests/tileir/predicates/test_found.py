"""What docs/tileiras_defects.md says is so: the programs are valid and compute, and it fails."""

from __future__ import annotations

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tileir
from tileir.predicates import Bench, Crashes, Says, Subject

TEXT = (Path(__file__).parents[3] / "docs" / "tileiras_defects.md").read_text("utf-8")
PROGRAMS = re.findall(r"```mlir\n(.*?)```", TEXT, re.S)
ROTATE, ROUND_UP, PRODUCT, CHOOSE = (tileir.assemble(each, "13.3") for each in PROGRAMS)


@pytest.mark.parametrize("target", ["host", "sm_90"])
def test_the_program_is_valid_and_defined(target: str) -> None:
    assert not tileir.verify(ROTATE)
    out, x, y = np.zeros(1, "i4"), np.arange(4, dtype="f4"), np.zeros(4, "f4")
    if target == "host":
        kernels = tileir.compile(ROTATE, check=["memory", "undefined"])
        kernels["rotate"].launch((1,), [out, x, y, 5])
    else:  # which looks for races
        emulated = tileir.emulator.load(tileir.compile(ROTATE, target))
        emulated["rotate"].launch((1,), [out, x, y, 5])
    assert out.tolist() == [5]
    assert (y == x).all()


@pytest.mark.parametrize("target", ["host", "sm_90"])
def test_a_conversion_that_is_exact_in_any_rounding(target: str) -> None:
    assert not tileir.verify(ROUND_UP)
    out, x = np.zeros(1, "f4"), ml_dtypes.bfloat16(-1.0 / 3)
    kernels = tileir.compile(ROUND_UP, target)
    kernels = kernels if target == "host" else tileir.emulator.load(kernels)
    kernels["round_up"].launch((1,), [out, x])
    assert out[0] == np.float32(x)


@pytest.mark.parametrize("target", ["host", "sm_100"])
def test_a_product_in_a_cluster(target: str) -> None:
    assert not tileir.verify(PRODUCT, target="sm_100")
    z, w, x = np.zeros(1, "i4"), np.zeros(2, "u1"), np.full(1, 200, "u1")
    kernels = tileir.compile(PRODUCT, target)
    kernels = kernels if target == "host" else tileir.emulator.load(kernels)
    kernels["product"].launch((1,), [z, w, x])
    assert z.tolist() == [2 * 3 * 200]
    assert w.tolist() == [200, 200]


@pytest.mark.parametrize("target", ["host", "sm_100"])
def test_a_branch_that_yields_4_bit_elements(target: str) -> None:
    assert not tileir.verify(CHOOSE, target="sm_100")
    x = np.random.default_rng(1).integers(0, 256, 16 * 32 // 2, "u1")
    kernels = tileir.compile(CHOOSE, target)
    kernels = kernels if target == "host" else tileir.emulator.load(kernels)
    for zero in (False, True):
        y = np.full_like(x, 255)
        kernels["choose"].launch((1,), [y, x, zero])
        assert (y == (0 if zero else x)).all()


@pytest.mark.oracle
@pytest.mark.parametrize("program", [PRODUCT, CHOOSE], ids=["product", "choose"])
def test_tileiras_refuses(program: tileir.Bytecode) -> None:
    """The day that this fails, a release has mended it: then the document says which one."""
    refused = Says.text("failed to compile", Subject.of("tileiras:sm_100"), Bench())
    assert refused.holds(bytes(program.data))


@pytest.mark.oracle
@pytest.mark.parametrize("program", [ROTATE, ROUND_UP], ids=["rotate", "round_up"])
def test_tileiras_crashes(program: tileir.Bytecode) -> None:
    """The day that this fails, a release has mended it: then the document says which one."""
    assert Crashes(Subject.of("tileiras:sm_90"), Bench()).holds(bytes(program.data))
