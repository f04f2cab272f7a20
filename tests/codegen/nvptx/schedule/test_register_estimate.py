"""A hint for resident blocks is followed as far as no registers are spilled; the plan says so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.codegen.nvptx.on_emulator import run
from tests.lab.bench import generated
from tests.lab.bench.machine_code.figures import SETS
from tests.lab.bench.workloads.cases import CASES
from tileir.__main__ import main
from tileir.attributes import Hints, IntegerAttribute
from tileir.codegen import compile
from tileir.types import Scalar


def hinted(text: str, occupancy: int) -> Any:
    module = tileir.assemble(text)
    for function in module.functions:
        hint = IntegerAttribute(Scalar("i32"), occupancy)
        function.hints = Hints({"default": {"occupancy": hint}})
    return module


def text_of(name: str) -> str:
    """A kernel of the benchmarks, or a product of tiles as "f16 128x128x64"."""
    if " " in name:
        kind, *extents = re.split("[ x]", name)
        return generated.product(kind, *map(int, extents))
    return (SETS["workloads"].get(name) or SETS["kernels"][name]).read_text()


PRODUCT = "f16 128x128x64"


def chosen(module: Any, **options: Any) -> dict[str, Any]:
    compiled = compile(module, "sm_90", **options)
    contract = compiled.plan["product"]["contract"]["minnctapersm"]
    assert re.search(rf"\.minnctapersm {contract['value']}\b", compiled.ptx)
    return contract


def test_the_plan_says_how_far_a_hint_is_followed() -> None:
    module = hinted(text_of(PRODUCT), 4)
    assert chosen(module) == {
        "value": 2,
        "by": "hint occupancy",
        "asked": 4,
        "why": "with more, threads would spill some of 104 registers",
    }
    assert chosen(hinted(text_of(PRODUCT), 2)) == {"value": 2, "by": "hint occupancy"}


def test_an_option_is_followed_to_the_letter_and_none_lifts_a_hint() -> None:
    module = hinted(text_of(PRODUCT), 2)
    assert chosen(module, minnctapersm=3) == {"value": 3, "by": "option minnctapersm"}
    lifted = compile(module, "sm_90", minnctapersm=None)
    assert lifted.ptx == compile(tileir.assemble(text_of(PRODUCT)), "sm_90").ptx
    assert chosen(module, minnctapersm=None) == {"value": 1, "by": "compiler"}


def test_none_lifts_a_hint_for_warps_but_no_attribute() -> None:
    text = """
    module attributes {{ {said} }} {{ cuda_tile.module {{ cuda_tile.entry @k()
      optimization_hints = <default = {{num_worker_warps_per_cta = 8}}> {{ cuda_tile.return }} }} }}
    """
    for said, warps in (("", 1), ("tt.num_warps = 4", 4)):
        module = tileir.assemble(text.format(said=said))
        assert compile(module, "sm_90", num_warps=None).plan["k"]["block"] == [32 * warps, 1, 1]


def test_a_command_line_without_the_option_follows_the_hint(tmp_path: Path, capsys) -> None:
    file = tmp_path / "product.tileirbc"
    file.write_bytes(hinted(text_of(PRODUCT), 2).build())
    assert main(["compile", "--target", "sm_90", "--emit", "ptx", str(file)]) == 0
    assert ".minnctapersm 2" in capsys.readouterr().out


def test_the_stages_say_it() -> None:
    stage = compile(hinted(text_of(PRODUCT), 4), "sm_90").stages["choose_occupancy"]
    (remark,) = stage.remarks
    assert remark.what == "2 blocks an SM"
    assert remark.why.startswith("hint occupancy asks for 4; with more, threads would spill")


SPILLING = (
    PRODUCT, "tf32 64x128x32", "gemm_persistent", "gqa_decode", "fmha_backward", "layer_norm",
    "swiglu", "stencil", "row_sum",
)  # fmt: skip
"""Kernels that spill if as many blocks as that are resident."""


@pytest.mark.oracle
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "target"),
    [(name, target) for name in SPILLING for target in ("sm_80", "sm_90")],
)
def test_no_hint_makes_ptxas_spill(tool, tmp_path: Path, name: str, target: str, named) -> None:
    source, seen = tmp_path / "kernel.ptx", set[str]()
    for occupancy in (4, 6, 16):
        ptx = compile(hinted(text_of(name), occupancy), target).ptx
        if ptx in seen:
            continue
        seen.add(ptx)
        source.write_text(ptx)
        arch = re.search(r"\.target (\w+)", ptx)[1]
        done = tool("ptxas", f"-arch={arch}", "-v", "-o", tmp_path / "kernel.cubin", source)
        with named(f"occupancy {occupancy}"):
            assert b"0 bytes stack frame, 0 bytes spill stores" in done.stderr + done.stdout


@pytest.mark.parametrize("name", ["gemm_persistent", "gqa_decode"])
def test_results_do_not_depend_on_hints(name: str) -> None:
    """Rings get shorter where several blocks share the memory of an SM."""
    case = CASES[name]()
    run(compile(hinted(text_of(name), 6), "sm_80"), name, case.grid, case.arguments())
    case.check()


def test_products_of_less_than_an_atom_have_registers() -> None:
    """Of f16 an atom is 8 or 16 long along k, and the tiles are of one element there."""
    module = hinted(generated.product("f16", 16, 16, 1), 16)
    assert chosen(module)["by"] == "hint occupancy"
