"""Weaknesses that are planted are found where they are, and kernels without any have none."""

from __future__ import annotations

import pytest

from tests.advised import advise
from tileir.codegen.advise.evidence import Settings
from tileir.codegen.advise.numbered import Original, number_of

from . import blind
from .__main__ import FOLDERS, main, planted, read
from .plants import PLANTS

WORKLOADS, SMALL, _ = FOLDERS
PAIRS = {
    "drop an assume: address": "vector_add",
    "drop an assume: strides": "softmax",
    "drop an assume: stored": "layer_norm",
    "drop an assume: pointers": "pointer_add",
    "unit stride unknown": "copy",
    "transpose strides": "rms_norm",
    "break alignment": "row_sum",
    "compute the base": "matmul_f16",
    "f16 to f32": "matmul_f16",
    "shrink: rows": "matmul_f16",
    "shrink: columns": "vector_add",
    "shrink: pointers": "pointer_add",
    "padding": "matmul_f16",
    "ordered load": "matmul_f16",
    "print in a loop": "matmul_f16",
    "load in a loop": "attention",
    "load again": "softmax",
    "reduce in a loop": "row_sum",
    "f32 to f64": "rms_norm",
    "divide each index": "pointer_add",
    "exp2 by a power": "attention",
}
"""Weakness -> a small kernel that it is planted in."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAIRS)
def test_a_weakness_is_found_where_it_is(name: str) -> None:
    original = Original(read(SMALL / f"{PAIRS[name]}.mlir"))
    result = planted(original, PLANTS[name], Settings("sm_90", ptxas=False))
    assert result is not None
    assert result.hits, result


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["sums scaled in a loop", "load in an if"])
def test_a_loop_of_products_is_looked_at(name: str) -> None:
    original = Original(read(SMALL / "matmul_f16.mlir"))
    copy = original.copy()
    numbers = blind.PLANTS[name](copy)
    assert numbers is not None
    found = advise(copy.module, "sm_90", ptxas=False)
    assert any(number_of(each.location) in numbers for each in found), found


def test_a_mask_in_each_iteration_is_found() -> None:
    """The kernel has a loop without masks, and one with them; alone, that one masks for both."""
    copy = Original(read(WORKLOADS / "fmha_causal.mlir")).copy()
    assert not advise(copy.module, "sm_90", ptxas=False)
    plain, masked = (op for op in copy.ops.values() if op.name == "for")
    masked.operands["lowerBound"] = plain.operands["lowerBound"]
    masked.operands["initValues"] = plain.operands["initValues"]
    plain.remove()
    (found,) = advise(copy.module, "sm_90", ptxas=False)
    assert found.rule == "mask-in-loop"
    assert copy.ops[number_of(found.location)].name == "select"
    assert found.after < 0.95 * found.before


@pytest.mark.parametrize("name", ["copy", "matmul_f16", "pointer_add", "softmax", "transpose"])
def test_good_kernels_have_no_findings(name: str) -> None:
    assert not advise(read(SMALL / f"{name}.mlir"), "sm_90", ptxas=False)


def test_the_command_counts(capsys) -> None:
    kernel = ["--kernel", "vector_add", "--plant", "drop an assume: address"]
    assert main([*kernel, "--verbose"]) == 0
    said = capsys.readouterr().out
    assert "all                             1 of    1 in 1 kernels" in said
    assert "0 findings in 1 kernels as they were" in said
