"""Inserts a print after the definition of each value that the user wants to trace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from tileir.bytecode import Bytecode
from tileir.codegen.analysis.carried_values import handed_on
from tileir.codegen.analysis.source_names import source_names
from tileir.codegen.kernel import KernelIR
from tileir.formats.ops import BY_NAME
from tileir.ir import Op, Value
from tileir.text.printer.disassembly import print_kernel
from tileir.text.printer.functions import FunctionPrinter
from tileir.types import Tile


def insert_traces(kernels: list[KernelIR], names: Iterable[str]) -> None:
    """Insert traces of the values that `tileir.disassemble` gives these names, or the source.

    The percent sign may be left out; the name of an op with several results means all of
    them. Values of sibling regions may share a name and are all traced then. A variable of the
    source has no percent sign, and each value that is assigned to it is traced, once: not again
    where a loop or branch passes it on. KeyError if no kernel has a tile of that name.
    """
    plain = {name for name in names if not name.startswith("%")}
    wanted = {f"%{name.removeprefix('%')}" for name in names}
    known: set[str] = set()
    others: dict[str, str] = {}
    for kernel in kernels:
        _insert(kernel, wanted, plain, known, others)
    for name in sorted(wanted - known):
        if name in others:
            raise KeyError(f"{name} is a {others[name]}, not a tile, and cannot be shown")
        raise KeyError(f"no tile is called {name}; names are those that `tileir dis` prints")


def _insert(
    kernel: KernelIR,
    wanted: set[str],
    plain: set[str],
    traced: set[str],
    others: dict[str, str],
) -> None:
    """Insert the traces of one kernel.

    Names of its tiles are added to `traced`; those of other values to `others`, with their kind.
    """
    printer = FunctionPrinter([], {}, None)
    print_kernel(printer, cast("Bytecode", kernel.bytecode), kernel.function)
    names: dict[Value, str] = {}
    for value, name in printer.names.value.items():
        chosen = wanted & {name, name.split("#")[0]}
        if chosen and not isinstance(value.type, Tile):
            others |= dict.fromkeys(chosen, str(value.type).partition("<")[0])
        elif chosen:
            traced |= chosen
            names[kernel.copies[value]] = name
    for value, name in _assigned(kernel).items() if plain else ():
        if name in plain:
            traced.add(f"%{name}")
            names.setdefault(kernel.copies[value], name)
    kernel.traces = {id(_trace(value)): name for value, name in reversed(names.items())}
    kernel.edited()


def _assigned(kernel: KernelIR) -> dict[Value, str]:
    """Return the variables' values, without those that are nothing but other ones, passed on."""
    names = source_names(kernel.function)
    sources: dict[Value, set[str | None]] = {}
    for value, other in handed_on(kernel.function.body.block):
        if value is not other:
            sources.setdefault(other, set()).add(names.get(value))
    return {value: name for value, name in names.items() if sources.get(value) != {name}}


def _trace(value: Value) -> Op:
    """Insert the print of a value after its definition, with the location there; return it."""
    owner = value.owner
    behind = owner if isinstance(owner, Op) else owner.ops[0]
    trace = Op(
        BY_NAME["print_tko"],
        {"args": (value,), "token": None},
        {"str": ""},
        offset=behind.offset,
        location=behind.location,
    )
    if owner is behind:
        trace.insert_after(behind)
    else:
        behind.parent.ops.insert(0, trace)
    return trace
