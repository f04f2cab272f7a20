"""What a thread contributes to an element number: the code for it, run on the CPU."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import pytest
from llvmlite import ir

from tileir.codegen.layouts.linear_layout import combine
from tileir.codegen.llvm import parse, start, target_machine
from tileir.codegen.nvptx.emit.context import I32, thread_position


@pytest.mark.parametrize(
    "bases",
    [(1, 2, 4), (4, 8, 0, 0, 16), (0, 0), (0, 2, 1), (8, 16, 1, 2), (3, 5, 6, 64), (16, 8, 4, 2)],
    ids=str,
)  # fmt: skip
def test_it_is_the_exclusive_or_of_the_bases(bases: tuple[int, ...]) -> None:
    module = ir.Module(context=ir.Context())
    function = ir.Function(module, ir.FunctionType(I32, [I32]), "position")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(thread_position(builder, function.args[0], bases))
    start("native")
    machine = target_machine(llvm.get_process_triple(), "generic", jit=True)
    with llvm.create_mcjit_compiler(parse(module), machine) as engine:
        engine.finalize_object()
        address = engine.get_function_address("position")
        position = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(address)
        for thread in range(1 << len(bases)):
            assert position(thread) == combine(bases, thread)
