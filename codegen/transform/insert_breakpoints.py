"""Gives each breakpoint in a kernel the variables that it can see.

`tileir.breakpoint()` is a print of one fixed text: that is all that a frontend can write into
bytecode for it, and a GPU prints it. On the host it gets the tiles to show as operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tileir.bytecode import Bytecode
from tileir.codegen.analysis.source_names import is_shown, source_names
from tileir.codegen.kernel import KernelIR
from tileir.ir import Op, Value
from tileir.launch.breakpoints import MARK
from tileir.text.printer.disassembly import print_kernel
from tileir.text.printer.functions import FunctionPrinter


def insert_breakpoints(kernels: list[KernelIR]) -> None:
    """Add operands to the prints that stand for breakpoints, and note the names of these."""
    for kernel in kernels:
        found = [op for op in kernel.walk() if is_breakpoint(op)]
        if not found:
            continue
        names = {kernel.copies[value]: name for value, name in shown_names(kernel).items()}
        for op in found:
            visible = {name: value for value, name in names.items() if value.is_visible_to(op)}
            op.operands["args"] = tuple(visible.values())
            kernel.breakpoints[id(op)] = tuple(visible)
        kernel.edited()


def is_breakpoint(op: Op) -> bool:
    """Whether an op is the print that stands for a breakpoint."""
    return op.name == "print_tko" and op.attributes["str"] == MARK and not op.operands["args"]


def shown_names(kernel: KernelIR) -> dict[Value, str]:
    """Return the variables of the source, in the order of the program, or else all tiles by the
    names of the text."""
    known = source_names(kernel.function)
    if known:
        order = {id(value): n for n, value in enumerate(_in_order(kernel))}
        return dict(sorted(known.items(), key=lambda pair: order[id(pair[0])]))
    printer = FunctionPrinter([], {}, None)
    print_kernel(printer, cast("Bytecode", kernel.bytecode), kernel.function)
    printed = printer.names.value.items()
    return {value: name for value, name in printed if is_shown(value)}


def _in_order(kernel: KernelIR) -> Iterator[Value]:
    """Yield the values of a kernel, those that a region begins with before those inside."""
    yield from kernel.function.body.block.arguments
    for op in kernel.function.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.arguments
