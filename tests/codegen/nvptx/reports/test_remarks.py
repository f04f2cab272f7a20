"""Remarks of a compilation: what is said when a kernel is made worse, and nothing of good ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import tileir
from tests.lab import bench
from tileir import assemble
from tileir.codegen.nvptx.advice import ADVICE
from tileir.codegen.nvptx.reports.register_remarks import register_remarks
from tileir.codegen.remarks import Outcome, Remark, Topic
from tileir.resources.cubin import read_cubin
from tileir.tools import nvidia

KERNELS = Path(bench.__file__).parent / "kernels"


def text_of(name: str) -> str:
    return (KERNELS / f"{name}.mlir").read_text()


def remarks(text: str, target: str = "sm_90", **options) -> list[Remark]:
    return list(tileir.compile(assemble(text), target, **options).remarks)


def missed(found: list[Remark]) -> set[tuple[str, str]]:
    """Topic and id of what could be better."""
    return {
        (str(each.topic), id)
        for each in found
        if each.outcome is Outcome.MISSED
        for id in each.facts["reasons"]
        if id in ADVICE
    }


def test_a_good_kernel_has_nothing_to_change() -> None:
    found = remarks(text_of("matmul_f16"))
    assert missed(found) == set()
    passed = {each.topic for each in found if each.outcome is Outcome.PASSED}
    assert passed >= {Topic.TENSOR_CORES, Topic.TENSOR_COPIES, Topic.RINGS, Topic.OVERLAP}
    assert all(each.location for each in found if each.op is not None)


F32 = ("tensor-cores", "no_atom")
BASE = ("tensor-copies", "base"), ("accesses", "base")
RETURN = {"return": 'print_tko "done" -> token\n    return'}
SPOILED = [
    # kernel, target, what is replaced by what, options, what is said then
    ("matmul_f32", "sm_80", {}, {}, {F32}),
    ("matmul_f16", "sm_90", {}, {"num_warps": 4}, {("roles", "role_fixed")}),
    ("matmul_f16", "sm_90", {"div_by<16>": "div_by<2>"}, {}, {*BASE}),
    ("matmul_f16", "sm_90", RETURN, {}, {("overlap", "calls")}),
    ("gather", "sm_80", {}, {}, {("accesses", "not_adjacent")}),
]


@pytest.mark.parametrize(("name", "target", "changes", "options", "said"), SPOILED)
def test_what_is_made_worse_is_said(
    name: str, target: str, changes: dict, options: dict, said: set
) -> None:
    text = text_of(name)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    found = remarks(text, target, **options)
    assert missed(found) >= said
    for each in found:
        if each.outcome is Outcome.MISSED and any(id in ADVICE for id in each.facts["reasons"]):
            assert each.change


def test_the_plan_and_remarks_agree_about_tensor_copies() -> None:
    compiled = tileir.compile(assemble(text_of("attention")), "sm_90")
    (plan,) = compiled.plan.values()
    rows = [*plan["copies"], *plan["stores"]]
    found = [each for each in compiled.remarks if each.topic is Topic.TENSOR_COPIES]
    assert [row["tile"] for row in rows] == [each.facts["tile"] for each in found]
    assert [row["tensor_map"] is not None for row in rows] == [
        each.outcome is Outcome.PASSED for each in found
    ]


def test_hints_that_are_not_followed() -> None:
    text = text_of("matmul_f16").replace("default = {}", "default = {occupancy = 8}")
    (hint,) = [each for each in remarks(text, "sm_80") if each.topic is Topic.HINTS]
    assert hint.outcome is Outcome.MISSED
    assert "spill" in hint.why


@pytest.mark.oracle
def test_registers_are_those_of_the_cubin(tool) -> None:
    tool("ptxas", "--version")
    compiled = tileir.compile(assemble(text_of("attention")), "sm_80", maxnreg=64)
    assert compiled.ptx
    (remark,) = register_remarks(compiled.ptx, "sm_80", compiled.plan)
    cubin = nvidia.assemble(compiled.ptx, "sm_80")
    assert remark.facts["registers"] == read_cubin(cubin).kernels[0].registers <= 64
    assert remark.outcome is Outcome.MISSED
    assert remark.change
    assert b"STL" in nvidia.disassemble(cubin)
    assert remark.facts["stored"] > 0


def test_the_host_has_none() -> None:
    assert tileir.compile(assemble(text_of("copy"))).remarks == ()
