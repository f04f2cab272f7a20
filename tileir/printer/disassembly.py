"""A whole module as text."""

from __future__ import annotations

from tileir.bytecode import Bytecode
from tileir.formats.recursion import deep_recursion
from tileir.function import Global
from tileir.verifier.module import check

from . import values
from .functions import FunctionPrinter, Tail


def disassemble(bytecode: Bytecode | bytes, debug: bool = False) -> str:
    """The module as text, byte for byte as tileirdisasm 13.5 prints it (-g if `debug`).

    The exception are files with the f64 numbers that cuTile writes wrongly: what was meant is
    printed. BytecodeError where the file cannot be read. A module that breaks rules of Tile IR is
    printed as far as it has a text; where an op does not fit its syntax it is a VerifyError.
    """
    if not isinstance(bytecode, Bytecode):
        bytecode = Bytecode.parse(bytecode)
    out: list[str] = []
    if bytecode.producer:
        out.append(f"// Producer: {bytecode.producer}\n")
    tail, footer = _debug_text(bytecode) if debug else (None, "")
    types: dict[int, str] = {}
    with deep_recursion(bytecode.limits):
        for variable in bytecode.globals:
            out.append(_global(variable) + (tail(None) if tail else "") + "\n")
        for function in bytecode.functions:
            printer = FunctionPrinter(out, types, tail)
            try:
                printer.function(function)
            except (AttributeError, LookupError, TypeError, ValueError, RuntimeError):
                check(
                    bytecode, [function]
                )  # the printer relies on the rows; this says who broke them
                raise
    out.append(footer)
    return "".join(out)


def _debug_text(bytecode: Bytecode) -> tuple[Tail, str]:
    from .locations import Aliases

    aliases = Aliases(bytecode)
    return aliases.tail, aliases.definitions()


def _global(variable: Global) -> str:
    private = "private " if variable.private else ""
    constant = "constant " if variable.constant else ""
    alignment = f" alignment = {variable.alignment}" if variable.alignment else ""
    name = f"{private} {constant}{values.symbol(variable.name)}"
    return f"global {name}{alignment} {values.constant(variable.value)} : {variable.type}"
