"""Memory besides a kernel's arguments: global variables of the module, allocas of a tile block."""

from __future__ import annotations

from itertools import zip_longest
from typing import cast

from llvmlite import ir

from tileir.bytecode import Bytecode
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.entry import llvm_name
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.running.context import ALIGNMENT
from tileir.codegen.scalar.constants import in_memory
from tileir.codegen.scalar.types import ADDRESS, BYTE, is_packed, memory_bytes
from tileir.ir import Op
from tileir.read.function import Global
from tileir.types import Scalar

MAX_ALIGNMENT = 4096
"""The largest alignment of global variables, in bytes; larger ones are reduced to it."""

MAX_ALLOCA_BYTES = 1 << 48
"""Cap on the bytes of an alloca: more than any launch allows, and sums of it fit an offset."""


def own_memory(lowering: Lowering, op: Op) -> tuple[ir.Value, int]:
    """Return the address that an alloca or get_global yields, and the bytes of its memory."""
    if op.name == "alloca":
        return _allocated(lowering, op), _size(op)
    variable = _global(lowering.function.module, _variable(lowering, op))
    return lowering.builder.ptrtoint(variable, ADDRESS), variable.value_type.count


def _get_global(lowering: Lowering, op: Op) -> None:
    """A global variable is shared by all kernels of the module and lives as long as it is loaded.

    Constant ones are in writable memory too: a kernel that writes to one, against the rules, must
    not crash the process.
    """
    lowering.singles[id(op.result)], _ = own_memory(lowering, op)


def _variable(lowering: Lowering, op: Op) -> Global:
    name = op.attributes["name"]
    return next(v for v in cast("Bytecode", lowering.kernel.bytecode).globals if v.name == name)


def _global(module: ir.Module, variable: Global) -> ir.GlobalVariable:
    name = llvm_name(variable.name, "global")
    if name in module.globals:
        return module.globals[name]
    data = _bytes(variable)
    kind = ir.ArrayType(BYTE, len(data))
    lowered = ir.GlobalVariable(module, kind, name)
    wanted = 1 << max(variable.alignment - 1, 0).bit_length()
    lowered.align = min(max(wanted, ALIGNMENT), MAX_ALIGNMENT)
    lowered.initializer = ir.Constant(kind, data if any(data) else None)
    return lowered


def _bytes(variable: Global) -> bytearray:
    """Return the initial value as bytes in memory."""
    element = variable.type.element
    data = in_memory(variable.value)
    if not is_packed(element):
        return data
    halves = zip_longest(data[::2], data[1::2], fillvalue=0)
    return bytearray(low | high << 4 for low, high in halves)


def _alloca(lowering: Lowering, op: Op) -> None:
    """Give the block a part of its workspace that nothing else uses."""
    lowering.singles[id(op.result)], _ = own_memory(lowering, op)


def _allocated(lowering: Lowering, op: Op) -> ir.Value:
    builder = lowering.builder
    address = builder.ptrtoint(lowering.address(lowering.temporary(op, 0)), ADDRESS)
    if _slack(op):
        address = builder.add(address, ir.Constant(ADDRESS, _slack(op)))
        address = builder.and_(address, ir.Constant(ADDRESS, -op.attributes["alignment"]))
    return address


def _slack(op: Op) -> int:
    """Return the most bytes to skip if the op asks for more alignment than the workspace has."""
    alignment = op.attributes["alignment"]
    return alignment - ALIGNMENT if alignment > ALIGNMENT else 0


def _size(op: Op) -> int:
    element: Scalar = op.result.type.pointee
    count = op.attributes["num_elem"]
    size = -(-count // 2) if is_packed(element) else count * memory_bytes(element)
    return min(size, MAX_ALLOCA_BYTES)


ROWS = {
    "alloca": Row(_alloca, temporaries=lambda op: [_size(op) + _slack(op)], lasting=True),
    "get_global": Row(_get_global),
}
