"""Variables of the block IR, of the module and of a block, and the statements that order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from llvmlite import ir

from tests.codegen.nvptx.emit.memory_ops.memory_kernels import WEAK, MemoryKernel, frag, numbers
from tileir.codegen.block.make import make
from tileir.codegen.layouts.linear_layout import blocked
from tileir.codegen.nvptx.emit.context import Context
from tileir.codegen.nvptx.emit.variables import define_variables
from tileir.ir.constants import Constant
from tileir.read.function import Global
from tileir.types import Pointer, Scalar, Tile

ACCESS = {**WEAK, "vector": 1, "along": 0, "masked": 1, "run": 1, "owner": False}


def variable(name: str, data: bytes, alignment: int = 0) -> Global:
    kind = Tile(Scalar("i32"), (len(data) // 4,))
    return Global(name, kind, Constant(kind, data), alignment, False, False)


def test_variables_of_the_module() -> None:
    """Of three variables, the two that are used are defined, once each."""
    pointer = Tile(Pointer(Scalar("i32")))
    data = np.arange(100, 132, dtype="i4")
    variables = [variable("a", bytes(128)), variable("b", data.tobytes(), 64)]
    variables.append(variable("c", bytes(4)))
    module = ir.Module()
    ops = [
        make("get_global", attributes={"name": name, "symbol": f"it${name}"}, results=[pointer])
        for name in "bab"
    ]
    define_variables(module, ops, variables)
    assert sorted(each.name for each in module.global_values) == ["it$a", "it$b"]
    layout = blocked(32, 1, 32)
    kernel = MemoryKernel("ptr<i32>")

    def define(ctx: Context) -> None:
        define_variables(ctx.builder.module, ops, variables)

    kernel.step(define)
    base = kernel.op("get_global", [pointer], {"name": "b", "symbol": "it$b"})
    source = kernel.pointers(base, "32xptr<i32>", layout)
    access = {**ACCESS, "generic": False}
    loaded = kernel.op("load_ptr_tko", [frag("32xi32", layout)], access, source=source)
    result = kernel.pointers(kernel.parameters[0], "32xptr<i32>", layout)
    kernel.op("store_ptr_tko", (), access, destination=result, value=loaded)
    found = np.zeros(32, "i4")
    text = kernel.run(found)
    assert ".align 64" in text
    np.testing.assert_array_equal(found, data)


def test_variables_of_a_block() -> None:
    """Their addresses are generic, so accesses have no state space."""
    layout, pointer = blocked(32, 1, 32), Tile(Pointer(Scalar("i32")))
    kernel = MemoryKernel("ptr<i32>")
    access = {**ACCESS, "generic": True}
    bases = [
        kernel.op("alloca", [pointer], {"num_elem": 32, "alignment": 16, "offset": offset})
        for offset in (0, 128)
    ]
    kind = frag("32xi32", layout)
    for scale, base in enumerate(bases, start=2):
        value = kernel.given(kind, numbers(layout, scale))
        pointers = kernel.pointers(base, "32xptr<i32>", layout)
        kernel.op("store_ptr_tko", (), access, destination=pointers, value=value)
    source = kernel.pointers(bases[0], "32xptr<i32>", layout)
    loaded = kernel.op("load_ptr_tko", [kind], access, source=source)
    result = kernel.pointers(kernel.parameters[0], "32xptr<i32>", layout)
    kernel.op("store_ptr_tko", (), access, destination=result, value=loaded)
    found = np.zeros(32, "i4")
    text = kernel.run(found, shared=256)
    assert "st.b32" in text
    assert "st.global" not in text
    np.testing.assert_array_equal(found, 2 * np.arange(32))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("memory_fence_alias_tko", "fence.proxy.alias;"),
        ("gdc_wait_tko", "griddepcontrol.wait;"),
        ("gdc_launch_dependents_tko", "griddepcontrol.launch_dependents;"),
    ],
)
def test_statements(name: str, text: str) -> None:
    kernel: Any = MemoryKernel()
    kernel.op(name)
    assert kernel.ptx().count(text) == 1
