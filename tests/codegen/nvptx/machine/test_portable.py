"""Which `.target` PTX gets, who says so, and where such PTX runs: sm_90, sm_90a and the like.

What only the form with the suffix a has are products of warpgroups, of 64 rows or more.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tileir
from tests.programs import call
from tileir.__main__ import main
from tileir.codegen import compile, emulator, llvm
from tileir.codegen.device.launch import check_target
from tileir.codegen.nvptx.stages import TRIPLE
from tileir.errors import LaunchError, UnsupportedError
from tileir.gpus import TARGETS, assembled_for, capability_of
from tileir.tools import nvidia

PRODUCT = """
  entry @{name}(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>) {{
    %a = make_tensor_view %p, shape = [N, N], strides = [N, 1]
      : tensor_view<NxNxf16, strides=[N,1]>
    %c = make_tensor_view %q, shape = [N, N], strides = [N, 1]
      : tensor_view<NxNxf32, strides=[N,1]>
    %from = make_partition_view %a
      : partition_view<tile=(NxN), tensor_view<NxNxf16, strides=[N,1]>>
    %to = make_partition_view %c
      : partition_view<tile=(NxN), tensor_view<NxNxf32, strides=[N,1]>>
    %i = constant <i32: 0> : tile<i32>
    %x, %s = load_view_tko weak %from[%i, %i]
      : partition_view<tile=(NxN), tensor_view<NxNxf16, strides=[N,1]>>, tile<i32>
      -> tile<NxNxf16>, token
    %zero = constant <f32: 0.0> : tile<NxNxf32>
    %y = mmaf %x, %x, %zero : tile<NxNxf16>, tile<NxNxf16>, tile<NxNxf32>
    %t = store_view_tko weak %y, %to[%i, %i]
      : tile<NxNxf32>, partition_view<tile=(NxN), tensor_view<NxNxf32, strides=[N,1]>>,
        tile<i32> -> token
    return
  }}"""
IDLE = "entry @idle() { return }"
FORMS = [row for row in TARGETS.values() if row.name != row.gpu]


def product(*others: str, size: int = 64) -> tileir.Bytecode:
    """A module with a product of f16 squares, and other entries."""
    text = "\n".join([PRODUCT.format(name="product").replace("N", str(size)), *others])
    return tileir.assemble(f"cuda_tile.module @m {{ {text} }}")


def head(compiled: Any) -> tuple[str, str]:
    """`.version` and `.target` of the PTX."""
    return tuple(re.search(r"\.version (\S+)\n\.target (\S+)\n", compiled.ptx).groups())


@pytest.mark.parametrize("row", TARGETS.values(), ids=lambda row: row.name)
def test_what_all_have_takes_no_suffix(row: Any) -> None:
    """A GPU's PTX is plain, its form's is not; the code is the same."""
    small = product(size=16)
    made, plain = compile(small, row.name), compile(small, row.gpu)
    assert head(made)[1] == row.ptx_target
    plan = made.plan["product"]
    assert (made.target, plan["target"], plan["ptx_target"]) == (row.name, row.name, row.ptx_target)
    alone = row.name != row.gpu
    assert plan["runs_on"]["later"] is not alone
    assert made.llvm_ir == plain.llvm_ir
    if not alone:
        portable = compile(small, row.name, portable=True)
        assert (portable.ptx, portable.plan) == (made.ptx, made.plan)


def test_what_is_specific_takes_the_suffix() -> None:
    made = compile(product(IDLE), "sm_90")
    assert (made.target, head(made)) == ("sm_90", ("8.0", "sm_90a"))
    for plan in made.plan.values():  # they share the PTX
        assert (plan["target"], plan["ptx_target"], plan["ptx_version"]) == (
            "sm_90", "sm_90a", "8.0",
        )  # fmt: skip
        assert plan["runs_on"] == {"capability": [9, 0], "later": False}
        check_target(plan, (9, 0))
        with pytest.raises(LaunchError, match=r"is sm_100; PTX for sm_90a runs on 9\.0 alone$"):
            check_target(plan, (10, 0))


def test_such_ptx_runs_on_the_emulator() -> None:
    made = compile(product(), "sm_90")
    assert "wgmma.mma_async" in made.ptx
    x = np.arange(4096, dtype=np.float16).reshape(64, 64) % 7
    y = np.zeros((64, 64), np.float32)
    emulator.launch(made.ptx, made.plan["product"], 1, [x, y])
    assert (y == x.astype(np.float32) @ x.astype(np.float32)).all()


@pytest.mark.parametrize("name", dict.fromkeys(row.ptx_target for row in TARGETS.values()))
def test_llvm_knows_the_processor(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """It warns of a name that it does not know, and goes on with another one."""
    compile(tileir.assemble(IDLE), name)
    assert capfd.readouterr().err == ""
    if name == "sm_75":
        llvm.target_machine(TRIPLE, "sm_107", "+ptx90", speed_level=1)
        assert "not a recognized processor" in capfd.readouterr().err


def test_entries_that_do_without_stay_plain() -> None:
    made = compile(product(IDLE), "sm_90", symbols="idle")
    assert head(made) == ("7.8", "sm_90")
    assert made.plan["idle"]["runs_on"] == {"capability": [9, 0], "later": True}


def test_portable_does_without() -> None:
    made = compile(product(), "sm_90", portable=True)
    assert head(made) == ("7.8", "sm_90")
    assert made.plan["product"]["runs_on"] == {"capability": [9, 0], "later": True}
    check_target(made.plan["product"], (12, 0))
    assert "mma.sync" in made.ptx


@pytest.mark.parametrize("target", ["sm_80", "sm_100", "sm_100a", "sm_107", "sm_120a"])
def test_a_gpu_without_it_is_left_alone(target: str) -> None:
    assert head(compile(product(), target))[1] == TARGETS[target].ptx_target


def test_the_form_itself_needs_no_more() -> None:
    made = compile(product(), "sm_90a")
    assert head(made) == ("8.0", "sm_90a")
    assert made.ptx == compile(product(), "sm_90").ptx


@pytest.mark.parametrize("row", FORMS, ids=lambda row: row.name)
def test_a_form_is_not_portable(row: Any) -> None:
    major, minor = capability_of(row.gpu)
    said = (
        f"option portable contradicts target {row.name}, whose PTX runs on {major}.{minor} alone;"
        f" compile for {row.gpu}"
    )
    with pytest.raises(UnsupportedError) as caught:
        compile(product(), row.name, portable=True)
    assert str(caught.value) == said
    assert head(compile(product(), row.name, portable=False))[1] == row.name


def test_the_option_is_for_gpus_and_true_or_false() -> None:
    with pytest.raises(UnsupportedError, match="option portable is for GPUs, not for target host"):
        compile(product(), "host", portable=True)
    with pytest.raises(UnsupportedError, match="option portable is 1, not true or false"):
        compile(product(), "sm_90", portable=1)
    with pytest.raises(UnsupportedError, match="no GPU is named, which option portable needs"):
        compile(product(), portable=True)
    assert compile(product(), "host", portable=None, cache=False).target == "host"


SAID = """
module attributes {{ {said} }} {{ cuda_tile.module {{
  cuda_tile.entry @k() optimization_hints = <{hints}> {{ cuda_tile.return }}
}} }}"""


@pytest.mark.parametrize(
    "said", ["nv_tileaa.compute_capability = 90", 'nv_tileaa.target_spec = "sm_90a"']
)
def test_attributes_of_a_text_name_the_gpu(said: str) -> None:
    text = SAID.format(said=said, hints="default = {}")
    assert compile(tileir.assemble(text)).target == "sm_90"
    assert compile(tileir.assemble(text), "sm_90a").target == "sm_90a"


def test_hints_are_for_the_gpu() -> None:
    hints = "sm_90 = {occupancy = 3}, default = {occupancy = 2}"
    module = tileir.assemble(SAID.format(said="tt.num_warps = 4", hints=hints))
    for target, blocks in (("sm_90", 3), ("sm_90a", 3), ("sm_100a", 2)):
        chosen = compile(module, target).plan["k"]["contract"]["minnctapersm"]
        assert chosen == {"value": blocks, "by": "hint occupancy"}
    assert not tileir.verify(module, "sm_90a")


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "k.tileirbc"
    file.write_bytes(product().build())
    for options, wanted in (
        (["--target", "sm_90"], "sm_90a"),
        (["--target", "sm_90", "--portable"], "sm_90"),
        (["--target", "sm_90a"], "sm_90a"),
    ):
        done = call(main, "compile", *options, str(file))
        assert f".target {wanted}\n" in done.stdout
    done = call(main, "compile", "--target", "sm_90a", "--portable", str(file))
    assert (done.returncode, done.stdout) == (4, "")
    assert "--portable contradicts target sm_90a, whose PTX runs on 9.0 alone" in done.stderr
    done = call(main, "compile", "--portable", "--target", "host", str(file))
    assert done.returncode == 2
    assert "--portable needs a GPU as --target" in done.stderr


@pytest.mark.oracle
@pytest.mark.parametrize("row", TARGETS.values(), ids=lambda row: row.name)
def test_ptxas_takes_it(row: Any, tool, tmp_path: Path) -> None:
    """Where it runs, and in the form's own machine code only where it has the suffix."""
    made = compile(product(IDLE), row.name)
    (tmp_path / "k.ptx").write_text(made.ptx)
    arch = assembled_for(row.name, made.plan["product"]["ptx_target"])
    done = tool("ptxas", f"-arch={arch}", "-o", tmp_path / "k", tmp_path / "k.ptx")
    assert done.returncode == 0, done.stderr


@pytest.mark.oracle
def test_machine_code_of_ptx_that_took_the_suffix(tool) -> None:
    tool("ptxas", "--version")  # or skip
    for portable in (False, True):
        made = compile(product(), "sm_90", portable=portable)
        assert nvidia.assemble(made.ptx, made.target).startswith(b"\x7fELF")
