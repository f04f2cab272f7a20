"""Campaigns lose no kernel: not one that kills the child, nor one that never ends."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from tileir.smith.program import program
from tileir.smith.recipes import RECIPES, single

from .__main__ import main
from .campaign import Job, Result, run


def look(job: Job) -> Result:
    """Kill the process, sleep, or be well."""
    if job.seed == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if job.seed == 3:
        time.sleep(60)
    return Result(job, "same")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_what_dies_or_hangs_is_a_finding() -> None:
    found = list(run([Job("", seed) for seed in range(5)], look, patience=2))
    assert [result.job.seed for result in found] == [0, 1, 2, 3, 4]
    assert [result.verdict for result in found] == ["same", "crashed", "same", "crashed", "same"]
    assert found[1].text == f"exit code {-signal.SIGSEGV}"
    assert "silent" in found[3].text


@pytest.mark.parametrize("name", ["addi", "reduce", "load_view_tko", "atomic_rmw_tko"])
def test_a_seed_always_gives_the_same_kernel(name: str) -> None:
    one, two = (single(name, 5) for _ in range(2))
    assert one.bytecode.build() == two.bytecode.build()
    assert [arg.tobytes() for arg in one.args] == [arg.tobytes() for arg in two.args]
    assert single(name, 6).bytecode.build() != one.bytecode.build()


def test_programs_use_most_ops() -> None:
    used = {op.name for seed in range(30) for op in program(seed).bytecode.functions[0].body.walk()}
    assert len(used & set(RECIPES)) > 50
    assert used >= {"for", "loop", "if", "reduce", "scan", "atomic_rmw_tko", "alloca", "mmaf"}


def test_blocks_that_meet_say_so() -> None:
    """Atomics of several blocks on one place race if their scope is the block."""
    scopes = {False: set(), True: set()}
    for seed in range(60):
        case = single("atomic_rmw_tko", seed)
        (op,) = (op for op in case.bytecode.functions[0].walk() if op.name == "atomic_rmw_tko")
        scopes[len(case.grid) > 1].add(op.attributes["memory_scope"])
    assert scopes == {False: {"tl_blk", "device", "sys"}, True: {"device", "sys"}}


def test_wrong_use_is_told(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--op", "nothing"])
    assert "invalid choice" in capsys.readouterr().err
