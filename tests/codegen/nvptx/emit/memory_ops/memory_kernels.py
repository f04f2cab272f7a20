"""Memory ops of the block IR put together by hand, lowered without a frame, and run.

What is no memory op is given as LLVM IR: `numbers` and `pointers` make fragments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from tests.codegen.block.kernels_by_hand import frag, module_for, ptx_of, run_block
from tests.codegen.build import tile
from tileir.codegen.block.make import make
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.emit import (
    atomics,
    multicast,
    pointers,
    variables,
    views,
)
from tileir.codegen.nvptx.emit.asynchronous import async_copies
from tileir.codegen.nvptx.emit.context import I32, I64, Context, Fragment
from tileir.codegen.nvptx.machine.access import integer_type, value_of
from tileir.ir import Value
from tileir.types import PartitionView, Type

LOWERINGS = {
    name: lower
    for chapter in (async_copies, atomics, multicast, pointers, variables, views)
    for name, lower in chapter.LOWERINGS.items()
}
THREAD = "llvm.nvvm.read.ptx.sreg.tid.x"
WEAK = {"memory_ordering_semantics": "weak", "memory_scope": None}
PLAIN = {"owner": False, "generic": False}


def numbers(layout: LinearLayout, scale: int = 1, start: int = 0) -> Callable[[Context], Fragment]:
    """Element numbers as i32, multiplied, and counted from a start."""

    def form(ctx: Context) -> Fragment:
        builder, found = ctx.builder, {}
        for offset in layout.offsets():
            number = builder.xor(ctx.position(layout), I32(offset))
            found[offset] = builder.add(builder.mul(number, I32(scale)), I32(start))
        return found

    return form


class MemoryKernel:
    """A kernel under construction. Its parameters are pointers, or scalars."""

    def __init__(self, *parameters: str, threads: int = 32) -> None:
        self.threads = threads
        self.types = [tile(text) for text in parameters]
        self.parameters = [Value(kind, None, index) for index, kind in enumerate(self.types)]
        self._steps: list[Callable[[Context], None]] = []

    def step(self, step: Callable[[Context], None]) -> None:
        """Append a step in LLVM IR."""
        self._steps.append(step)

    def given(self, kind: Type, form: Callable[[Context], Any]) -> Value:
        """A value whose form is made by a function."""
        value = Value(kind, None, 0)
        self.step(lambda ctx: ctx.define(value, form(ctx)))
        return value

    def integer(self, number: int, bits: int = 32) -> Value:
        """A constant."""
        return self.given(tile(f"i{bits}"), lambda ctx: {0: ir.IntType(bits)(number)})

    def op(
        self, name: str, results: Sequence[Type] = (), attributes: dict[str, Any] | None = None,
        **operands: Any,
    ) -> Any:  # fmt: skip
        """Append an op; return its result, or its results if they are several."""
        op = make(name, operands, attributes, results)
        self.step(lambda ctx: LOWERINGS[name](ctx, op))
        return op.results[0] if len(op.results) == 1 else op.results

    def view(
        self, base: Value, kind: PartitionView, shape: Sequence[Value] = (),
        strides: Sequence[Value] = (),
    ) -> Value:  # fmt: skip
        """A view of the tensor at a pointer."""
        sizes = {"dynamicShape": tuple(shape), "dynamicStrides": tuple(strides)}
        tensor = self.op("make_tensor_view", [kind.view], base=base, **sizes)
        return self.op("make_partition_view", [kind], tensor_view=tensor)

    def pointers(self, base: Value, text: str, layout: LinearLayout) -> Value:
        """Pointers, of a type spelled as in `tile`, to consecutive elements."""
        kind = frag(text, layout)

        def form(ctx: Context) -> Fragment:
            size = integer_type(kind.pointee).width // 8
            spread = numbers(layout, size)(ctx)
            return {
                o: ctx.builder.add(ctx.scalar(base), ctx.builder.zext(n, I64))
                for o, n in spread.items()
            }

        return self.given(kind, form)

    def ptx(self, target: str = "sm_90") -> str:
        """The kernel in PTX."""
        module = module_for(target)
        kinds = [integer_type(kind.element) for kind in self.types]
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), "k")
        function.calling_convention = "ptx_kernel"
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        thread = builder.call(ir.Function(module, ir.FunctionType(I32, []), THREAD), [])
        exit = function.append_basic_block("exit")
        ctx = Context(builder, thread, self.threads, _no_blocks, _no_blocks, exit)
        for value, argument in zip(self.parameters, function.args, strict=True):
            ctx.define_scalar(value, value_of(builder, argument, value.type.element))
        # Behind what is emitted in the entry block.
        body = function.append_basic_block("body")
        builder.branch(body)
        builder.position_at_end(body)
        for step in self._steps:
            step(ctx)
        builder.branch(exit)
        builder.position_at_end(exit)
        builder.ret_void()
        return ptx_of(module, target)

    def run(self, *args: Any, target: str = "sm_90", shared: int = 0) -> str:
        """Run one block on the arguments; return the PTX."""
        text = self.ptx(target)
        run_block(text, self.types, self.threads, shared, args)
        return text


def _no_blocks(*_: Any) -> None:
    raise AssertionError("memory ops have no regions")
