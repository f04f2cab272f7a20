"""Products of warpgroups against NumPy, in small integers: exact whatever the order of sums.

Sums of 8-bit floats are exact here, too: they have fewer bits than tensor cores keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import pytest

from tests.codegen.block.kernels_by_hand import BlockKernel, integers
from tests.codegen.block.test_mma import NUMBERS
from tileir.codegen import emulator
from tileir.codegen.block.make import make
from tileir.codegen.block.op_rules import adds_its_columns
from tileir.codegen.block.types import Flight, Frag, Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, blocked
from tileir.codegen.layouts.swizzled_rows import swizzled_rows
from tileir.codegen.nvptx.machine.mma_atoms import BITS, GROUP_ATOMS, stored_as
from tileir.codegen.nvptx.schedule.group_products import descriptor_of, of_warpgroups
from tileir.codegen.nvptx.schedule.mma_plan import ProductPlan
from tileir.gpus import TARGETS
from tileir.ir import Value
from tileir.types import Scalar

TARGET = "sm_90a"
SHAPES = [
    (64, 8, 16), (64, 16, 32), (128, 64, 64), (64, 256, 16), (128, 128, 128), (64, 512, 32),
    (256, 32, 64), (64, 64, 64, 2), (64, 32, 32, 4),
]  # fmt: skip
"""m, n, k, and how many matrices."""


TYPES = list(dict.fromkeys((atom.a, atom.b, atom.acc) for atom in GROUP_ATOMS))
"""The types of lhs, rhs and accumulator of all atoms."""
DEEP = {8: 32, 16: 16, 32: 8}
"""Bits of an element -> the elements along k of an atom."""


class Product:
    """A kernel of lhs, rhs, accumulator and result: pointers to matrices of m, n and k."""

    def __init__(self, types: tuple[str, str, str], shape: Sequence[int], threads: int) -> None:
        m, n, k, *batch = shape
        self.types = dict(zip(("lhs", "rhs", "acc"), types, strict=True))
        self.elements = {slot: _stored(kind) for slot, kind in self.types.items()}
        extents = {"m": m, "n": n, "k": k, "b": (*batch, 1)[0]}
        warps = (threads // 32).bit_length() - 1
        plan = of_warpgroups(types, extents, warps, False, TARGETS[TARGET])
        assert isinstance(plan, ProductPlan)
        self.plan = plan
        self.shapes = {"lhs": (*batch, m, k), "rhs": (*batch, k, n), "acc": (*batch, m, n)}
        pointers = (*self.elements.values(), self.elements["acc"])
        self.kernel = BlockKernel(*(f"ptr<{each}>" for each in pointers), threads=threads)
        lhs, rhs, acc, self.out = self.kernel.parameters
        self.pointers = {"lhs": lhs, "rhs": rhs, "acc": acc}

    def load(self, slot: str) -> Value:
        """An operand in registers."""
        return self.kernel.load(
            self.pointers[slot], self.shapes[slot], getattr(self.plan, slot).layout
        )

    def stage(self, slot: str, inner: int) -> Value:
        """An operand in shared memory, rows along the dimension `inner` from the last one."""
        shape = self.shapes[slot]
        offsets = swizzled_rows(shape, inner % len(shape), self.plan.size)
        assert offsets is not None
        loaded = self.kernel.load(
            self.pointers[slot],
            shape,
            blocked(prod(shape), 1, self.kernel.threads),
        )
        memory = self.kernel.allocate(Shared(self.elements[slot], shape, offsets))
        self.kernel.op("store_shared", value=loaded, destination=memory)
        return memory

    def multiply(self, lhs: Value, rhs: Value, acc: Value, **attributes: int) -> Value:
        """The product, awaited at once."""
        self.kernel.op("fence_proxy")
        self.kernel.op("barrier", attributes={"pairs": ()})
        flight = self.kernel.op(
            "mma_async",
            [Flight((acc.type,))],
            attributes={"atom": self.plan.atom.mnemonic, **attributes},
            lhs=lhs, rhs=rhs, acc=acc,
        )  # fmt: skip
        memory = tuple(each for each in (lhs, rhs) if isinstance(each.type, Shared))
        return self.kernel.op(
            "wait_mma", [acc.type], attributes={"pending": 0}, flight=flight, memory=memory
        )

    def check(self, result: Value) -> None:
        """Run the kernel on small integers."""
        self.kernel.store(self.out, result)
        low, high = (-128, 128) if self.types["acc"] == "s32" else (-3, 4)
        arrays = [
            integers(self.shapes[slot], low, high, NUMBERS[str(kind)], seed)
            for seed, (slot, kind) in enumerate(self.elements.items())
        ]
        found = np.full(self.shapes["acc"], 99, arrays[-1].dtype)
        self.kernel.run(*arrays, found, target=TARGET)
        lhs, rhs, acc = (
            (each.view(np.uint8) if kind == "u8" else each).astype(np.float64)
            for each, kind in zip(arrays, self.types.values(), strict=True)
        )
        np.testing.assert_array_equal(found, (lhs @ rhs + acc).astype(found.dtype))


def _stored(kind: str) -> Scalar:
    return Scalar("i32") if kind == "s32" else stored_as(kind)


HALF = ("f16", "f16", "f32")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("majors", [(-1, -2), (-1, -1), (-2, -2), (-2, -1)], ids=str)
def test_operands_in_shared_memory(shape: tuple[int, ...], majors: tuple[int, int]) -> None:
    threads = 256 if shape[0] > 64 or len(shape) > 3 or shape[1] > 256 else 128
    product = Product(HALF, shape, threads)
    operands = []
    for slot, inner in zip(("lhs", "rhs"), majors, strict=True):
        whole = product.shapes[slot]
        offsets = swizzled_rows(whole, inner % len(whole), 2)
        if offsets is None or descriptor_of(product.plan, slot, offsets) is None:
            # Rows of 16 bytes: such a product is one of single warps.
            assert (slot, inner, shape[1]) == ("rhs", -1, 8)
            return
        operands.append(product.stage(slot, inner))
    product.check(product.multiply(*operands, product.load("acc")))


@pytest.mark.parametrize("columns", [8, 64])
@pytest.mark.parametrize("types", TYPES, ids=".".join)
def test_all_types(types: tuple[str, str, str], columns: int) -> None:
    """Operands whose neighbours in memory are along k: so every type can be."""
    product = Product(types, (64, columns, 2 * DEEP[BITS[types[0]]]), 128)
    lhs, rhs = product.stage("lhs", -1), product.stage("rhs", -2)
    product.check(product.multiply(lhs, rhs, product.load("acc")))


@pytest.mark.parametrize("types", TYPES, ids=".".join)
def test_only_two_bytes_may_be_transposed(types: tuple[str, str, str]) -> None:
    product = Product(types, (64, 64, 128), 128)
    offsets = swizzled_rows((128, 64), 1, product.plan.size)
    assert offsets is not None
    found = descriptor_of(product.plan, "rhs", offsets)
    assert (found is not None) == (BITS[types[0]] == 16)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("types", TYPES, ids=".".join)
def test_lhs_may_be_in_registers(types: tuple[str, str, str]) -> None:
    product = Product(types, (128, 64, 2 * DEEP[BITS[types[0]]]), 256)
    lhs, rhs = product.load("lhs"), product.stage("rhs", -2)
    product.check(product.multiply(lhs, rhs, product.load("acc")))


def test_parts_along_k_add_up() -> None:
    product = Product(("bf16", "bf16", "f32"), (64, 32, 64), 128)
    lhs, rhs, acc = product.stage("lhs", -1), product.stage("rhs", -2), product.load("acc")
    acc = product.multiply(lhs, rhs, acc, first=0, end=16)
    product.check(product.multiply(lhs, rhs, acc, first=16, end=64))


def test_without_its_fence_a_product_is_refused() -> None:
    product = Product(HALF, (64, 16, 16), 128)
    lhs, rhs = product.stage("lhs", -1), product.stage("rhs", -2)
    result = product.multiply(lhs, rhs, product.load("acc"))
    fences = [op for op in product.kernel.block.ops if op.name == "fence_proxy"]
    for fence in fences:
        product.kernel.block.ops.remove(fence)
    with pytest.raises(emulator.EmulationError, match="proxy"):
        product.check(result)


@pytest.mark.parametrize(
    ("first", "count", "columns", "problem"),
    [
        (64, 64, "n1 m8 n8 n16 n32", None),
        (32, 64, "n1 m8 n8 n16 n32", "columns from 32 on"),
        (128, 64, "n1 m8 n8 n16 n32", "columns from 128 on"),
        (64, 64, "n1 n8 m8 n16 n32", None),  # registers are free to count otherwise
        (64, 64, "n2 m8 n8 n16 n32", "threads have other elements of the product"),
    ],
)
def test_columns_are_added_where_threads_have_them(
    first: int, count: int, columns: str, problem: str | None
) -> None:
    def kind(extent: int, registers: str) -> Frag:
        weights = {"m": extent, "n": 1}
        lanes = "n1 n4 m1 m2 m4" if registers.startswith("n2") else "n2 n4 m1 m2 m4"

        def bases(text: str) -> tuple[int, ...]:
            return tuple(weights[word[0]] * int(word[1:]) for word in text.split())

        layout = LinearLayout(
            (64 * extent).bit_length() - 1, bases(registers), bases(lanes), bases("m16 m32")
        )
        return Frag(Scalar("f32"), (64, extent), layout=layout)

    made = BlockKernel("ptr<f32>")
    acc, part = (
        made.load(made.parameters[0], each.shape, each.layout)
        for each in (kind(128, "n1 m8 n8 n16 n32 n64"), kind(count, columns))
    )
    op = make("add_columns", {"acc": acc, "product": part}, {"first": first}, [acc.type])
    found = adds_its_columns(op)
    assert found is None if problem is None else found is not None and problem in found
