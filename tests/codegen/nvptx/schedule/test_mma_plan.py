"""How products are cut: which warp does what, how many threads, and that layouts fit together."""

from __future__ import annotations

from itertools import product as pairs_of
from pathlib import Path

import pytest

from tests.codegen.host.lowering.test_mma import product
from tests.lab import bench
from tileir import assemble
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Frag
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.machine.mma_atoms import ATOMS, BITS, Atom, stored_as
from tileir.codegen.nvptx.schedule.block_size import threads_of
from tileir.codegen.nvptx.schedule.group_products import (
    by_warpgroups,
    is_promoted,
    of_warpgroups,
)
from tileir.codegen.nvptx.schedule.mma_plan import (
    Part,
    ProductPlan,
    divided,
    plan_of,
    plan_products,
)
from tileir.gpus import TARGETS
from tileir.ir import Block, Op, Value
from tileir.types import Scalar, Tile

ROOM = 190 << 10
"""Bytes of shared memory for operands."""
REGISTERS = 255
KERNELS = Path(bench.__file__).parent / "kernels"


def plans(kernel: KernelIR, target: str, threads: int | None = None) -> dict[Op, ProductPlan]:
    facts = kernel.facts(Divisibility)
    gpu = TARGETS[target]
    count = threads or threads_of(kernel, gpu)
    found = plan_products(kernel, count, gpu, facts)
    return by_warpgroups(kernel, found, count, REGISTERS, gpu, facts, ROOM).plans


def plan(
    element: str, total: str, shape: tuple[int, int, int], target: str, threads: int
) -> ProductPlan:
    """The plan of a product of extents m, n and k."""
    m, n, k = shape
    attributes = {}
    if element == "i8":
        attributes = {"signedness_lhs": "signed", "signedness_rhs": "unsigned"}
    module = product(element, total, (m, k), (k, n), **attributes).module()
    (found,) = plans(KernelIR.of(module.functions[0]), target, threads).values()
    return found


def share(found: ProductPlan) -> tuple[int, int]:
    """Rows and columns that one warp has of the sum."""
    counts = {dim: sum(each is not None and each[0] == dim for each in found.warps) for dim in "mn"}
    return found.extents["m"] >> counts["m"], found.extents["n"] >> counts["n"]


@pytest.mark.parametrize(
    ("shape", "threads", "expected"),
    [
        ((128, 128, 64), 256, (64, 32)), ((128, 128, 64), 128, (64, 64)),
        ((256, 128, 64), 256, (64, 64)), ((16, 128, 64), 128, (16, 32)),
        ((128, 8, 64), 128, (32, 8)), ((16, 8, 64), 128, (16, 8)), ((4, 16, 64), 128, (4, 8)),
    ],
)  # fmt: skip
def test_shares_are_as_square_as_they_can_be(
    shape: tuple[int, int, int], threads: int, expected: tuple[int, int]
) -> None:
    assert sorted(share(plan("f16", "f32", shape, "sm_80", threads))) == sorted(expected)


def test_attention_is_cut_along_its_rows() -> None:
    kernel = KernelIR.of(assemble((KERNELS / "attention.mlir").read_text()).functions[0])
    first, second = plans(kernel, "sm_80").values()
    assert (share(first), share(second)) == ((16, 128), (16, 64))
    # What the first one leaves in registers is what the second one takes.
    assert first.acc.layout.thread == second.lhs.layout.thread
    assert set(first.acc.layout.offsets()) == set(second.lhs.layout.offsets())


@pytest.mark.parametrize(
    ("shape", "threads", "columns", "expected"),
    [
        ((128, 128, 64), 256, 128, (16, 128)), ((64, 256, 64), 256, 128, (16, 128)),
        ((64, 256, 64), 128, 256, (16, 256)), ((256, 64, 16), 256, 64, (32, 64)),
    ],
)  # fmt: skip
def test_warpgroups_have_rows_of_their_own_then_columns(
    shape: tuple[int, int, int], threads: int, columns: int, expected: tuple[int, int]
) -> None:
    found = plan("f16", "f32", shape, "sm_90", threads)
    assert found.atom.of_warpgroup
    assert found.atom.n == columns
    # Of every 64 rows, a warp has 16.
    assert share(found) == expected


@pytest.mark.parametrize(
    ("element", "total", "shape", "target", "threads"),
    [
        ("f16", "f32", (32, 64, 64), "sm_90", 128), ("f16", "f32", (64, 64, 8), "sm_90", 128),
        ("f16", "f32", (64, 64, 64), "sm_90", 64), ("f16", "f32", (64, 64, 64), "sm_80", 128),
        ("f16", "f32", (64, 64, 64), "sm_100", 128), ("f64", "f64", (64, 64, 64), "sm_90", 128),
        ("f16", "f32", (64, 8, 64), "sm_90", 128), ("f16", "f32", (1024, 64, 128), "sm_90", 128),
    ],
)  # fmt: skip
def test_what_warpgroups_cannot_multiply_is_left_to_warps(
    element: str, total: str, shape: tuple[int, int, int], target: str, threads: int
) -> None:
    """Too few rows, columns or warps; too short; another GPU or type; rows of 16 bytes in shared
    memory; operands too large."""
    assert not plan(element, total, shape, target, threads).atom.of_warpgroup


@pytest.mark.parametrize(
    ("registers", "room", "why"),
    [(255, ROOM, None), (96, ROOM, "group_registers"), (255, 31 << 10, "group_memory")],
)
def test_warpgroups_need_registers_and_memory(registers: int, room: int, why: str | None) -> None:
    """Accumulators of 64 registers a thread; operands of 32 KB."""
    kernel = KernelIR.of(product("f16", "f32", (128, 64), (64, 128)).module().functions[0])
    gpu, facts = TARGETS["sm_90"], kernel.facts(Divisibility)
    plans = plan_products(kernel, 256, gpu, facts)
    found, refused, _ = by_warpgroups(kernel, plans, 256, registers, gpu, facts, room)
    assert [plan.atom.of_warpgroup for plan in found.values()] == [why is None]
    assert [reason.id for reason in refused.values()] == [why] * bool(why)


@pytest.mark.parametrize("says", [{}, {"fast_acc": True}])
def test_rows_along_n_need_a_loop_that_copies_ahead(says: dict[str, bool]) -> None:
    """Elements of one byte are copied to rows along k, which does not pay where loads wait."""
    kernel = KernelIR.of(
        product("f8E4M3FN", "f32", (128, 64), (64, 256), **says).module().functions[0]
    )
    gpu, facts = TARGETS["sm_90"], kernel.facts(Divisibility)
    made = plan_products(kernel, 256, gpu, facts)
    (plan,) = made.values()
    plan = of_warpgroups(("e4m3", "e4m3", "f32"), plan.extents, 3, False, gpu)
    assert isinstance(plan, ProductPlan)
    (op,) = made
    assert is_promoted(op, plan) != bool(says)
    # Nothing copies tiles ahead that no loop loads, and rows go along n.
    refused = by_warpgroups(kernel, made, 256, REGISTERS, gpu, facts, ROOM).refused
    assert [reason.id for reason in refused.values()] == ["group_ahead"]


def test_portable_code_has_no_warpgroups() -> None:
    module = product("f16", "f32", (64, 64), (64, 64)).module()
    kernel, gpu = KernelIR.of(module.functions[0]), TARGETS["sm_90"]
    facts = kernel.facts(Divisibility)
    for target, expected in ((gpu, True), (gpu.portable(), False)):
        made = plan_products(kernel, 128, target, facts)
        (found,) = by_warpgroups(kernel, made, 128, REGISTERS, target, facts, ROOM).plans.values()
        assert found.atom.of_warpgroup == expected


ELEMENTS = [
    ("f16", "f32", "sm_75"), ("f16", "f32", "sm_80"), ("f8E4M3FN", "f32", "sm_89"),
    ("i8", "i32", "sm_75"), ("i8", "i32", "sm_80"), ("f64", "f64", "sm_90"),
    ("f32", "f32", "sm_80"),
]  # fmt: skip
SHAPES = [(1, 1, 1), (2, 64, 4), (16, 8, 16), (32, 64, 32), (8, 128, 2)]


def held(part: Part, thread: int) -> set[int]:
    return {part.layout.of_thread(thread) ^ offset for offset in part.layout.offsets()}


@pytest.mark.parametrize(("element", "total", "target"), ELEMENTS)
def test_every_thread_is_given_what_its_sums_take(element: str, total: str, target: str) -> None:
    """A warp has all of the factors that its part of the sum is made of, and all sums are made."""
    for shape, threads in pairs_of(SHAPES, (32, 128)):
        _, n, k = shape
        found = plan(element, total, shape, target, threads)
        computed: set[int] = set()
        for warp in range(threads // 32):
            lanes = range(32 * warp, 32 * warp + 32)
            sums = set().union(*(held(found.acc, thread) for thread in lanes))
            left = set().union(*(held(found.lhs, thread) for thread in lanes))
            right = set().union(*(held(found.rhs, thread) for thread in lanes))
            rows, columns = {at // n for at in sums}, {at % n for at in sums}
            assert left == {row * k + step for row in rows for step in range(k)}
            assert right == {step * n + column for column in columns for step in range(k)}
            assert len(sums) == len(rows) * len(columns)
            computed |= sums
        assert computed == set(range(1 << found.acc.layout.bits))


PRODUCTS = [
    (1, 1, 1, 1), (2, 64, 4, 1), (16, 8, 16, 1), (64, 16, 128, 1), (16, 128, 32, 4), (1, 8, 64, 16),
]  # fmt: skip
"""Extents m, n, k and b."""


def multiplied(found: ProductPlan, scaled: bool) -> Op:
    """The op of the block IR that such a product becomes."""

    def operand(slot: str, element: Scalar, dims: str) -> Value:
        shape = tuple(found.extents[dim] for dim in dims)
        kind = Frag(element, shape, layout=getattr(found, slot).layout)
        return Value(kind if kind.size > 1 else Tile(element, shape), Block(), 0)

    stored, batch = stored_as(found.operand_type), "b" if found.extents["b"] > 1 else ""
    total = {"s32": "i32"}.get(found.atom.acc, found.atom.acc)
    slots = {"lhs": (stored, "mk"), "rhs": (stored, "kn"), "acc": (Scalar(total), "mn")}
    if scaled:
        slots |= {"lhs_scale": (Scalar("f32"), "ms"), "rhs_scale": (Scalar("f32"), "sn")}
    operands = {slot: operand(slot, of, batch + dims) for slot, (of, dims) in slots.items()}
    attributes = {"atom": found.atom.mnemonic, "paired": found.paired}
    name = "mma_scaled" if scaled else "mma"
    return make(name, operands, attributes, [operands["acc"].type])


@pytest.mark.parametrize("atom", ATOMS, ids=lambda atom: atom.mnemonic)
def test_the_plan_of_an_op_is_the_one_that_it_was_made_from(atom: Atom) -> None:
    for (m, n, k, b), warps, by_rows in pairs_of(PRODUCTS, range(4), (False, True)):
        for adjacent in ("", "m", "n", "mn") if BITS[atom.a] == 8 else ("",):
            for scales in {0, 1, k // 2} if atom.acc == "f32" else {0}:
                extents = {"m": m, "n": n, "k": k, "b": b} | ({"s": scales} if scales else {})
                found = divided(atom, extents, warps, by_rows, adjacent)
                assert plan_of(multiplied(found, bool(scales)), warps) == found
