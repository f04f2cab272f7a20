"""The text of a whole module."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode
from tileir.errors import TileIRError, VerifyError
from tileir.formats.forks import not_forking
from tileir.formats.recursion import deep_recursion
from tileir.messages.flags import flag
from tileir.read.declarations import Declaration
from tileir.read.function import Function, Global
from tileir.verifier.items import whole
from tileir.verifier.module import check, check_names, check_well_formed

from . import values
from .declarations import print_declaration
from .functions import FunctionPrinter, Tail
from .pieces import BoundedText, Pieces
from .unknown import print_unknown

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from .locations import LocationAliases

PrinterClass = Callable[[Pieces, dict[int, str], Tail | None], FunctionPrinter]
"""What makes the printer of one function: see `FunctionPrinter`."""

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
    producer are printed as they are, without quotes; `assemble` reads such names, of any bytes, but
    if one contains syntax (``,={}<>"`` or ``//``), it is read as that.

    Raises BytecodeError if the file cannot be read, or has a text longer than `Limits.text_growth`
    allows. A module that breaks rules of Tile IR is printed as far as it has a text; an op that
    does not fit its syntax is a VerifyError.

    With `function`, the text is that of the module without its other kernels; KeyError if there is
    none of that name.

    Of a file of a newer version, lines between ``<<`` and ``>>`` say what cannot be printed. There
    is at least one, and `assemble` refuses such a text.
    """
    bytecode, debug = Bytecode.of(bytecode), flag("debug", debug)
    out = BoundedText(bytecode)
    print_module(bytecode, out, debug, function)
    return str(out)


def print_module(
    bytecode: Bytecode,
    out: Pieces,
    debug: bool = False,
    function: str | None = None,
    printer: PrinterClass = FunctionPrinter,
) -> None:
    """Write the text of `disassemble` in pieces; `printer` makes what prints a function."""
    check_names(bytecode)
    functions = bytecode.functions if function is None else [bytecode.function(function)]
    check_well_formed(bytecode, whole(functions), debug)
    with _explained(bytecode, functions):
        _print_module(bytecode, out, debug, functions, printer)


@contextmanager
def _explained(bytecode: Bytecode, functions: list[Function]) -> Iterator[None]:
    """Raise VerifyError for what breaks a rule that printing relies on, whatever it broke there."""
    try:
        yield
    except TileIRError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError, RuntimeError):
        complete = whole(functions)
        check(bytecode, complete)
        if len(complete) < len(functions):  # a body that is not whole cannot be checked
            text = "what is known of a function breaks rules that its text relies on"
            raise VerifyError(text) from None
        raise


def _print_module(
    bytecode: Bytecode,
    out: Pieces,
    debug: bool,
    functions: list[Function],
    printer: PrinterClass,
) -> None:
    if bytecode.newer:
        print_unknown(bytecode, out)
    if bytecode.producer:
        out.append(f"// Producer: {bytecode.producer}\n")
    items = in_order(bytecode, functions)
    aliases = _aliases(bytecode.globals, items) if debug else None
    tail = aliases.tail if aliases else None
    types: dict[int, str] = {}
    with deep_recursion(bytecode.limits):
        for variable in bytecode.globals:
            out.append(global_text(variable) + (tail(None) if tail else "") + "\n")
        for item in items:
            if isinstance(item, Declaration):
                print_declaration(item, out, tail)
            else:
                print_kernel(printer(out, types, tail), bytecode, item)
    if not bytecode.globals and not items:
        out.append(EMPTY)
        out.append(NOWHERE if debug else "")
    elif aliases:
        aliases.define(out)


def in_order(bytecode: Bytecode, functions: list[Function]) -> list[Function | Declaration]:
    """Return functions and the module's declarations in the order of the file."""
    waiting = deque(bytecode.declarations)
    items: list[Function | Declaration] = []
    for function in functions:
        if isinstance(function, Function) and function.source is bytecode.original:
            while waiting and waiting[0].index < function.index:
                items.append(waiting.popleft())
        items.append(function)
    return [*items, *waiting]


def print_kernel(printer: FunctionPrinter, bytecode: Bytecode, function: Function) -> None:
    """Print a kernel; VerifyError if it breaks rules that its text relies on."""
    with _explained(bytecode, [function]):
        printer.function(function)


def _aliases(
    variables: list[Global], functions: Sequence[Function | Declaration]
) -> LocationAliases:
    with not_forking:
        from .locations import LocationAliases

    return LocationAliases(variables, functions)


def global_text(variable: Global) -> str:
    """Return the line of a global, without its location."""
    private = "private " if variable.private else ""
    constant = "constant " if variable.constant else ""
    alignment = f" alignment = {variable.alignment}" if variable.alignment else ""
    name = f"{private} {constant}{values.symbol(variable.name)}"
    return f"global {name}{alignment} {values.constant(variable.value)} : {variable.type}"
