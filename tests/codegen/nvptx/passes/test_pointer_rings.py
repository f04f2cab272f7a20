"""Rings of what a loop gathers through pointers: the right elements, and what is not copied."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.codegen.nvptx.decided import decided
from tests.codegen.nvptx.gathering_loops import TYPES, K, M, launch, text
from tileir import assemble
from tileir.codegen import compile, emulator
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.reasons import Decision

POINTERS = f"tile<{M}x{K}xptr<f16>>"
TYPES_OF_STORE = f"{POINTERS}, tile<{M}x{K}xf16>, tile<{M}x{K}xi1>"
UNMASKED = f"%pointers token=%first : {POINTERS}"


@cache
def kernel(source: str, target: str = "sm_80") -> Any:
    return compile(assemble(source), target)


def copied(source: str, target: str = "sm_80") -> tuple[int, list[str]]:
    """How many tiles are copied through pointers, and why others are not."""
    found = decided(KernelIR.of(assemble(source).functions[0]), target, "pipeline_loops")
    ops = list(found.kernel.walk())
    gathered = sum(op.name == "gather_async" for op in ops if op.parent.parent_op)
    refused = [found.reasons[Decision.NOT_AHEAD].of(op) for op in ops if op.name == "load_ptr_tko"]
    return gathered // 2, [reason.id for reasons in refused for reason in reasons]


def check(source: str, *shape: int, target: str = "sm_80", schedule: str = "random-1",
          padding: float = 0.0) -> None:  # fmt: skip
    args, expected = launch(*shape, padding=padding)
    compiled = kernel(source, target)
    emulator.launch(compiled.ptx, compiled.plan["k"], 1, args, schedule=schedule)
    np.testing.assert_array_equal(args[3], expected)


@pytest.mark.parametrize(("count", "rows", "size"), [
    (0, M, 0), (1, M, K), (2, M, 2 * K), (5, M, 5 * K), (6, 23, 176), (4, 1, 16), (3, 0, 96),
])  # fmt: skip
def test_any_number_of_iterations_rows_and_columns(count: int, rows: int, size: int) -> None:
    assert copied(text()) == (1, [])
    check(text(), count, rows, size)


@pytest.mark.parametrize(
    "schedule", ["lock-step", "ascending", "descending", "random-2", "late-1", "late-2"]
)
def test_in_any_order_of_warps(schedule: str) -> None:
    check(text(), 5, 29, 144, target="sm_90", schedule=schedule)


def test_without_a_mask() -> None:
    source = text(load=UNMASKED)
    assert copied(source) == (1, [])
    check(source, 5, M, 5 * K)


def test_masked_elements_that_are_not_zero_pass_through_registers() -> None:
    source = text(padding="2.0")
    assert copied(source) == (0, ["masked"])
    check(source, 4, 29, 112, padding=2.0)


def test_negative_zero_is_not_zero() -> None:
    assert copied(text(padding="-0.0"))[0] == 0


def test_without_padding_masked_elements_may_be_zero() -> None:
    kinds = TYPES.rsplit(", ", 1)[0]
    assert copied(text(load=f"%pointers, %mask token=%first : {kinds}")) == (1, [])


def stored(where: str, token: str) -> str:
    """A store of the loop, behind a token."""
    return f"store_ptr_tko weak {where}, %padding, %mask token={token} : {TYPES_OF_STORE} -> token"


def test_a_load_behind_a_store_of_the_loop_stays_there() -> None:
    """Its token comes after the store: the store of an iteration may change what is loaded."""
    wide = f"tile<{M}x{K}xi32>"
    before = f"%where = offset %bx2, %start : {POINTERS}, {wide} -> {POINTERS}"
    store = stored("%where", "%first")
    assert copied(text(before=before, more=f"%other = {store}"))[0] == 1
    source = text(before=before, load=f"%pointers, %mask, %padding token=%written : {TYPES}")
    line = "%x, %loaded = load_ptr_tko"
    source = source.replace(line, f"%written = {store}\n    {line}")
    assert copied(source) == (0, ["after_write"])


def test_ordered_loads_stay() -> None:
    source = text().replace("load_ptr_tko weak", "load_ptr_tko relaxed device")
    assert copied(source) == (0, ["ordered"])


def test_pointers_that_others_need_are_not_computed_for_another_iteration() -> None:
    more = f"%other = {stored('%pointers', '%loaded')}"
    assert copied(text(more=more)) == (0, ["shared_pointers"])


def test_pointers_that_are_loaded_in_the_loop_stay() -> None:
    """Their addresses are not known an iteration before."""
    before = "%more = make_token : token"
    source = text(before=before).replace(
        "%offsets = addi %start, %columns",
        f"%o0, %o1 = load_ptr_tko weak %rowsp token=%more : tile<{M}x{K}xptr<i32>>"
        f" -> tile<{M}x{K}xi32>, token\n    %offsets = addi %o0, %columns",
    )
    source = source.replace(
        before,
        f"{before}\n  %r1 = reshape %prows : tile<ptr<i32>> -> tile<1x1xptr<i32>>\n"
        f"  %rowsp = broadcast %r1 : tile<1x1xptr<i32>> -> tile<{M}x{K}xptr<i32>>",
    )
    gathered, reasons = copied(source)
    assert gathered == 0
    assert "computed_index" in reasons


def test_tokens_from_before_the_loop_are_kept() -> None:
    """The copies come after what the load came after."""
    found = decided(KernelIR.of(assemble(text()).functions[0]), "sm_80", "pipeline_loops")
    copies = [op for op in found.kernel.walk() if op.name == "gather_async"]
    assert all(op.operands["token"].owner.name == "make_token" for op in copies)
