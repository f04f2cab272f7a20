"""The emulator notices what is wrong with two blocks of a cluster that load for each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegen.emulator.pipelines import (
    CLUSTER_PIPELINE,
    KINDS,
    PIPELINE_THREADS,
    STAGE,
    Change,
    pipeline_mutants,
    pipeline_verdict,
)
from tests.codegen.emulator.snippets import kernel
from tileir.codegen.emulator import SCHEDULES

MUTATIONS: dict[str, tuple[str, Change]] = {
    "fence of init dropped": (r"@%p1 fence\.mbarrier_init[^;]*;", lambda m: ""),
    "init for one more": (r"(init\S+ \[[^]]*\], )(\d)", lambda m: f"{m[1]}{int(m[2]) + 1}"),
    "init for one less": (r"(init\S+ \[[^]]*\], )4", lambda m: f"{m[1]}3"),
    "barrier of the cluster dropped": (r"barrier\.cluster\.arrive;\nbarrier\.cluster\.wait;\n",
                                       lambda m: "bar.sync 0;\n"),
    "relaxed arrival at the cluster": (r"barrier\.cluster\.arrive;\n(?=barrier.cluster.wait;\n@)",
                                       lambda m: "barrier.cluster.arrive.relaxed;\n"),
    "wait not repeated": (r"@%p9 bra", lambda m: "bra"),
    "starts with the other parity": (r"mov\.b32 %r21, (\d);",
                                     lambda m: f"mov.b32 %r21, {1 - int(m[1])};"),
    "arrives at one block only": (r"@%p3 mbarrier\.arrive[^;]*;", lambda m: ""),
    "arrives at its own": (r"(@%p3 mbarrier\.arrive[^;]*)%r33", lambda m: f"{m[1]}%r25"),
    "relaxed remote arrival": (r"arrive\.release\.cluster", lambda m: "arrive.relaxed.cluster"),
    "multicast to one block": (r"%h5, 3;", lambda m: "%h5, 1;"),
    "expects its own half": (rf"(expect_tx[^;]*){STAGE};", lambda m: f"{m[1]}{STAGE // 2};"),
    "the same half": (r"mad\.lo\.u32 %r27, %r32[^;]*;", lambda m: ""),
    "the same place": (r"mad\.lo\.u32 %r26, %r32[^;]*;", lambda m: ""),
    "warps do not meet": (r"bar\.warp\.sync[^;]*;", lambda m: ""),
}  # fmt: skip
"""What is done to each place that a pattern matches."""


@pytest.mark.parametrize("schedule", [*SCHEDULES, "later-blocks", "late-0", "late-1", "late-4"])
def test_the_original_is_right(schedule: str) -> None:
    assert pipeline_verdict(CLUSTER_PIPELINE, (schedule,), 2) == ""


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutants_are_noticed(name: str) -> None:
    found = list(pipeline_mutants(CLUSTER_PIPELINE, *MUTATIONS[name]))
    assert found
    assert not [line for line, text in found if not pipeline_verdict(text, blocks=2)]


@pytest.mark.oracle
def test_the_kernel_is_ptx(tool, tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    directives = ".reqnctapercluster 2\n"
    text = kernel(
        CLUSTER_PIPELINE, KINDS, threads=PIPELINE_THREADS, target="sm_90a", directives=directives
    )
    source.write_text(text)
    done = tool("ptxas", "-arch=sm_90a", "-o", tmp_path / "k.cubin", source)
    assert done.returncode == 0, done.stderr
