"""Small kernels from text, for tests of transforms."""

from __future__ import annotations

from textwrap import indent

import tileir
from tileir import Bytecode
from tileir.codegen.kernel import KernelIR
from tileir.ir import Op
from tileir.write.changed_bodies import check_edited

PARAMETERS = {
    "p": "tile<ptr<i32>>",
    "a": "tile<i32>",
    "b": "tile<i32>",
    "f": "tile<f32>",
    "g": "tile<f32>",
    "c": "tile<i1>",
}
BOUNDS = """\
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>"""

RMW = "tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
ACCESSES = (
    "%x{0}, %t{0} = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token",
    "%x{0}, %t{0} = load_ptr_tko relaxed device %p : tile<ptr<i32>> -> tile<i32>, token",
    f"%x{{0}}, %t{{0}} = atomic_rmw_tko relaxed device %p, add, %a : {RMW}",
    f"%x{{0}}, %t{{0}} = atomic_cas_tko relaxed device %p, %a, %b : {RMW}",
)
"""Ops that read memory, each with names for its results."""


def use(*names: str, type: str = "i32") -> str:
    """A line that prints values: an effect, so that they are wanted."""
    values = ", ".join(f"%{name}" for name in names)
    types = ", ".join([f"tile<{type}>"] * len(names))
    return f'%used_{names[0]} = print_tko "{"%i" * len(names)}", {values} : {types} -> token'


def loop(*lines: str) -> str:
    """A loop of `%a` iterations, which may be none."""
    body = "\n".join(lines)
    return (
        f"{BOUNDS}\nfor %i in (%zero to %a, step %one) : tile<i32> {{\n"
        f"{indent(body, '  ')}\n  continue\n}}"
    )


def module(body: str) -> Bytecode:
    """A module with a kernel `k` of these parameters: a pointer p, integers a and b, floats f and
    g, a condition c."""
    signature = ", ".join(f"%{name}: {type}" for name, type in PARAMETERS.items())
    return tileir.assemble(f"entry @k({signature}) {{\n{indent(body, '  ')}\n  return\n}}")


def kernel(body: str) -> KernelIR:
    """The kernel with that body, for transforms to edit."""
    bytecode = module(body)
    return KernelIR.copy_of(bytecode.functions[0], bytecode)


def names(kernel: KernelIR) -> list[str]:
    """The names of its ops in pre-order, without the return; they keep the rules of Tile IR."""
    check_edited(kernel.symbol, kernel.body)
    return [op.name for op in kernel.walk()][:-1]


def only(kernel: KernelIR, name: str) -> Op:
    """The only op of a name."""
    (op,) = (op for op in kernel.walk() if op.name == name)
    return op


def around(op: Op) -> str:
    """The name of the op around an op, "" at the top level."""
    return op.parent_op.name if op.parent_op else ""
