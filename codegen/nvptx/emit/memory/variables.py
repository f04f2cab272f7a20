"""Lowering of memory that a kernel has besides its arguments: of the module, and of a tile block.

Variables of the module lie in global memory. What `alloca` makes lies in shared memory, or in what
the block takes from the device's heap (see `heap`). Where a kernel has any in shared memory,
addresses do not say which memory they are of, and accesses are generic.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import EmitContext
from tileir.codegen.nvptx.emit.shared import ALIGNMENT
from tileir.codegen.nvptx.machine.spaces import GLOBAL
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import ADDRESS, is_packed, memory_bytes
from tileir.ir import Op
from tileir.ir.constants import Constant

PAGE = 4096
"""The most that variables of a module are aligned to; more would gain nothing."""


def get_global(ctx: EmitContext, op: Op) -> None:
    """One variable for all kernels of the module."""
    name, builder = op.attributes["name"], ctx.builder
    found = ctx.kernel.bytecode.globals
    number, variable = next((n, v) for n, v in enumerate(found) if v.name == name)
    place = f"tileir$global{number}"
    memory = builder.module.globals.get(place)
    if memory is None:
        data = constant_bytes(variable.value)
        kind = ir.ArrayType(ir.IntType(8), len(data))
        memory = ir.GlobalVariable(builder.module, kind, place, addrspace=GLOBAL)
        memory.initializer = ir.Constant(kind, data if any(data) else None)
        wanted = 1 << max(variable.alignment - 1, 0).bit_length()
        memory.align = min(max(wanted, ALIGNMENT), PAGE)
    ctx.define_scalar(op.result, builder.ptrtoint(memory, ADDRESS))


def constant_bytes(value: Constant) -> bytearray:
    """The elements of a constant as they lie in memory."""
    element = value.type.element
    width = memory_bytes(element)
    shift = 8 * width - element.bits if element.name == "tf32" else 0
    numbers = [value.bits(index) << shift for index in range(value.type.size)]
    if is_packed(element):
        numbers += [0] * (len(numbers) % 2)
        numbers = [low | high << 4 for low, high in zip(numbers[::2], numbers[1::2], strict=True)]
    return bytearray(b"".join(number.to_bytes(width, "little") for number in numbers))


def alloca(ctx: EmitContext, op: Op) -> None:
    """In a loop each iteration has other memory: here the same, once no thread uses it any more."""
    if any(family_of(scope.op) is Family.LOOP for scope in ctx.scopes):
        ctx.shared.barrier("each iteration has the same memory")
    if op in ctx.heap:
        return ctx.define_scalar(op.result, ctx.heap[op])
    address = ctx.shared.fixed(ctx.state.variables.offsets[op])
    generic = ctx.builder.asm(
        ir.FunctionType(ADDRESS, [ADDRESS]), "cvta.shared.u64 $0, $1;", "=l,l",
        [ctx.builder.zext(address, ADDRESS)], False,
    )  # fmt: skip
    return ctx.define_scalar(op.result, generic)


LOWERINGS = {"alloca": alloca, "get_global": get_global}
