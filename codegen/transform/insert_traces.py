"""Inserts a print after the definition of each value that the user wants to trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from tileir.bytecode import Bytecode
from tileir.codegen.kernel import KernelIR
from tileir.formats.ops import BY_NAME
from tileir.ir import Block, Op, Value
from tileir.text.printer.disassembly import print_kernel
from tileir.text.printer.functions import FunctionPrinter
from tileir.types import Tile

from .copy_body import copy_body


def insert_traces(kernels: list[KernelIR], names: Iterable[str]) -> list[KernelIR]:
    """Insert traces of the values that `tileir.disassemble` gives these names.

    The percent sign may be left out; the name of an op with several results means all of
    them. Values of sibling regions may share a name and are all traced then. KeyError if no
    kernel has a tile of that name.
    """
    wanted = {f"%{name.removeprefix('%')}" for name in names}
    known: set[str] = set()
    others: dict[str, str] = {}
    traced = [_insert(kernel, wanted, known, others) for kernel in kernels]
    for name in sorted(wanted - known):
        if name in others:
            raise KeyError(f"{name} is a {others[name]}, not a tile, and cannot be shown")
        raise KeyError(f"no tile is called {name}; names are those that `tileir dis` prints")
    return traced


def _insert(
    kernel: KernelIR, wanted: set[str], traced: set[str], others: dict[str, str]
) -> KernelIR:
    """Insert the traces of one kernel.

    Names of its tiles are added to `traced`; those of other values to `others`, with their kind.
    """
    printer = FunctionPrinter([], {}, None)
    print_kernel(printer, cast("Bytecode", kernel.bytecode), kernel.function)
    body, values = copy_body(kernel.body)
    names: dict[int, str] = {}
    for value, name in printer.names.value.items():
        chosen = wanted & {name, name.split("#")[0]}
        if chosen and not isinstance(value.type, Tile):
            others |= dict.fromkeys(chosen, str(value.type).partition("<")[0])
        elif chosen:
            traced |= chosen
            names[id(values[id(value)])] = name
    traces: dict[int, str] = {}
    _rewrite(body.block, names, traces, 0)
    return replace(kernel, body=body, traces=traces)


def _rewrite(block: Block, names: dict[int, str], traces: dict[int, str], depth: int) -> None:
    """Insert prints into a block and its nested blocks, and add them to `traces`."""
    first = block.ops[0] if block.ops else None
    ops = [_trace(value, first, names, traces, depth) for value in block.arguments]
    for op in block.ops:
        for region in op.regions:
            for nested in region.blocks:
                _rewrite(nested, names, traces, depth + 1)
        ops.append(op)
        ops += [_trace(value, op, names, traces, depth) for value in op.results]
    block.ops = [op for op in ops if op is not None]


def _trace(
    value: Value, behind: Op | None, names: dict[int, str], traces: dict[int, str], depth: int
) -> Op | None:
    """Make the print of a value, with the location of the op it follows; None if not traced."""
    name = names.get(id(value))
    if name is None:
        return None
    trace = Op(
        BY_NAME["print_tko"],
        {"args": (value,), "token": None},
        {"str": ""},
        offset=behind.offset if behind else 0,
        depth=depth,
        location=behind.location if behind else None,
    )
    traces[id(trace)] = name
    return trace
