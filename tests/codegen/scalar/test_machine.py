"""Emitted code can be selected on every kind of machine, and calls no library there."""

from __future__ import annotations

import subprocess
import sys

import llvmlite.binding as llvm
import pytest
from llvmlite import ir

from tests.codegen.test_unsupported_ops import ROOT
from tileir.codegen.scalar.machine import PORTABLE, Machine, machine_of

from .compile_emitters import TARGETS


@pytest.mark.parametrize("target", TARGETS)
def test_emitted_code_calls_nothing(target: str, whole: bool) -> None:
    """Each target has every fifth of the ops, another one than its neighbours."""
    program = "tests.codegen.scalar.compile_emitters"
    command = [sys.executable, "-m", program, target, "1" if whole else "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    if target == "x86":
        # Without the instruction there is only the C library's.
        assert all(line.startswith("fma f64 ") for line in done.stdout.splitlines())
    else:
        assert done.stdout == ""


def test_a_module_says_what_it_is_for() -> None:
    module = ir.Module("any")
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), []), "f")
    builder = ir.IRBuilder(function.append_basic_block())
    assert machine_of(builder) is PORTABLE
    module.machine = Machine.nvptx()
    assert machine_of(builder).half_conversions


def test_the_host_is_asked_what_it_has() -> None:
    if llvm.get_process_triple().startswith("x86_64"):
        features = llvm.get_host_cpu_features()
        expected = Machine(features["f16c"], features["fma"], scales=features["avx512f"])
        assert Machine.of_host() == expected
