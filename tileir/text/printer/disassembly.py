"""The text of a whole module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode
from tileir.formats.recursion import deep_recursion
from tileir.read.function import Function, Global
from tileir.verifier.module import check

from . import values
from .functions import FunctionPrinter
from .pieces import BoundedText, Pieces

if TYPE_CHECKING:
    from .locations import LocationAliases

EMPTY = "\n"
"""The text of an empty module, after its producer, as MLIR prints it."""

NOWHERE = "#loc = loc(unknown)\n"
"""The location aliases of an empty module: only its own location."""


def disassemble(
    bytecode: Bytecode | bytes, debug: bool = False, function: str | None = None
) -> str:
    """Return the module as text, byte for byte as tileirdisasm 13.5 prints it (-g if `debug`).

    There are two exceptions: f64 numbers that cuTile writes wrongly are printed as they were meant,
    and names of hints with line ends in them, which move all lines there. Names of hints and the
    producer are printed as they are: if they contain syntax, the text is read back as that.

    Raises BytecodeError if the file cannot be read, or has a text longer than `Limits.text_growth`
    allows. A module that breaks rules of Tile IR is
    printed as far as it has a text; an op that does not fit its syntax is a VerifyError.

    With `function`, the text is that of the module without its other kernels; KeyError if there is
    none of that name.
    """
    bytecode = Bytecode.of(bytecode)
    out = BoundedText(bytecode)
    print_module(bytecode, out, debug, function)
    return str(out)


def print_module(
    bytecode: Bytecode, out: Pieces, debug: bool = False, function: str | None = None
) -> None:
    """Write the text of `disassemble` in pieces."""
    functions = bytecode.functions if function is None else [bytecode.function(function)]
    if bytecode.producer:
        out.append(f"// Producer: {bytecode.producer}\n")
    aliases = _aliases(bytecode.globals, functions) if debug else None
    tail = aliases.tail if aliases else None
    types: dict[int, str] = {}
    with deep_recursion(bytecode.limits):
        for variable in bytecode.globals:
            out.append(_global(variable) + (tail(None) if tail else "") + "\n")
        for kernel in functions:
            print_kernel(FunctionPrinter(out, types, tail), bytecode, kernel)
    if not bytecode.globals and not functions:
        out.append(EMPTY)
        out.append(NOWHERE if debug else "")
    elif aliases:
        aliases.define(out)


def print_kernel(printer: FunctionPrinter, bytecode: Bytecode, function: Function) -> None:
    """Print a kernel; VerifyError if it breaks rules that its text relies on."""
    try:
        printer.function(function)
    except (AttributeError, LookupError, TypeError, ValueError, RuntimeError):
        check(
            bytecode, [function]
        )  # the printer relies on these rules; this reports the one that is broken
        raise


def _aliases(variables: list[Global], functions: list[Function]) -> LocationAliases:
    from .locations import LocationAliases

    return LocationAliases(variables, functions)


def _global(variable: Global) -> str:
    private = "private " if variable.private else ""
    constant = "constant " if variable.constant else ""
    alignment = f" alignment = {variable.alignment}" if variable.alignment else ""
    name = f"{private} {constant}{values.symbol(variable.name)}"
    return f"global {name}{alignment} {values.constant(variable.value)} : {variable.type}"
