"""What threads copy for tensor cores has slots that take turns: one barrier in each iteration."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.codegen.block.problems import block_problem
from tests.codegen.emulator.values import aligned
from tests.codegen.nvptx.decided import decided
from tests.codegen.nvptx.emit.test_group_products import Case, check, text
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.passes.memory.rotate_copies import Beside, rotate_copies
from tileir.codegen.nvptx.reasons import Decision
from tileir.codegen.nvptx.state import KernelState
from tileir.ir import Op

BYTES = Case("i8", "i32", 64, "signed signed", "", "kn")
SINGLES = Case("tf32", "f32", 32, "", "", "mn")


def state(case: Case, until: str = "place_barriers") -> KernelState:
    return decided(KernelIR.of(assemble(text(case)).functions[0]), "sm_90", until)


def loops(found: KernelState) -> list[Op]:
    """The loops that multiply."""
    products = [op for op in found.kernel.walk() if op.name == "mma_async"]
    return [op.parent.parent_op for op in products]


@pytest.mark.parametrize("case", [BYTES, SINGLES])
def test_an_iteration_has_one_barrier(case: Case) -> None:
    """And the products of the one before are under way meanwhile."""
    found = state(case)
    (loop,) = loops(found)
    body = [op.name for op in loop.regions[0].block.ops]
    assert body.count("barrier") == 1
    assert body.index("copy_shared") < body.index("barrier") < body.index("mma_async")
    assert "wait_mma" not in body
    assert [each.id for each in found.reasons[Decision.OVERLAP].of(loop)] == ["under_way"]


def test_fewer_slots_where_memory_is_short() -> None:
    """Two of them for products that are awaited, or the place that there was."""
    for room, expected in ((1 << 20, 3), (12 << 10, 3), ((12 << 10) - 1, 2), (6 << 10, 1)):
        found = state(BYTES, "choose_occupancy")
        (loop,) = loops(found)
        rotate_copies(loop, found.kernel.body, Beside(0, 128, ()), 3, room)
        found.kernel.edited()
        assert block_problem(found.kernel.body) is None
        (copy,) = [op for op in loop.walk() if op.name == "copy_shared"]
        slot = copy.operands["destination"].owner
        slots = slot.operands["ring"].type.slots if slot.name == "shared_slot" else 1
        assert slots == expected, room


def again(case: Case) -> str:
    """The kernel with its sum made twice, one behind the other."""
    sums = f"tile<64x32x{case.total}>"
    return (
        text(case)
        .replace(
            "  %sum = for",
            "  %two = constant <i32: 2> : tile<i32>\n"
            "  %sum = for %again in (%zero to %two, step %one) : tile<i32>\n"
            f"      iter_values(%before = %first) -> ({sums}) {{\n  %more = for",
        )
        .replace("(%acc = %first)", "(%acc = %before)")
        .replace("  %u = store", f"  continue %more : {sums}\n  }}\n  %u = store")
    )


@cache
def twice(case: Case, **launch: int):
    return compile(assemble(again(case)), "sm_90", cache=False, **launch)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("warps", [0, 4])
@pytest.mark.parametrize("case", [BYTES, SINGLES])
def test_a_ring_is_used_again(case: Case, warps: int, schedule: str) -> None:
    """In a loop around that of the products; by roles, or by four warps that do all the work."""
    random, kind = np.random.default_rng(3), {"i8": np.int8, "tf32": np.float32}[case.element]
    m, n, d = 64, 32, 4 * case.k + 16
    x, y = (random.integers(-4, 5, size).astype(kind) for size in ((m, d), (n, d)))
    z = aligned(np.zeros((m, n), {"i32": np.int32, "f32": np.float32}[case.total]))
    rows = [
        each if way == "k" else each.T.copy() for each, way in zip((x, y), case.rows, strict=True)
    ]
    args = [number for each in rows for number in (aligned(each), each.shape[1], 0)]
    made = twice(case, **({"num_warps": warps} if warps else {}))
    args += [z, n, 0, 1, m, n, d]
    assert bool(made.plan["k"]["roles"]) == (not warps)
    emulator.launch(made.ptx, made.plan["k"], 1, args, schedule=schedule)
    np.testing.assert_array_equal(z, 2 * (x.astype(z.dtype) @ y.astype(z.dtype).T))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_slots_are_right_under_every_schedule(schedule: str) -> None:
    check(SINGLES, 70, 33, 6 * SINGLES.k - 3, schedule)
