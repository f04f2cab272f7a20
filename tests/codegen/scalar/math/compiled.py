"""A loop over arrays around an emitter, compiled without a kernel: fast enough for millions."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from tests.codegen.build import Kernel
from tests.codegen.reference import DTYPES
from tileir.codegen.llvm import optimize, parse, start, target_machine
from tileir.codegen.scalar.elementwise import emit
from tileir.codegen.scalar.types import OPAQUE, from_memory, memory_type, to_memory
from tileir.ir import Op

_INDEX = ir.IntType(64)


def op_of(name: str, inputs: tuple[str, ...], **attributes: object) -> Op:
    """The op on scalars of these types, its result like its first operand."""
    kernel = Kernel("apply", *inputs)
    kernel.op(name, *kernel.parameters, results=[inputs[0]], **attributes)
    return kernel.block.ops[0]


def loop_around(op: Op) -> ir.Module:
    """`void apply(ptr inputs..., ptr result, i64 count)`, which applies the op to elements."""
    module = ir.Module()
    operands = [value.type.element for value in op.operands.values()]
    result = op.result.type.element
    signature = ir.FunctionType(ir.VoidType(), [*[OPAQUE] * (len(operands) + 1), _INDEX])
    function = ir.Function(module, signature, "apply")
    *pointers, count = function.args
    for pointer in pointers:
        pointer.add_attribute("noalias")
    entry, body, done = (function.append_basic_block(name) for name in ("entry", "body", "done"))
    builder = ir.IRBuilder(entry)
    builder.cbranch(builder.icmp_signed(">", count, ir.Constant(_INDEX, 0)), body, done)
    builder.position_at_end(body)
    index = builder.phi(_INDEX)
    index.add_incoming(ir.Constant(_INDEX, 0), entry)
    values = []
    for pointer, element in zip(pointers, operands, strict=False):
        kind = memory_type(element)
        address = builder.gep(pointer, [index], source_etype=kind)
        values.append(from_memory(builder, builder.load(address, typ=kind), element))
    value = to_memory(builder, emit(builder, op, values), result)
    builder.store(value, builder.gep(pointers[-1], [index], source_etype=memory_type(result)))
    following = builder.add(index, ir.Constant(_INDEX, 1))
    index.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, count), body, done)
    builder.position_at_end(done)
    builder.ret_void()
    return module


def _machine() -> llvm.TargetMachine:
    """A new one, because an engine takes possession of its machine."""
    start("native")
    features = llvm.get_host_cpu_features().flatten()
    return target_machine(llvm.get_default_triple(), llvm.get_host_cpu_name(), features, jit=True)


class Function:
    """An op compiled for this machine, to be called with arrays."""

    def __init__(self, name: str, inputs: tuple[str, ...], **attributes: object) -> None:
        self.module = parse(loop_around(op_of(name, inputs, **attributes)))
        optimize(self.module, _machine(), vectorize=True)
        self._engine = llvm.create_mcjit_compiler(self.module, _machine())
        pointers = [ctypes.c_void_p] * (len(inputs) + 1)
        kind = ctypes.CFUNCTYPE(None, *pointers, ctypes.c_int64)
        self._call = kind(self._engine.get_function_address("apply"))
        self._dtype = DTYPES[inputs[0]]

    def __call__(self, *arrays: np.ndarray) -> np.ndarray:
        """The op on each element."""
        arrays = [np.ascontiguousarray(array) for array in arrays]
        result = np.empty(arrays[0].shape, self._dtype)
        self._call(*(array.ctypes.data for array in (*arrays, result)), result.size)
        return result
