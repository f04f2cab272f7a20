"""Kernels of the block IR put together by hand, lowered, and run on the emulator.

Arrays are loaded and stored one element at a time, through a pointer of its own for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np
from llvmlite import ir

from tests.codegen.build import tile
from tests.codegen.emulator.snippets import plan
from tileir.codegen import emulator, llvm
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Frag, Shared
from tileir.codegen.kernel import KernelIR
from tileir.codegen.launch_terms import Choice
from tileir.codegen.layouts.linear_layout import LinearLayout, blocked
from tileir.codegen.nvptx.emit.frame import declare_kernel, lower_kernel
from tileir.codegen.nvptx.launch.contract import Contract
from tileir.codegen.nvptx.machine.mma_atoms import BITS
from tileir.codegen.nvptx.schedule.mma_plan import ProductPlan
from tileir.codegen.nvptx.stages import SPEED_LEVEL, TRIPLE
from tileir.codegen.scalar.machine import Machine
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import TARGETS
from tileir.ir import Block, Body, Region, Value
from tileir.ir.constants import Constant, element_size
from tileir.types import FunctionType, Tile, Type

SINGLY = {
    "vector": 1,
    "along": 0,
    "masked": 1,
    "run": 1,
    "owner": False,
    "generic": False,
    "memory_ordering_semantics": "weak",
}
"""How each thread accesses memory through a tile of pointers: one element at a time."""


def frag(text: str, layout: LinearLayout) -> Tile:
    """The type of a tile, spelled as in `tile`, in a layout."""
    kind = tile(text)
    return kind if kind.size == 1 else Frag(kind.element, kind.shape, layout=layout)


class BlockKernel:
    """A kernel under construction. Its parameters are pointers, or scalars."""

    def __init__(self, *parameters: str, threads: int = 64) -> None:
        self.threads = threads
        self.types = tuple(tile(text) for text in parameters)
        self.outermost = self.block = Block()
        self.parameters = [self.block.add_argument(kind) for kind in self.types]
        self.shared = 0

    def op(
        self, name: str, results: Sequence[Type] = (), regions: Sequence[Region] = (),
        attributes: dict[str, Any] | None = None, **operands: Any,
    ) -> Any:  # fmt: skip
        """Append an op; return its result, or its results if they are several."""
        op = make(name, operands, attributes, results, regions)
        self.block.ops.append(op)  # regions are made before the ops around them
        return op.results[0] if len(op.results) == 1 else op.results

    @contextmanager
    def inside(self, *arguments: Type) -> Iterator[tuple[Region, list[Value]]]:
        """Append to the block of a new region, whose arguments have these types."""
        region, around = Region([Block()]), self.block
        self.block = region.block
        yield region, [self.block.add_argument(kind) for kind in arguments]
        self.block = around

    def constant(self, kind: str | Tile, *bits: int) -> Value:
        """A constant from bit patterns: one for all elements, or one each."""
        result = tile(kind) if isinstance(kind, str) else kind
        plain = Tile(result.element, result.shape)
        width = element_size(plain.element)
        data = b"".join(pattern.to_bytes(width, "little") for pattern in bits)
        return self.op("constant", [result], attributes={"value": Constant(plain, data)})

    def binary(self, name: str, lhs: Value, rhs: Value, **attributes: Any) -> Value:
        """An op of two operands and a result of the same type."""
        return self.op(name, [lhs.type], attributes=attributes, lhs=lhs, rhs=rhs)

    def add(self, lhs: Value, rhs: Value) -> Value:
        """The sum of integers."""
        return self.binary("addi", lhs, rhs, overflow="none")

    def pointers(self, base: Value, layout: LinearLayout, shape: Sequence[int]) -> Value:
        """Pointers to the elements of a row-major array."""
        size, text = prod(shape), "".join(f"{extent}x" for extent in shape)
        numbers = self.op("iota", [frag(f"{size}xi32", layout)])
        kind = Frag(base.type.element, (size,), layout=layout) if size > 1 else base.type
        spread = base
        if size > 1:
            one = self.op("reshape", [Tile(base.type.element, (1,))], source=base)
            spread = self.op("broadcast", [kind], source=one)
        at = self.op("offset", [kind], ptr=spread, offset=numbers)
        shaped = frag(f"{text}{base.type.element}".replace("pointer", "ptr"), layout)
        return self.op("reshape", [shaped], source=at)

    def load(self, base: Value, shape: Sequence[int], layout: LinearLayout) -> Value:
        """The array at a pointer."""
        kind = Frag(base.type.element.pointee, tuple(shape), layout=layout)
        if kind.size == 1:
            kind = Tile(kind.element, kind.shape)
        source = self.pointers(base, layout, shape)
        return self.op("load_ptr_tko", [kind], attributes=SINGLY, source=source)

    def store(self, base: Value, value: Value, layout: LinearLayout | None = None) -> None:
        """Store a tile as an array at a pointer."""
        layout = layout or getattr(value.type, "layout", blocked(1, 1, self.threads))
        self.op(
            "store_ptr_tko",
            attributes=SINGLY | {"owner": True},
            destination=self.pointers(base, layout, value.type.shape),
            value=value,
        )

    def allocate(self, kind: Shared) -> Value:
        """Shared memory for a tile, or for a ring of tiles."""
        at = self.shared
        self.shared += -(-kind.bytes // 1024) * 1024 * kind.slots
        return self.op("shared_alloc", [kind], attributes={"offset": at})

    def stage(self, value: Value, kind: Shared) -> Value:
        """Store a tile to shared memory, and wait until it is there."""
        memory = self.allocate(kind)
        self.op("store_shared", value=value, destination=memory)
        self.op("barrier", attributes={"pairs": ()})
        return memory

    def ptx(self, target: str = "sm_90") -> str:
        """The kernel in PTX."""
        if self.outermost.parent is None:
            self.op("return")
            Body(FunctionType(self.types, ()), self.outermost)
        module = module_for(target)
        kernel = KernelIR("k", None, self.outermost.parent)
        declare_kernel(module, kernel)
        choices = {"num_warps": Choice(self.threads // 32, "test")}
        lower_kernel(module, kernel, Contract(choices), self.threads)
        self.llvm_ir = str(module)
        return ptx_of(module, target)

    def run(self, *args: Any, target: str = "sm_90", schedule: str = "random-1") -> str:
        """Run one block on the arguments; return the PTX."""
        text = self.ptx(target)
        run_block(text, self.types, self.threads, self.shared, args, schedule)
        return text


def module_for(target: str) -> ir.Module:
    """An empty LLVM module for a GPU."""
    module = ir.Module(name="test", context=ir.Context())
    module.machine = Machine.of_gpu(TARGETS[target])
    module.triple, module.data_layout = TRIPLE, str(_machine(target).target_data)
    return module


def ptx_of(module: ir.Module, target: str) -> str:
    """An LLVM module in PTX."""
    machine, optimised = _machine(target), llvm.parse(str(module))
    llvm.optimize(optimised, machine, speed_level=SPEED_LEVEL)
    return machine.emit_assembly(optimised)


def _machine(target: str) -> Any:
    gpu = TARGETS[target]
    llvm.start("all")
    return llvm.target_machine(TRIPLE, gpu.ptx_target, gpu.llvm_features, speed_level=SPEED_LEVEL)


def run_block(
    text: str, types: Sequence[Tile], threads: int, shared: int, args: Sequence[Any],
    schedule: str = "random-1",
) -> None:  # fmt: skip
    """Run one block of a kernel `k`, whose parameters have these types, on the emulator."""
    kinds = [
        "u64" if hasattr(kind.element, "pointee") else f"u{kind.element.bits}" for kind in types
    ]
    emulator.launch(text, plan(kinds, threads, shared), 1, list(args), schedule=schedule)


def swizzled(kind: Tile, plan: ProductPlan, offsets: Sequence[int]) -> Shared:
    """The type of a tile in shared memory that a product reads."""
    assert memory_bytes(kind.element) == BITS[plan.operand_type] // 8
    return Shared(kind.element, kind.shape, tuple(offsets))


def integers(shape: Sequence[int], low: int, high: int, dtype: Any, seed: int) -> np.ndarray:
    """An array of small integers."""
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)
