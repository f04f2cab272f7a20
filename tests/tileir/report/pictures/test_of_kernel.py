"""Fragments are those of the PTX ISA, bank conflicts those that the emulator counts.

The formulas are written down here as the PTX ISA has them, under "Matrix Fragments for mma" and
"Register Fragments and Shared Memory Matrix Layouts" of wgmma; `g` is groupID, `t` is
threadID_in_group.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import tileir
from tests.corpus import NEWEST, ROOT
from tests.lab.model.test_fixtures import aligned
from tests.launches import Launch, newest
from tileir.codegen import api as codegen
from tileir.report.pictures.of_kernel import of_kernel

KERNELS = ROOT / "tests" / "lab" / "bench" / "kernels"
Place = Callable[[int, int, int], tuple[int, int]]


@cache
def pictures(name: str, target: str) -> dict[str, Any]:
    """The pictures of a fixture's only kernel."""
    module = tileir.load(NEWEST[name])
    return of_kernel(module, module.functions[0].name, target, 0)


def held(layout: dict[str, Any]) -> dict[tuple[int, int, int], tuple[int, int]]:
    """Row and column of each element, by warp, lane and register, from the bases of a layout."""

    def sums(bases: list[int]) -> list[int]:
        found = [0]
        for base in bases:
            found += [each ^ base for each in found]
        return found

    columns = layout["shape"][-1]
    return {
        (warp, lane, i): divmod(of_warp ^ of_lane ^ of_register, columns)
        for warp, of_warp in enumerate(sums(layout["warp"]))
        for lane, of_lane in enumerate(sums(layout["lane"]))
        for i, of_register in enumerate(sums(layout["register"]))
    }


def a_16816(g: int, t: int, i: int) -> tuple[int, int]:
    """A of m16n8k16, elements of 16 bits."""
    return g if i < 2 or 4 <= i < 6 else g + 8, t * 2 + (i & 1) + (8 if i >= 4 else 0)


def b_16816(g: int, t: int, i: int) -> tuple[int, int]:
    return t * 2 + (i & 1) + (8 if i >= 2 else 0), g


def c_1688(g: int, t: int, i: int) -> tuple[int, int]:
    return g if i < 2 else g + 8, t * 2 + (i & 1)


def a_tf32(g: int, t: int, i: int) -> tuple[int, int]:
    """A of m16n8k8, tf32."""
    return g if i in (0, 2) else g + 8, t if i < 2 else t + 4


def b_tf32(g: int, t: int, i: int) -> tuple[int, int]:
    return t if i == 0 else t + 4, g


def a_int8(g: int, t: int, i: int) -> tuple[int, int]:
    """A of m16n8k32, elements of 8 bits."""
    down = 0 <= i < 4 or 8 <= i < 12
    return g if down else g + 8, t * 4 + (i & 3) + (16 if i >= 8 else 0)


def b_int8(g: int, t: int, i: int) -> tuple[int, int]:
    return t * 4 + (i & 3) + (16 if i >= 4 else 0), g


def a_f64(g: int, t: int, i: int) -> tuple[int, int]:
    """A of m16n8k16, f64."""
    return g if i % 2 == 0 else g + 8, i // 2 * 4 + t


def b_f64(g: int, t: int, i: int) -> tuple[int, int]:
    return t + i * 4, g


def d_wgmma(g: int, t: int, i: int) -> tuple[int, int]:
    """D of a warp: 16 of the 64 rows."""
    return g + 8 * (i // 2 % 2), i // 4 * 8 + t * 2 + (i & 1)


@pytest.mark.parametrize(
    ("name", "target", "shape", "formulas"),
    [
        ("mma_f16", "sm_80", (16, 8, 16), (a_16816, b_16816, c_1688)),
        ("mma_tf32", "sm_80", (16, 8, 8), (a_tf32, b_tf32, c_1688)),
        ("mma_i8", "sm_80", (16, 8, 32), (a_int8, b_int8, c_1688)),
        ("mma_f64", "sm_90", (16, 8, 16), (a_f64, b_f64, c_1688)),
        ("matmul", "sm_90", (64, 64, 16), (None, None, d_wgmma)),
    ],
)
def test_fragments_are_those_of_the_ptx_isa(
    name: str, target: str, shape: tuple[int, ...], formulas: tuple[Place | None, ...]
) -> None:
    drawn = pictures(name, target)
    product = drawn["products"][0]
    assert tuple(product["extents"]) == shape
    assert "m{}n{}k{}".format(*shape) in product["instruction"]
    for slot, formula in zip(("lhs", "rhs", "acc"), formulas, strict=True):
        if formula is None:
            assert product[slot] is None
            assert product["read"][slot] == "descriptors"
            continue
        places = held(drawn["layouts"][product[slot]])
        rows, columns = {"lhs": (0, 2), "rhs": (2, 1), "acc": (0, 1)}[slot]
        assert len(places) == shape[rows] * shape[columns]
        for (warp, lane, i), place in places.items():
            row, column = formula(lane >> 2, lane % 4, i)
            assert place == (row + 16 * warp, column), (slot, warp, lane, i)


OPCODES = {"store_shared": "st.", "plain loads": "ld.", "ldmatrix": "ldmatrix"}


@pytest.mark.parametrize("name", ["matmul", "mma_tf32"])
def test_bank_conflicts_are_those_of_the_emulator(name: str) -> None:
    """Wavefronts of each instruction on the emulator, by what they would be without conflicts."""
    fixture = Launch(name)
    args = fixture.arguments({n: aligned(a) for n, a in fixture.arrays().items()})
    program = tileir.emulator.load(tileir.compile(newest(name), "sm_80"))
    counts = program[fixture.entry].launch(1, args, count=True).counts
    drawn = pictures(name, "sm_80")
    for way, opcode in OPCODES.items():
        turns = {each["turns"] for each in drawn["accesses"] if way in (each["in"], each["by"])}
        rows = [row for row in counts.accesses if row.space == "shared"]
        found = {row.transactions / row.least for row in rows if row.text.startswith(opcode)}
        assert found == turns, way


def test_what_is_drawn_is_of_ops_that_are_there() -> None:
    """Numbers are of ops with tiles, indices of layouts, and the numbers are few."""
    drawn = pictures("matmul", "sm_90")
    names = [op.name for op in tileir.load(NEWEST["matmul"]).functions[0].walk()]
    assert {names[each["op"]] for each in drawn["products"]} == {"mmaf"}
    assert {names[each["op"]] for each in drawn["tiles"]} >= {"mmaf", "ftof", "store_view_tko"}
    assert {names[each["op"]] for each in drawn["accesses"]} == {"mmaf", "load_view_tko"}
    for each in drawn["tiles"]:
        layout = drawn["layouts"][each["layout"]]
        places = held({**layout, "shape": [1]})
        elements = {row for row, _ in places.values()}
        assert elements == set(range(int(np.prod(layout["shape"]))))
    assert len(json.dumps(drawn)) < 6000


def test_swizzles_are_those_of_the_hardware() -> None:
    """What a tensor map copies lies where CUTLASS's Swizzle<b, 4, 3> puts it."""
    drawn = pictures("matmul", "sm_90")
    seen = set()
    for access in drawn["accesses"]:
        if access["by"] != "tensor copies":
            continue
        order = drawn["memory"][access["memory"]]
        bits = {"32B": 1, "64B": 2, "128B": 3}[order["swizzle"]]
        seen.add(order["swizzle"])
        for bit, offset in enumerate(order["offsets"]):
            plain = order["bytes"] << bit
            assert offset == plain ^ (plain >> 7 & (1 << bits) - 1) << 4
    assert seen == {"64B", "128B"}


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_pipelines_are_the_schedules_of_the_stages(target: str) -> None:
    """The steps of all roles, in their order; rings have letters instead of names."""
    module = tileir.assemble((KERNELS / "attention.mlir").read_text())
    stage = codegen.stages(module, target, "unroll_loops")["unroll_loops"].text
    lines = [line[7:] for line in stage.splitlines() if re.match(r"//     \S", line)]
    drawn = of_kernel(module, "attention", target, 0)
    steps = [step for loop in drawn["loops"] for role in loop["roles"] for step in role["steps"]]
    expected = [re.sub(r"%\S+ = ", "", line).split()[:2] for line in lines]
    assert sorted(step["text"].split()[:2] for step in steps) == sorted(expected)
    names = [op.name for op in module.functions[0].walk()]
    for step in steps:
        kinds = {names[op] for op in step["ops"]}
        assert kinds >= {"copy": {"load_view_tko"}, "product": {"mmaf"}}.get(step["kind"], set())
    copied = [slot for step in steps if step["kind"] == "copy" for slot in step["slots"]]
    (loop,) = drawn["loops"]
    ahead = max(role["ahead"] for role in loop["roles"])
    assert {slot["turn"] for slot in copied} == {ahead}
    assert {slot["ring"] for slot in copied} == {ring["name"] for ring in loop["rings"]}
