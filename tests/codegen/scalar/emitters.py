"""Runs what is emitted for one element over arrays of bit patterns, for any machine.

This is how a target uses an emitter: in a loop that LLVM vectorises, on elements as they lie in
memory. No kernel is involved, so every element type can be tried.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import llvmlite.binding as llvm
import ml_dtypes
import numpy as np
from llvmlite import ir

from tests.codegen.build import Kernel
from tileir.codegen import llvm as backend
from tileir.codegen.scalar import elementwise
from tileir.codegen.scalar.machine import PORTABLE, Machine
from tileir.codegen.scalar.types import from_memory, memory_bytes, memory_type, to_memory
from tileir.ir import Op
from tileir.types import Scalar

MACHINES = {"portable": PORTABLE, "host": Machine.of_host()}
SMALL = {
    "f4E2M1FN": np.dtype(ml_dtypes.float4_e2m1fn),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
}
FLOATS = SMALL | {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}


def operation(name: str, types: Sequence[str], result: str, **attributes: object) -> Op:
    """An op on scalars."""
    kernel = Kernel("apply", *types)
    kernel.op(name, *kernel.parameters, results=[result], **attributes)
    return kernel.block.ops[-1]


def loop(module: ir.Module, name: str, op: Op) -> None:
    """A function (count, operands..., result) that applies the op to elements in memory."""
    elements = [value.type.element for value in op.operands.values() if value is not None]
    target = op.result.type.element
    count = ir.IntType(64)
    pointers = [ir.PointerType()] * (len(elements) + 1)
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [count, *pointers]), name)
    for argument in function.args[1:]:
        argument.add_attribute("noalias")
    entry = function.append_basic_block("entry")
    body, done = function.append_basic_block("body"), function.append_basic_block("done")
    ir.IRBuilder(entry).branch(body)
    builder = ir.IRBuilder(body)
    index = builder.phi(count)
    loaded = []
    for element, pointer in zip(elements, function.args[1:], strict=False):
        kind = memory_type(element)
        place = builder.gep(pointer, [index], source_etype=kind)
        stored = builder.load(place, typ=kind)
        loaded.append(from_memory(builder, stored, element))
    value = to_memory(builder, elementwise.emit(builder, op, loaded), target)
    place = builder.gep(function.args[-1], [index], source_etype=value.type)
    builder.store(value, place)
    following = builder.add(index, ir.Constant(count, 1))
    index.add_incoming(ir.Constant(count, 0), entry)
    index.add_incoming(following, body)
    builder.cbranch(builder.icmp_unsigned("<", following, function.args[0]), body, done)
    ir.IRBuilder(done).ret_void()


def run(op: Op, *inputs: np.ndarray, machine: Machine = PORTABLE) -> np.ndarray:
    """The op on arrays, whatever their dtypes, as unsigned bit patterns."""
    module = ir.Module("emitted")
    module.machine = machine
    loop(module, "apply", op)
    backend.start("native")
    features = llvm.get_host_cpu_features().flatten()
    target = backend.target_machine(
        llvm.get_process_triple(), llvm.get_host_cpu_name(), features, jit=True
    )
    parsed = backend.parse(module)
    backend.optimize(parsed, target, vectorize=True, unroll=False)
    engine = llvm.create_mcjit_compiler(parsed, target)
    engine.finalize_object()
    size = 8 * memory_bytes(op.result.type.element)
    result = np.zeros(len(inputs[0]), f"uint{size}")
    kept = [np.ascontiguousarray(array) for array in (*inputs, result)]
    kind = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * len(kept))
    call = kind(engine.get_function_address("apply"))
    call(len(result), *(array.ctypes.data for array in kept))
    return kept[-1]


def patterns(element: str) -> np.ndarray:
    """All values of a format of up to 16 bits."""
    bits = Scalar(element).bits
    return np.arange(1 << bits, dtype=f"uint{max(bits, 8)}").view(SMALL[element])
