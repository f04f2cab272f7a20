"""Lowering of variables, and of statements that order accesses or grids.

Variables of the module (get_global) are in global memory; those of a block (alloca) are in shared
memory. If a kernel has variables in shared memory, all addresses and accesses are generic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llvmlite import ir

from tileir.codegen.nvptx.machine.spaces import GLOBAL
from tileir.codegen.scalar.types import ADDRESS, is_packed, memory_bytes
from tileir.ir import Op
from tileir.ir.constants import Constant
from tileir.read.function import Global

from .context import Context
from .sequences.shared_symbol import ALIGNMENT, shared_address

PAGE = 4096
"""The largest alignment of a module's variables, in bytes."""


def define_variables(module: ir.Module, ops: Iterable[Op], variables: Sequence[Global]) -> None:
    """Define the module's variables that ops refer to; all kernels of the module share them."""
    by_name = {variable.name: variable for variable in variables}
    for op in ops:
        if op.name == "get_global" and op.attributes["symbol"] not in module.globals:
            _define(module, op.attributes["symbol"], by_name[op.attributes["name"]])


def _define(module: ir.Module, symbol: str, variable: Global) -> None:
    data = constant_bytes(variable.value)
    kind = ir.ArrayType(ir.IntType(8), len(data))
    memory = ir.GlobalVariable(module, kind, symbol, addrspace=GLOBAL)
    memory.initializer = ir.Constant(kind, data if any(data) else None)
    wanted = 1 << max(variable.alignment - 1, 0).bit_length()
    memory.align = min(max(wanted, ALIGNMENT), PAGE)


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


def get_global(ctx: Context, op: Op) -> None:
    """Lower get_global."""
    memory = ctx.builder.module.globals[op.attributes["symbol"]]
    ctx.define_scalar(op.result, ctx.builder.ptrtoint(memory, ADDRESS))


def alloca(ctx: Context, op: Op) -> None:
    """Lower alloca: the generic address of memory of the block."""
    builder = ctx.builder
    address = shared_address(builder, op.attributes["offset"])
    kind, text = ir.FunctionType(ADDRESS, [ADDRESS]), "cvta.shared.u64 $0, $1;"
    generic = builder.asm(kind, text, "=l,l", [builder.zext(address, ADDRESS)], False)
    ctx.define_scalar(op.result, generic)


def memory_fence_alias_tko(ctx: Context, op: Op) -> None:
    """Lower memory_fence_alias_tko: each thread executes the fence.

    So it is between any access before it and any access after it. A barrier between the two, if
    tokens require one, stands before the second.
    """
    _statement(ctx.builder, "fence.proxy.alias;")


def gdc_wait_tko(ctx: Context, op: Op) -> None:
    """Lower gdc_wait_tko."""
    _statement(ctx.builder, "griddepcontrol.wait;")


def gdc_launch_dependents_tko(ctx: Context, op: Op) -> None:
    """Lower gdc_launch_dependents_tko."""
    _statement(ctx.builder, "griddepcontrol.launch_dependents;")


def _statement(builder: ir.IRBuilder, text: str) -> None:
    builder.asm(ir.FunctionType(ir.VoidType(), []), text, "~{memory}", [], True)


LOWERINGS = {
    "alloca": alloca,
    "gdc_launch_dependents_tko": gdc_launch_dependents_tko,
    "gdc_wait_tko": gdc_wait_tko,
    "get_global": get_global,
    "memory_fence_alias_tko": memory_fence_alias_tko,
}
