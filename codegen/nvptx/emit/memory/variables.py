"""Lowering of variables: those of the module (get_global), and those of a tile block (alloca).

Variables of the module are in global memory. Those of a block are in shared memory, or in memory
that the block allocates on the device's heap (see `heap`). If a kernel has variables in shared
memory, all addresses and accesses are generic.
"""

from __future__ import annotations

from typing import cast

from llvmlite import ir

from tileir.bytecode import Bytecode
from tileir.codegen.nvptx.emit.fragments import EmitContext
from tileir.codegen.nvptx.emit.shared import ALIGNMENT
from tileir.codegen.nvptx.machine.spaces import GLOBAL
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import ADDRESS, is_packed, memory_bytes
from tileir.ir import Op
from tileir.ir.constants import Constant

PAGE = 4096
"""The largest alignment of a module's variables, in bytes."""


def get_global(ctx: EmitContext, op: Op) -> None:
    """Lower get_global: all kernels of the module share the variable."""
    name, builder = op.attributes["name"], ctx.builder
    variables = cast("Bytecode", ctx.kernel.bytecode).globals
    number, variable = next((n, v) for n, v in enumerate(variables) if v.name == name)
    llvm_name = f"tileir$global{number}"
    memory = builder.module.globals.get(llvm_name)
    if memory is None:
        data = constant_bytes(variable.value)
        kind = ir.ArrayType(ir.IntType(8), len(data))
        memory = ir.GlobalVariable(builder.module, kind, llvm_name, addrspace=GLOBAL)
        memory.initializer = ir.Constant(kind, data if any(data) else None)
        wanted = 1 << max(variable.alignment - 1, 0).bit_length()
        memory.align = min(max(wanted, ALIGNMENT), PAGE)
    ctx.define_scalar(op.result, builder.ptrtoint(memory, ADDRESS))


def constant_bytes(value: Constant) -> bytearray:
    """Return the elements of a constant as bytes in memory."""
    element = value.type.element
    width = memory_bytes(element)
    shift = 8 * width - element.bits if element.name == "tf32" else 0
    numbers = [value.bits(index) << shift for index in range(value.type.size)]
    if is_packed(element):
        numbers += [0] * (len(numbers) % 2)
        numbers = [low | high << 4 for low, high in zip(numbers[::2], numbers[1::2], strict=True)]
    return bytearray(b"".join(number.to_bytes(width, "little") for number in numbers))


def alloca(ctx: EmitContext, op: Op) -> None:
    """Lower alloca; in a loop all iterations share the memory, with a barrier between them."""
    if any(family_of(scope.op) is Family.LOOP for scope in ctx.scopes):
        ctx.shared.barrier("all iterations share the memory")
    if op in ctx.heap:
        return ctx.define_scalar(op.result, ctx.heap[op])
    address = ctx.shared.fixed(ctx.state.variables.offsets[op])
    generic = ctx.builder.asm(
        ir.FunctionType(ADDRESS, [ADDRESS]),
        "cvta.shared.u64 $0, $1;",
        "=l,l",
        [ctx.builder.zext(address, ADDRESS)],
        False,
    )
    return ctx.define_scalar(op.result, generic)


LOWERINGS = {"alloca": alloca, "get_global": get_global}
