"""Lowering of memory that a kernel has besides its arguments: of the module, and of a tile block.

Variables of the module lie in global memory. What `alloca` makes lies in shared memory; where a
kernel has any, addresses do not say which memory they are of, and accesses are generic.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.constants import Constant
from tileir.ir import Op

from ..kernel import Kernel
from ..scalar.types import ADDRESS, is_packed, memory_bytes
from .carried import LOOPS
from .fragments import Context
from .shared import ALIGNMENT
from .spaces import GLOBAL

PAGE = 4096
"""The most that variables of a module are aligned to; more would gain nothing."""


def get_global(ctx: Context, op: Op) -> None:
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


def alloca(ctx: Context, op: Op) -> None:
    """In a loop each iteration has other memory: here the same, once no thread uses it any more."""
    if any(scope.op.name in LOOPS for scope in ctx.scopes):
        ctx.shared.barrier()
    address = ctx.shared.fixed(ctx.allocated[op])
    generic = ctx.builder.asm(
        ir.FunctionType(ADDRESS, [ADDRESS]), "cvta.shared.u64 $0, $1;", "=l,l",
        [ctx.builder.zext(address, ADDRESS)], False,
    )  # fmt: skip
    ctx.define_scalar(op.result, generic)


def place_allocations(kernel: Kernel) -> tuple[dict[Op, int], int, int]:
    """Where in shared memory the result of each `alloca` lies, their end, and their alignment."""
    places: dict[Op, int] = {}
    end, strictest = 0, ALIGNMENT
    for op in kernel.walk():
        if op.name == "alloca":
            alignment = max(op.attributes["alignment"], 1)
            end = -(-end // alignment) * alignment
            places[op] = end
            end += allocated_bytes(op)
            strictest = max(strictest, alignment)
    return places, -(-end // ALIGNMENT) * ALIGNMENT, strictest


def allocated_bytes(op: Op) -> int:
    """The size of what an `alloca` makes."""
    element, count = op.results[0].type.element.pointee, op.attributes["num_elem"]
    return -(-count // 2) if is_packed(element) else count * memory_bytes(element)


LOWERINGS = {"alloca": alloca, "get_global": get_global}
