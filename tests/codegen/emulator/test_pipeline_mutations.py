"""The emulator notices what is wrong with a producer, its copies and mbarriers, and consumers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegen.emulator.pipelines import (
    KINDS,
    PIPELINE,
    PIPELINE_THREADS,
    STAGE,
    Change,
    pipeline_arguments,
    pipeline_mutants,
    pipeline_verdict,
)
from tests.codegen.emulator.snippets import kernel, run
from tileir.codegen.emulator import SCHEDULES

MUTATIONS: dict[str, tuple[str, Change]] = {
    "fence of init dropped": (r"@%p1 fence\.mbarrier_init[^;]*;", lambda m: ""),
    "init for one more": (r"(init\S+ \[[^]]*\], )(\d)", lambda m: f"{m[1]}{int(m[2]) + 1}"),
    "init for one less": (r"(init\S+ \[[^]]*\], )2", lambda m: f"{m[1]}1"),
    "init dropped": (r"@%p1 mbarrier\.init[^;]*;", lambda m: ""),
    "barrier dropped": (r"bar\.(warp\.)?sync[^;]*;", lambda m: ""),
    "wait dropped": (r"mbarrier\.try_wait[^;]*;", lambda m: "setp.eq.u32 %p9, 0, 0;"),
    "wait not repeated": (r"@%p9 bra", lambda m: "bra"),
    "other parity": (r"(try_wait[^;]*), %r21;", lambda m: f"{m[1]}, %r19;"),
    "starts with the other parity": (
        r"mov\.b32 %r21, (\d);",
        lambda m: f"mov.b32 %r21, {1 - int(m[1])};",
    ),
    "parity never flipped": (r"@%p5 xor[^;]*;", lambda m: ""),
    "expects no bytes": (r"arrive\.expect_tx(\S+ _, \[%r24\]), \d+;", lambda m: f"arrive{m[1]};"),
    "expects more bytes": (rf"(expect_tx[^;]*){STAGE};", lambda m: f"{m[1]}{STAGE + 16};"),
    "expects fewer bytes": (rf"(expect_tx[^;]*){STAGE};", lambda m: f"{m[1]}{STAGE - 16};"),
    "expects twice": (r"mbarrier\.arrive\.expect_tx[^;]*;", lambda m: m[0] + m[0]),
    "arrival dropped": (r"(@%p3 )?mbarrier\.arrive[^;]*;", lambda m: ""),
    "arrives twice": (r"@%p3 mbarrier\.arrive[^;]*;", lambda m: m[0] + m[0]),
    "every thread arrives": (r"@%p3 (mbarrier\.arrive[^;]*;)", lambda m: m[1]),
    "relaxed arrival": (r"(@%p3 mbarrier\.arrive)", lambda m: f"{m[1]}.relaxed.cta"),
    "relaxed wait": (r"try_wait\.parity", lambda m: "try_wait.parity.relaxed.cta"),
    "every thread issues": (r"@!%p1 bra MEET;", lambda m: ""),
    "copy dropped": (r"cp\.async\.bulk\.tensor[^;]*;", lambda m: ""),
    "copied twice": (r"cp\.async\.bulk\.tensor[^;]*;", lambda m: m[0] + m[0]),
    "coordinates swapped": (r"\{0, %r27\}", lambda m: "{%r27, 0}"),
    "other box": (r"\{0, %r27\}", lambda m: "{4, %r27}"),
    "other stage": (r"\[%r26\], \[%d0", lambda m: "[%r4], [%d0"),
    "other mbarrier": (r"\}\], \[%r24\]", lambda m: "}], [%r25]"),
    "inval dropped": (r"@%p1 mbarrier\.inval[^;]*;", lambda m: ""),
    "every thread invalidates": (r"@%p1 (mbarrier\.inval[^;]*;)", lambda m: m[1]),
    "proxy fence dropped": (r"fence\.proxy\.async[^;]*;", lambda m: ""),
    "proxy fence for global memory": (r"async\.shared::cta;", lambda m: "async.global;"),
    "store dropped": (r"cp\.async\.bulk\.global[^;]*;", lambda m: ""),
    "store not waited for": (r"cp\.async\.bulk\.wait_group[^;]*;", lambda m: ""),
    "waits for one less": (r"(bulk\.wait_group) 0;", lambda m: f"{m[1]} 1;"),
    "group not committed": (r"cp\.async\.bulk\.commit_group;", lambda m: ""),
}
"""What is done to each place that a pattern matches."""


@pytest.mark.parametrize("schedule", [*SCHEDULES, "later-blocks", "late-0", "late-1", "late-2"])
def test_the_original_is_right(schedule: str) -> None:
    assert pipeline_verdict(PIPELINE, (schedule,)) == ""


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutants_are_noticed(name: str) -> None:
    found = list(pipeline_mutants(PIPELINE, *MUTATIONS[name]))
    assert found
    assert not [line for line, text in found if not pipeline_verdict(text)]


def test_a_wait_costs_no_steps() -> None:
    """Threads that wait do not poll: a step is a group of threads that goes on."""
    box, out, _ = pipeline_arguments()
    run(
        PIPELINE,
        box,
        out,
        threads=PIPELINE_THREADS,
        parameters=KINDS,
        schedule="ascending",
        limit=200,
    )


@pytest.mark.oracle
def test_the_kernel_is_ptx(tool, tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text(kernel(PIPELINE, KINDS, threads=PIPELINE_THREADS, target="sm_90a"))
    done = tool("ptxas", "-arch=sm_90a", "-o", tmp_path / "k.cubin", source)
    assert done.returncode == 0, done.stderr
