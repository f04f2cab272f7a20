"""Matrix products of the block IR on the emulator, against NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.codegen.host.lowering.test_mma import DTYPES
from tests.codegen.nvptx.emit.block_kernels import BlockKernel, frag, integers
from tileir.codegen.block.types import Shared
from tileir.codegen.nvptx.machine.mma_atoms import BY_MNEMONIC, stored_as
from tileir.codegen.nvptx.schedule.mma_plan import ProductPlan, divided
from tileir.codegen.nvptx.schedule.mma_reads import LDMATRIX, LOADS, REGISTERS, read_by
from tileir.codegen.nvptx.schedule.staged import staged_bases
from tileir.ir import Op, Value

HALF = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
ATOMS = [
    (HALF, "f16", "f32"), (HALF, "f16", "f16"), (HALF, "f8E4M3FN", "f32"),
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
        self.plan: ProductPlan = divided(atom, extents, (threads // 32).bit_length() - 1, False, paired)
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
            integers(self.shapes[slot], -3, 4, DTYPES[kind], seed)
            for seed, (slot, kind) in enumerate(
                (("lhs", self.element), ("rhs", self.element), ("acc", self.total))
            )
        ]
        found = np.full(self.shapes["acc"], 99, DTYPES[self.total])
        ptx = self.kernel.run(*arrays, found, **options)
        lhs, rhs, acc = (each.astype(np.float64) for each in arrays)
        np.testing.assert_array_equal(found, (lhs @ rhs + acc).astype(found.dtype))
        return ptx


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


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 32), (2, 64, 4), (8, 4, 128), (16, 16, 32, 4)])
def test_extents_may_be_smaller_than_an_atom(shape: tuple[int, ...]) -> None:
    product = Product(HALF, "f16", "f32", shape)
    product.check(product.multiply(product.load("lhs"), product.stage("rhs"), product.load("acc")))
