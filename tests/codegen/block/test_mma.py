"""Matrix products of the block IR on the emulator, against NumPy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from llvmlite import ir

from tests.codegen.block.kernels_by_hand import BlockKernel, integers, module_for, ptx_of
from tests.codegen.host.lowering.test_mma import DTYPES
from tileir.codegen.block.types import Shared
from tileir.codegen.nvptx.machine.mma_atoms import ATOMS as ALL_ATOMS
from tileir.codegen.nvptx.machine.mma_atoms import BITS, BY_MNEMONIC, multiply, stored_as
from tileir.codegen.nvptx.schedule import mma_reads
from tileir.codegen.nvptx.schedule.mma_plan import ProductPlan, divided, plan_of
from tileir.codegen.nvptx.schedule.mma_reads import LDMATRIX, REGISTERS, read_by, slices_in_loop
from tileir.codegen.nvptx.schedule.staged import staged_bases
from tileir.gpus import TARGETS
from tileir.ir import Op, Value

NUMBERS = {**DTYPES, "tf32": DTYPES["f32"]}
HALF = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
ATOMS = [
    (HALF, "f16", "f32"), (HALF, "f8E4M3FN", "f32"),
    ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "tf32", "f32"),
    ("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "f8E4M3FN", "f32"),
    ("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "i8", "i32"),
    ("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "f64", "f64"),
    ("fma.f32", "bf16", "f32"), ("fma.f64", "f64", "f64"),
]  # fmt: skip
"""Mnemonic, element type of the operands, that of the accumulator."""


class Product:
    """A kernel of lhs, rhs, accumulator and result: pointers to matrices of m, n and k."""

    def __init__(
        self, mnemonic: str, element: str, total: str, shape: Sequence[int], paired: str = "",
        threads: int = 128,
    ) -> None:  # fmt: skip
        m, n, k, *batch = shape
        self.element, self.total, self.paired = element, total, paired
        atom, extents = BY_MNEMONIC[mnemonic], {"m": m, "n": n, "k": k, "b": (*batch, 1)[0]}
        warps = (threads // 32).bit_length() - 1
        self.plan: ProductPlan = divided(atom, extents, warps, False, paired)
        self.shapes = {"lhs": (*batch, m, k), "rhs": (*batch, k, n), "acc": (*batch, m, n)}
        pointers = (element, element, total, total)
        self.kernel = BlockKernel(*(f"ptr<{each}>" for each in pointers), threads=threads)
        lhs, rhs, acc, self.out = self.kernel.parameters
        self.pointers = {"lhs": lhs, "rhs": rhs, "acc": acc}

    def load(self, slot: str) -> Value:
        """An operand in registers."""
        layout = getattr(self.plan, slot).layout
        return self.kernel.load(self.pointers[slot], self.shapes[slot], layout)

    def stage(self, slot: str, inner: int = -1) -> Value:
        """An operand in shared memory, rows along the dimension `inner`."""
        shape = self.shapes[slot]
        bases = staged_bases(shape, inner % len(shape), self.plan.size)
        kind = Shared(stored_as(self.plan.operand_type), shape, bases)
        return self.kernel.stage(self.load(slot), kind)

    def multiply(self, lhs: Value, rhs: Value, acc: Value, **attributes: Any) -> Value:
        attributes |= {"atom": self.plan.atom.mnemonic, "paired": self.plan.paired}
        return self.kernel.op("mma", [acc.type], attributes=attributes, lhs=lhs, rhs=rhs, acc=acc)

    def check(self, result: Value, **options: str) -> str:
        """Run the kernel on small integers, and return its PTX."""
        self.kernel.store(self.out, result)
        arrays = [
            integers(self.shapes[slot], -3, 4, NUMBERS[kind], seed)
            for seed, (slot, kind) in enumerate(
                (("lhs", self.element), ("rhs", self.element), ("acc", self.total))
            )
        ]
        found = np.full(self.shapes["acc"], 99, NUMBERS[self.total])
        ptx = self.kernel.run(*arrays, found, **options)
        lhs, rhs, acc = (each.astype(np.float64) for each in arrays)
        np.testing.assert_array_equal(found, (lhs @ rhs + acc).astype(found.dtype))
        return ptx


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", ["registers", "shared", "mixed"])
@pytest.mark.parametrize(("mnemonic", "element", "total"), ATOMS)
def test_operands_may_be_in_registers_or_shared(
    mnemonic: str, element: str, total: str, place: str
) -> None:
    product = Product(mnemonic, element, total, (32, 16, 64))
    lhs = product.load("lhs") if place != "shared" else product.stage("lhs")
    rhs = product.load("rhs") if place == "registers" else product.stage("rhs", 0)
    result = product.multiply(lhs, rhs, product.load("acc"))
    op = result.owner
    assert isinstance(op, Op)
    assert (read_by(op, "lhs") == REGISTERS) == (place != "shared")
    ptx = product.check(result, target="sm_90")
    by_matrices = LDMATRIX in (read_by(op, "lhs"), read_by(op, "rhs"))
    assert ("ldmatrix" in ptx) == by_matrices


@pytest.mark.parametrize("ends", [(0, 16, 128), (0, 64, 128), (0, 32, 64, 96, 128)])
def test_parts_along_k_add_up(ends: tuple[int, ...]) -> None:
    product = Product(HALF, "f16", "f32", (32, 32, 128))
    lhs, rhs, acc = product.stage("lhs"), product.load("rhs"), product.load("acc")
    for first, end in pairwise(ends):
        acc = product.multiply(lhs, rhs, acc, first=first, end=end)
    product.check(acc)


@pytest.mark.parametrize("first", [0, 16, 64])
def test_many_atoms_become_a_loop_over_slices(first: int, monkeypatch: Any) -> None:
    """Of all slices, of all but the first one, and of the second half."""
    monkeypatch.setattr(mma_reads, "MOST_ATOMS", 8)
    product = Product(HALF, "f16", "f32", (32, 32, 128), threads=32)
    lhs, rhs, acc = product.stage("lhs"), product.stage("rhs", 0), product.load("acc")
    if first:
        acc = product.multiply(lhs, product.load("rhs"), acc, end=first)
    rest = product.multiply(lhs, rhs, acc, first=first)
    assert slices_in_loop(rest.owner)
    product.check(rest)
    assert len(re.findall("call .*llvm.nvvm.mma", product.kernel.llvm_ir)) == 8 * (1 + first // 16)


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 32), (2, 64, 4), (8, 4, 128), (16, 16, 32, 4)])
def test_extents_may_be_smaller_than_an_atom(shape: tuple[int, ...]) -> None:
    product = Product(HALF, "f16", "f32", shape)
    product.check(product.multiply(product.load("lhs"), product.stage("rhs"), product.load("acc")))


@pytest.mark.parametrize("paired", ["", "m", "n", "mn"])
def test_bytes_may_lie_along_rows_and_columns(paired: str) -> None:
    """Neighbours in memory along m or n are read by ldmatrix if they are taken in pairs."""
    mnemonic = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"
    product = Product(mnemonic, "f8E4M3FN", "f32", (64, 64, 64), paired)
    lhs, rhs = product.stage("lhs", 0), product.stage("rhs", 1)
    result = product.multiply(lhs, rhs, product.load("acc"))
    for slot, dim in (("lhs", "m"), ("rhs", "n")):
        assert (read_by(result.owner, slot) == LDMATRIX) == (dim in paired)
    product.check(result)


def test_scales_are_those_of_their_rows_and_columns() -> None:
    mnemonic, (m, n, k), scales = (
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        (32, 16, 64),
        2,
    )
    plan = divided(BY_MNEMONIC[mnemonic], {"m": m, "n": n, "k": k, "b": 1, "s": scales}, 1, False)
    kernel = BlockKernel(*["ptr<f16>"] * 2, *["ptr<f32>"] * 4, threads=64)
    shapes = [(m, k), (k, n), (m, n), (m, scales), (scales, n)]
    slots = ["lhs", "rhs", "acc", "lhs_scale", "rhs_scale"]
    operands = {
        slot: kernel.load(pointer, shape, getattr(plan, slot).layout)
        for slot, pointer, shape in zip(slots, kernel.parameters, shapes, strict=False)
    }
    attributes = {"atom": mnemonic, "paired": ""}
    result = kernel.op("mma_scaled", [operands["acc"].type], attributes=attributes, **operands)
    assert plan_of(result.owner) == plan
    kernel.store(kernel.parameters[-1], result)
    types = [np.float16] * 2 + [np.float32] * 3
    arrays = [
        integers(shape, -3, 4, kind, seed)
        for seed, (shape, kind) in enumerate(zip(shapes, types, strict=True))
    ]
    found = np.zeros((m, n), np.float32)
    kernel.run(*arrays, found)
    x, y, z, of_x, of_y = (each.astype(np.float64) for each in arrays)
    run = k // scales
    expected = (x * of_x.repeat(run, axis=1)) @ (y * of_y.repeat(run, axis=0)) + z
    np.testing.assert_array_equal(found, expected)


WARP_ATOMS = [atom for atom in ALL_ATOMS if not atom.fused]


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_89", "sm_90", "sm_120"])
def test_llvm_has_code_for_every_atom(target: str) -> None:
    """It ends the process if its version of PTX is too old for an intrinsic."""
    module, kinds = module_for(target), {"f32": ir.FloatType(), "f64": ir.DoubleType()}
    kernel = ir.Function(module, ir.FunctionType(ir.VoidType(), [ir.PointerType()]), "k")
    builder = ir.IRBuilder(kernel.append_basic_block())
    atoms = [
        each
        for each in WARP_ATOMS
        if each.feature is None or TARGETS[target].has_natively(each.feature)
    ]
    for atom in atoms:
        wide = 64 if atom.a == "f64" else 32
        operand, total = kinds.get(atom.a, ir.IntType(32)), kinds.get(atom.acc, ir.IntType(32))
        registers = [
            [builder.load(kernel.args[0], typ=kind) for _ in range(count)]
            for kind, count in (
                (operand, atom.m * atom.k * BITS[atom.a] // wide // 32),
                (operand, atom.k * atom.n * BITS[atom.b] // wide // 32),
                (total, atom.m * atom.n // 32),
            )
        ]
        for each in multiply(builder, atom, *registers):
            builder.store(each, kernel.args[0])
    builder.ret_void()
    ptx = ptx_of(module, target)
    assert atoms
    assert all(atom.mnemonic in ptx for atom in atoms)
