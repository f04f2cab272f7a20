"""compile as a program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.programs import call, fails
from tileir.__main__ import main
from tileir.codegen import pipeline
from tileir.tools import nvidia

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
WRONG = FIXTURES / "invalid" / "rules" / "alloca-alignment.tileirbc"
MULTIMEM = FIXTURES / "13.5" / "multimem.tileirbc"


def tileir(*arguments: object, data: bytes | None = None) -> subprocess.CompletedProcess[str]:
    return call(main, *arguments, data=data)


@pytest.mark.oracle
def test_machine_code(tool, tmp_path: Path) -> None:
    """By way of NVIDIA's tools; a cubin is an ELF file that they take apart themselves."""
    out = tmp_path / "k.cubin"
    tool("nvdisasm", "--version")
    given = ("compile", "--target", "sm_80", "--emit")
    assert tileir(*given, "cubin", VECTOR_ADD, "-o", out).returncode == 0
    said = tool("nvdisasm", "-c", out)
    assert said.returncode == 0, said.stderr
    assert b"LDG.E.128" in said.stdout
    assert tileir(*given, "sass", VECTOR_ADD).stdout == said.stdout.decode()
    located = FIXTURES / "13.4" / "helper_calls.tileirbc"
    assert "//## File " in tileir(*given, "sass", "--lineinfo", located).stdout
    assert "//## File " not in tileir(*given, "sass", located).stdout


def test_tools_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvidia, "find", lambda name: None)
    fails(
        tileir("compile", "--target", "sm_90", "--emit", "sass", VECTOR_ADD), 5,
        "ptxas is not installed; pip install nvidia-cuda-nvcc",
    )  # fmt: skip


def test_a_tool_that_fails_is_no_wrong_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python stands in for a ptxas that knows none of its arguments."""
    monkeypatch.setattr(nvidia, "find", lambda name: Path(sys.executable))
    done = tileir("compile", "--target", "sm_90", "--emit", "cubin", VECTOR_ADD)
    fails(done, 5, "ptxas failed: ", lines=0)


def test_ptx_llvm_and_plan(tmp_path: Path) -> None:
    ptx = tileir("compile", "--target", "sm_90", VECTOR_ADD)
    assert ".visible .entry vector_add(" in ptx.stdout
    llvm = tileir("compile", "--target", "sm_90", "--emit", "llvm", VECTOR_ADD)
    assert "define ptx_kernel void" in llvm.stdout
    plan = tileir("compile", "--target", "sm_90", "--emit", "plan", VECTOR_ADD)
    assert json.loads(plan.stdout)["vector_add"]["block"] == [128, 1, 1]
    out = tmp_path / "k.ptx"
    assert tileir("compile", "--target", "sm_90", VECTOR_ADD, "-o", out).returncode == 0
    assert out.read_text() == ptx.stdout
    piped = tileir("compile", "--target", "sm_90", "-", data=VECTOR_ADD.read_bytes())
    assert piped.stdout == ptx.stdout


def test_the_host_has_no_ptx() -> None:
    fails(tileir("compile", "--emit", "ptx", VECTOR_ADD), 2, "no GPU is named, which --emit ptx")
    fails(
        tileir("compile", "--num-warps", 4, VECTOR_ADD), 2,
        "no GPU is named, which --num-warps needs; give a GPU as"
        " --target, such as sm_90, or nv_tileaa.compute_capability = 90 to the module of a text",
    )  # fmt: skip
    assert tileir("compile", "--num-ctas", 1, VECTOR_ADD).returncode == 0
    fails(tileir("compile", "--target", "host", "--lineinfo", VECTOR_ADD), 2, "--lineinfo needs a")
    assert "define void" in tileir("compile", VECTOR_ADD).stdout


NOOP = """\
module attributes { nv_tileaa.compute_capability = 90 : i32, tt.num_warps = 4 : i32 } {
  cuda_tile.module { cuda_tile.entry @noop() { cuda_tile.return } }
}
"""


def test_a_text_is_assembled_first(tmp_path: Path) -> None:
    (tmp_path / "noop.mlir").write_text(NOOP)
    ptx = tileir("compile", tmp_path / "noop.mlir").stdout
    assert ".target sm_90\n" in ptx
    assert ".entry noop()\n.reqntid 128, 1, 1\n" in ptx
    assert tileir("compile", "-", data=NOOP.encode()).stdout == ptx
    other = tileir("compile", "--target", "sm_80", tmp_path / "noop.mlir").stdout
    assert ".target sm_80\n" in other
    assert tileir("run", tmp_path / "noop.mlir", "--list").stdout == "noop\n"
    for verb in ("compile", "run"):
        fails(
            tileir(verb, "-", data=b"entry @k() { nothing }"), 3, "<stdin>:1:14: error: ", lines=3
        )


@pytest.mark.parametrize(
    "given", [("compile", "--target", "sm_90", "-"), ("compile", "-"), ("run", "--json", "-")]
)
def test_launch_attributes_that_nobody_follows_are_named(given: tuple[str, ...]) -> None:
    slip, meant = "nv_tileaa.target_spek", "nv_tileaa.target_spec"
    text = """\
module attributes { tt.num_warps = 2, nv_tileaa.target_spek = "sm_90" } {
  cuda_tile.module {
    cuda_tile.entry @k() attributes { tt.num_warp = 8, a.b = 1 } { cuda_tile.return }
  }
}
"""
    done = tileir(*given, data=text.encode())
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f"<stdin>:1:39: warning: {slip} of the module is ignored, did you mean {meant}?",
        "<stdin>:3:39: warning: tt.num_warp of entry k is ignored, did you mean tt.num_warps?",
        "<stdin>:3:56: warning: a.b of entry k is ignored",
    ]
    assert tileir(*given, data=NOOP.encode()).stderr == ""


def test_options_about_launching() -> None:
    given = ("compile", "-", "--num-warps", 8, "--cluster-dim", "1,2,1", "--blocksareclusters")
    plan = json.loads(tileir(*given, "--emit", "plan", data=NOOP.encode()).stdout)["noop"]
    assert (plan["block"], plan["cluster"]) == ([256, 1, 1], [1, 2, 1])
    assert plan["contract"]["blocksareclusters"] == {
        "value": True, "by": "option blocksareclusters",
    }  # fmt: skip
    for option, value, problem in (
        ("--num-warps", "3", "'3' is not a power of two from 1 to 32"),
        ("--num-warps", "four", "'four' is not a power of two"),
        ("--num-warps", "", "'' is not a power of two"),
        ("--num-ctas", "", "'' is not a number from 1 to 16"),
        ("--cluster-dim", "", "'' is not three numbers"),
        ("--cluster-dim", "2,1", "'2,1' is not three numbers, together at most 16 blocks"),
        ("--maxnreg", "9" * 50, "is not a number from 24 to 255"),
    ):
        fails(tileir("compile", option, value, VECTOR_ADD), 2, f"argument {option}: ")
        fails(tileir("compile", option, value, VECTOR_ADD), 2, problem)
    fails(
        tileir("compile", "--target", "sm_80", "--num-ctas", 2, VECTOR_ADD), 4,
        "error: --num-ctas: sm_80 has no clusters; GPUs from sm_90 on do (in vector_add)", lines=2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--num-ctas", 2, "--cluster-dim", "4,1,1"], "--cluster-dim and --num-ctas say different"),
        (["--num-ctas", 2, "--maxclusterrank", 4], "--num-ctas and --maxclusterrank exclude each"),
        (["--blocksareclusters", "--maxclusterrank", 4], "--blocksareclusters and --maxclusterr"),
    ],
)
@pytest.mark.parametrize("verb", ["compile", "run"])
def test_options_that_contradict_each_other_are_wrong_use(
    verb: str, options: list, problem: str
) -> None:
    fails(tileir(verb, "--target", "sm_90", *options, VECTOR_ADD), 2, problem)


def test_entries_are_chosen() -> None:
    two = FIXTURES / "13.4" / "two_entries.tileirbc"
    given = ("compile", "--target", "sm_90", "--emit", "plan", two)
    for names in (["first"], ["second"], ["second", "first"]):
        asked = [word for name in names for word in ("--entry", name)]
        assert list(json.loads(tileir(*given, *asked).stdout)) == names
    assert list(json.loads(tileir(*given).stdout)) == ["first", "second"]
    fails(
        tileir(*given, "--entry", "third"), 2,
        "there is no entry 'third'; the file has first, second",
    )  # fmt: skip


def test_the_help_names_the_targets() -> None:
    assert "sm_75, sm_80, sm_86" in " ".join(tileir("compile", "--help").stdout.split())


def test_a_cubin_is_nothing_for_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["compile", "--target", "sm_90", "--emit", "cubin", str(VECTOR_ADD)]) == 2
    assert "give -o FILE, or a pipe" in capsys.readouterr().err


def test_the_help_has_the_ranges() -> None:
    shown = " ".join(tileir("compile", "--help").stdout.split())
    assert "at least: 1 to 32" in shown
    assert "at most, 1 to 16" in shown


def test_stages_are_told() -> None:
    given = ("compile", "--target", "sm_90")
    told = tileir(*given, "--emit", "stages", VECTOR_ADD)
    assert told.returncode == 0
    assert told.stdout.startswith("// ==== eliminate_dead_ops: eliminate ops without side effects ")
    assert (
        "\n// ==== share_common_ops, hoist_invariants, count_loops: nothing to do\n" in told.stdout
    )
    assert "\n// ==== the kernels after count_loops\nentry @vector_add(" in told.stdout
    assert "\n// 128 threads a block, 4 warps: the largest tile" in told.stdout
    assert re.search(r"\n// \d+ lines of PTX\n", told.stdout)
    one = tileir(*given, "--emit", "stage:assign_layouts", VECTOR_ADD)
    last = tileir(*given, "--stop-after", "assign_layouts", VECTOR_ADD)
    assert one.stdout == last.stdout
    assert one.stdout.startswith("// How to read #l0 = layout<")
    assert "\n// #l0 = layout<1024: register 1 2 " in one.stdout
    block = tileir(*given, "--stop-after", "place_barriers", VECTOR_ADD)
    assert "\nblock_module @kernels {\n#l0 = layout<1024: register 1 2 " in block.stdout
    ptx = tileir(*given, "--emit", "stage:emit_ptx", VECTOR_ADD)
    assert ptx.stdout == tileir(*given, VECTOR_ADD).stdout
    host = tileir("compile", "--emit", "stage:fuse", VECTOR_ADD)
    assert "// inline" in host.stdout


def test_nothing_runs_after_the_one_stage_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    ran, plain = [], pipeline.stage_of

    def stage_of(target_family: str, name: str) -> Callable[..., None]:
        ran.append(name)
        return plain(target_family, name)

    monkeypatch.setattr(pipeline, "stage_of", stage_of)
    assert main(["compile", "--emit", "stage:fuse", str(VECTOR_ADD)]) == 0
    assert list(dict.fromkeys(ran)) == [
        "eliminate_dead_ops", "share_common_ops", "hoist_invariants", "order", "fuse",
    ]  # fmt: skip


def test_stages_that_there_are_not() -> None:
    known = "there are: ptx, llvm, plan, cubin, sass, stages, stage:NAME"
    fails(tileir("compile", "--emit", "stag", VECTOR_ADD), 2, f"did you mean stages?; {known}")
    fails(tileir("compile", "--emit", "stage:fuze", VECTOR_ADD), 2, "did you mean fuse?; there are")
    fails(
        tileir("compile", "--target", "sm_90", "--stop-after", "fuse", VECTOR_ADD), 2,
        "compiling for sm_90 has no stage 'fuse'; there are: eliminate_dead_ops, share_common_ops,",
    )  # fmt: skip
    fails(
        tileir("compile", "--emit", "stages", "--stop-after", "fuse", VECTOR_ADD), 2,
        "--stop-after says what to write; leave --emit away",
    )  # fmt: skip
