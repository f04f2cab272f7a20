"""The text of a whole module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode
from tileir.formats.recursion import deep_recursion
from tileir.read.function import Function, Global
from tileir.verifier.module import check

from . import values
from .functions import FunctionPrinter, Tail

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

EMPTY = "\n"
"""The text of an empty module, after its producer, as MLIR prints it."""

NOWHERE = "#loc = loc(unknown)\n"
"""The location aliases of an empty module: only its own location."""


def disassemble(
    bytecode: Bytecode | ReadableBuffer, debug: bool = False, function: str | None = None
) -> str:
    """Return the module as text, byte for byte as tileirdisasm 13.5 prints it (-g if `debug`).

    There are two exceptions: f64 numbers that cuTile writes wrongly are printed as they were meant,
    and names of hints with line ends in them, which move all lines there. Names of hints and the
    producer are printed as they are: if they contain syntax, the text is read back as that.

    Raises BytecodeError if the file cannot be read. A module that breaks rules of Tile IR is
    printed as far as it has a text; an op that does not fit its syntax is a VerifyError.

    With `function`, the text is that of the module without its other kernels; KeyError if there is
    none of that name.
    """
    bytecode = Bytecode.of(bytecode)
    functions = bytecode.functions if function is None else [bytecode.function(function)]
    out: list[str] = []
    if bytecode.producer:
        out.append(f"// Producer: {bytecode.producer}\n")
    tail, footer = _debug_text(bytecode.globals, functions) if debug else (None, "")
    types: dict[int, str] = {}
    with deep_recursion(bytecode.limits):
        for variable in bytecode.globals:
            out.append(_global(variable) + (tail(None) if tail else "") + "\n")
        for kernel in functions:
            print_kernel(FunctionPrinter(out, types, tail), bytecode, kernel)
    if not bytecode.globals and not functions:
        out.append(EMPTY)
        footer = NOWHERE if debug else ""
    out.append(footer)
    return "".join(out)


def print_kernel(printer: FunctionPrinter, bytecode: Bytecode, function: Function) -> None:
    """Print a kernel; VerifyError if it breaks rules that its text relies on."""
    try:
        printer.function(function)
    except (AttributeError, LookupError, TypeError, ValueError, RuntimeError):
        check(
            bytecode, [function]
        )  # the printer relies on these rules; this reports the one that is broken
        raise


def _debug_text(variables: list[Global], functions: list[Function]) -> tuple[Tail, str]:
    from .locations import LocationAliases

    aliases = LocationAliases(variables, functions)
    return aliases.tail, aliases.definitions()


def _global(variable: Global) -> str:
    private = "private " if variable.private else ""
    constant = "constant " if variable.constant else ""
    alignment = f" alignment = {variable.alignment}" if variable.alignment else ""
    name = f"{private} {constant}{values.symbol(variable.name)}"
    return f"global {name}{alignment} {values.constant(variable.value)} : {variable.type}"
