"""Ops that hold regions: the syntax that no format says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tileir.formats.ops.assembly import IMPLIED
from tileir.ir import Block, Op, Value

from . import values

if TYPE_CHECKING:
    from .functions import FunctionPrinter


def print_for(op: Op, printer: FunctionPrinter, margin: str) -> None:
    """``for %loopIdx in (%a to %b, step %c) : T iter_values(%iterArg0 = %x) -> (T) {``"""
    block = op.regions[0].block
    carried = op.operands["initValues"]
    hints = ["loopIdx", *(f"iterArg{index}" for index in range(len(block.arguments) - 1))]
    with printer.names.nested():
        names = printer.names.arguments(block, hints)
        bounds = [printer.name(op.operands[slot]) for slot in ("lowerBound", "upperBound", "step")]
        unsigned = " unsigned" if op.attributes["unsignedCmp"] else ""
        printer.add(f"{unsigned} {names[0]} in ({bounds[0]} to {bounds[1]}, step {bounds[2]}) : ")
        printer.add(printer.type(op.operands["lowerBound"]))
        if carried:
            printer.add(f" {_iteration_values(printer, names[1:], carried)}")
            printer.add(f" -> ({printer.types(op.results)})")
        printer.region(op, block, margin)


def print_loop(op: Op, printer: FunctionPrinter, margin: str) -> None:
    """``loop iter_values(%arg4 = %x) : T -> T {``"""
    block = op.regions[0].block
    carried = op.operands["initValues"]
    with printer.names.nested():
        names = printer.names.arguments(block)
        if carried:
            printer.add(f" {_iteration_values(printer, names, carried)}")
        if carried or op.results:
            printer.add(" : ")
        printer.add(printer.types(carried))
        if op.results:
            printer.add(f"{' -> ' if carried else ''}{printer.types(op.results)}")
        printer.region(op, block, margin)


def print_if(op: Op, printer: FunctionPrinter, margin: str) -> None:
    """``if %c -> (T, T) {``"""
    printer.add(f" {printer.name(op.operands['condition'])}")
    if op.results:
        printer.add(f" -> ({printer.types(op.results)})")
    then, otherwise = op.regions
    with printer.names.nested():
        printer.region(op, then.block, margin)
    if otherwise.blocks:
        printer.add(" else")
        with printer.names.nested():
            printer.region(op, otherwise.block, margin)


def print_reduce(op: Op, printer: FunctionPrinter, margin: str) -> None:
    """``reduce %x dim=1 identities=[0 : i32] : T -> T``, then the region with its arguments."""
    count = len(op.operands["operands"])
    sides = ("reduce_lhs", "reduce_rhs")
    numbers = range(count) if count > 1 else ("",)
    hints = [f"{side}{number}" for number in numbers for side in sides]
    _print_combining(op, printer, margin, hints)


def print_scan(op: Op, printer: FunctionPrinter, margin: str) -> None:
    """As reduce, but the arguments have no names of their own."""
    _print_combining(op, printer, margin, None)


def _print_combining(
    op: Op, printer: FunctionPrinter, margin: str, hints: list[str] | None
) -> None:
    operands = op.operands["operands"]
    printer.add(f" {', '.join(map(printer.name, operands))} dim={op.attributes['dim']}")
    if "reverse" in op.attributes:
        printer.add(f" reverse={values.attribute(op.attributes['reverse'])}")
    printer.add(f" identities={values.attribute(op.attributes['identities'])}")
    printer.add(f" : {printer.types(operands)} -> {printer.types(op.results)} \n{margin}(")
    block = op.regions[0].block
    with printer.names.nested():
        names = printer.names.arguments(block, hints)
        stated = zip(names, block.arguments, strict=True)
        printer.add(", ".join(f"{name}: {printer.type(value)}" for name, value in stated) + ")")
        printer.region(op, block, margin)


def _iteration_values(
    printer: FunctionPrinter, names: list[str], initial: tuple[Value, ...]
) -> str:
    pairs = zip(names, initial, strict=True)
    return f"iter_values({', '.join(f'{name} = {printer.name(value)}' for name, value in pairs)})"


PRINTERS: dict[str, Callable[[Op, FunctionPrinter, str], None]] = {
    "for": print_for,
    "if": print_if,
    "loop": print_loop,
    "reduce": print_reduce,
    "scan": print_scan,
}
"""Mnemonic -> what prints all that follows it."""


def shown(op: Op | None, block: Block) -> list[Op]:
    """The ops of a block of `op` (None for a kernel) that are printed."""
    last = block.ops[-1] if block.ops else None
    if last and op and last.name == IMPLIED.get(op.name) and not last.operands["operands"]:
        return block.ops[:-1]
    return block.ops
