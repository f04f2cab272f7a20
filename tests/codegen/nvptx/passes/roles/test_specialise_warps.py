"""Roles: which kernels have them, why others have not, and that results are right in either case.

The kernel is that of `test_tensor_rings`, with what keeps a producer from being split off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tests.codegen.nvptx.passes.test_overlap_products import ROLES
from tests.codegen.nvptx.passes.test_tensor_rings import TEXT
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES
from tileir.codegen.nvptx.passes.roles.role_plan import PRODUCER_REGISTERS
from tileir.gpus import TARGETS

NEVER = "    %never = cmpi less_than %d, %zero, signed : tile<i32> -> tile<i1>\n"


def replaced(old: str, new: str) -> Callable[[], str]:
    assert old in TEXT
    return lambda: TEXT.replace(old, new)


def behind_a_grid() -> str:
    """Loads come behind a wait for the grid before."""
    text = TEXT.replace("    %sum = for", "    %ready = gdc_wait_tko -> token\n    %sum = for")
    return text.replace("weak %pa[%x, %i]", "weak %pa[%x, %i] token=%ready")


def in_a_branch() -> str:
    text = TEXT.replace(
        "    %sum = for",
        NEVER + "    %sum = if %never -> (tile<64x64xf32>) {\n      yield %none : tile<64x64xf32>\n"
        "    } else {\n    %product = for",
    )
    return text.replace("    %u =", "    yield %product : tile<64x64xf32>\n    }\n    %u =")


Case = tuple[Callable[[], str], Mapping[str, Any], str]
ONE_ROLE: dict[str, Case] = {
    "warps asked for": (lambda: TEXT, {"num_warps": 4}, "role_fixed"),
    "registers asked for": (lambda: TEXT, {"maxnreg": 124}, "role_unit"),
    "early return": (
        replaced("    %sum = for", NEVER + "    if %never {\n      return\n    }\n    %sum = for"),
        {},
        "role_early_return",
    ),
    "after another grid": (behind_a_grid, {}, "role_order"),
    "in a branch": (in_a_branch, {}, "role_around"),
}
"""What -> the text, options, and the reason."""


@cache
def kernel(what: str) -> Any:
    text, options, _ = ONE_ROLE[what]
    return compile(assemble(text()), "sm_90", cache=False, **options)


def check(compiled: Any, schedule: str) -> None:
    random = np.random.default_rng(5)
    a = aligned(random.integers(-4, 5, (100, 152)).astype(np.float16))
    b = aligned(random.integers(-4, 5, (152, 72)).astype(np.float16))
    c = aligned(np.zeros((100, 72), np.float32))
    args = [a, b, c, 100, 72, 152, 152, 72, 72]
    emulator.load(compiled)["k"].launch((2, 2), args, schedule=schedule)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("what", ONE_ROLE)
def test_kernels_of_one_role_say_why(what: str) -> None:
    made, reason = kernel(what), ONE_ROLE[what][2]
    assert made.plan["k"]["roles"] == []
    assert made.plan["k"]["one_role"]["reason"] == reason
    assert "setmaxnreg" not in made.ptx
    facts = [remark.facts for remark in made.stages["specialise_warps"].remarks]
    assert [each["reasons"] for each in facts] == [(reason,)]
    check(made, "lock-step")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_two_roles(schedule: str) -> None:
    made = compile(assemble(TEXT), "sm_90", cache=False)
    rows = made.plan["k"]["roles"]
    assert made.plan["k"]["one_role"] is None
    assert [row["name"] for row in rows] == ["consume", "produce"]
    assert made.plan["k"]["block"][0] == 32 * sum(row["warps"] for row in rows)
    check(made, schedule)


def test_roles_keep_to_the_registers_that_are_asked_for() -> None:
    made = compile(assemble(TEXT), "sm_90", cache=False, maxnreg=80)
    assert ".maxnreg 80" in made.ptx
    registers = [row["registers"] for row in made.plan["k"]["roles"]]
    assert registers == [80, PRODUCER_REGISTERS]
    check(made, "lock-step")


def test_what_arguments_have_to_be_is_the_same_with_roles() -> None:
    """Also what only one role assumes."""
    text = TEXT.replace(
        "%vc = make_tensor_view %c,",
        "%c16 = assume div_by<16>, %c : tile<ptr<f32>>\n    %vc = make_tensor_view %c16,",
    )
    plans = [compile(assemble(text), gpu, cache=False).plan["k"] for gpu in ("sm_80", "sm_90")]
    without, with_roles = ([row["divisible_by"] for row in plan["parameters"]] for plan in plans)
    assert plans[1]["roles"]
    assert with_roles == without
    assert without[2] == 16


def test_an_index_beyond_any_tensor_is_no_other_one() -> None:
    """Its element is 2**32: no element 0."""
    text = TEXT.replace("weak %pa[%x, %i]", "weak %pa[%far, %i]").replace(
        "    %sum = for",
        "    %first = constant <i32: 67108864> : tile<i32>\n"
        "    %far = addi %x, %first : tile<i32>\n    %sum = for",
    )
    made = compile(assemble(text), "sm_90", cache=False)
    assert made.plan["k"]["roles"]
    a, b = (aligned(np.ones((64, 64), np.float16)) for _ in range(2))
    c = aligned(np.ones((64, 64), np.float32))
    emulator.load(made)["k"].launch(1, [a, b, c, 64, 64, 64, 64, 64, 64])
    assert not c.any()


def test_memory_that_registers_leave_is_for_slots() -> None:
    """Two warpgroups of consumers take the registers of an SM: its memory is one block's."""
    made = compile(assemble(ROLES), "sm_90", cache=False)
    remarks = made.stages["specialise_warps"].remarks
    (ring,) = [each for each in remarks if each.what.startswith("ring of")]
    assert ring.what.startswith("ring of 5 slots")
    assert ring.facts["reasons"] == ("ring_producer",)
    assert made.plan["k"]["dynamic_shared_memory"] <= TARGETS["sm_90"].shared_bytes
