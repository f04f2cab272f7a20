"""The text of ops whose syntax no assembly format gives: those with regions, and calls."""

from __future__ import annotations

from collections.abc import Callable

from tileir.expressions import argument_list, qualified
from tileir.formats.ops.assembly import IMPLIED
from tileir.ir import Block, Op, Value
from tileir.ir.dialect import TILE_IR

from . import values
from .text import KernelText, Spelling


def print_for(op: Op, text: KernelText, margin: str, more: str = "") -> None:
    """``for %loopIdx in (%a to %b, step %c) : T iter_values(%iterArg0 = %x) -> (T) {``

    A dialect may have `more` to print behind the type of the bounds.
    """
    block = op.regions[0].block
    carried = op.operands["initValues"]
    hints = ["loopIdx", *(f"iterArg{index}" for index in range(len(block.arguments) - 1))]
    with text.names.nested():
        names = text.names.arguments(block, hints)
        bounds = [text.name(op.operands[slot]) for slot in ("lowerBound", "upperBound", "step")]
        unsigned = " unsigned" if op.attributes["unsignedCmp"] else ""
        text.add(f"{unsigned} {names[0]} in ({bounds[0]} to {bounds[1]}, step {bounds[2]}) : ")
        text.add(text.type(op.operands["lowerBound"]) + more)
        if carried:
            text.add(f" {iteration_values(text, names[1:], carried)}")
            text.add(f" -> ({text.types(op.results)})")
        text.region(op, block, margin)


def print_loop(op: Op, text: KernelText, margin: str) -> None:
    """``loop iter_values(%arg4 = %x) : T -> T {``"""
    block = op.regions[0].block
    carried = op.operands["initValues"]
    with text.names.nested():
        names = text.names.arguments(block)
        if carried:
            text.add(f" {iteration_values(text, names, carried)}")
        if carried or op.results:
            text.add(" : ")
        text.add(text.types(carried))
        if op.results:
            text.add(f"{' -> ' if carried else ''}{text.types(op.results)}")
        text.region(op, block, margin)


def print_if(op: Op, text: KernelText, margin: str) -> None:
    """``if %c -> (T, T) {``"""
    text.add(f" {text.name(op.operands['condition'])}")
    if op.results:
        text.add(f" -> ({text.types(op.results)})")
    then, otherwise = op.regions
    with text.names.nested():
        text.region(op, then.block, margin)
    if otherwise.blocks:
        text.add(" else")
        with text.names.nested():
            text.region(op, otherwise.block, margin)


def print_reduce(op: Op, text: KernelText, margin: str) -> None:
    """``reduce %x dim=1 identities=[0 : i32] : T -> T``, then the region with its arguments."""
    count = len(op.operands["operands"])
    sides = ("reduce_lhs", "reduce_rhs")
    numbers = range(count) if count > 1 else ("",)
    hints = [f"{side}{number}" for number in numbers for side in sides]
    _print_combining(op, text, margin, hints)


def print_scan(op: Op, text: KernelText, margin: str) -> None:
    """As reduce, but without hints for the names of the arguments."""
    _print_combining(op, text, margin, None)


def _print_combining(op: Op, text: KernelText, margin: str, hints: list[str] | None) -> None:
    operands = op.operands["operands"]
    text.add(f" {', '.join(map(text.name, operands))} dim={op.attributes['dim']}")
    if "reverse" in op.attributes:
        text.add(f" reverse={values.attribute(op.attributes['reverse'])}")
    text.add(f" identities={values.attribute(op.attributes['identities'])}")
    text.add(f" : {text.types(operands)} -> {text.types(op.results)} \n{margin}(")
    block = op.regions[0].block
    with text.names.nested():
        names = text.names.arguments(block, hints)
        stated = zip(names, block.arguments, strict=True)
        text.add(", ".join(f"{name}: {text.type(value)}" for name, value in stated) + ")")
        text.region(op, block, margin)


def iteration_values(text: KernelText, names: list[str], initial: tuple[Value, ...]) -> str:
    """Return ``iter_values(%iterArg0 = %x)``."""
    pairs = zip(names, initial, strict=True)
    return f"iter_values({', '.join(f'{name} = {text.name(value)}' for name, value in pairs)})"


def print_call(op: Op, text: KernelText, margin: str) -> None:
    """``preview$call @f<[4, "a"]>(%x) {arg_attrs = [{}]} : (!cuda_tile.T) -> !cuda_tile.T``"""
    attributes, operands = op.attributes, op.operands["operands"]
    text.reserve((attributes["const_args"], attributes["arg_attrs"], attributes["res_attrs"]))
    text.add(f" {values.symbol(attributes['callee'])}")
    if attributes["const_args"]:
        text.add(f"<{argument_list(attributes['const_args'])}>")
    text.add(f"({', '.join(map(text.name, operands))})")
    stated = {
        name: attributes[name]
        for name in ("arg_attrs", "res_attrs")
        if attributes[name] is not None
    }
    if stated:
        text.add(f" {values.dictionary(stated)}")
    results = ", ".join(qualified(value.type) for value in op.results)
    text.add(f" : ({', '.join(qualified(value.type) for value in operands)}) -> ")
    text.add(results if len(op.results) == 1 else f"({results})")


PRINTERS: dict[str, Callable[[Op, KernelText, str], None]] = {
    "for": print_for,
    "if": print_if,
    "loop": print_loop,
    "preview$call": print_call,
    "reduce": print_reduce,
    "scan": print_scan,
}
"""Mnemonic -> the function that prints everything behind it."""

TILE_IR_SPELLING = Spelling(TILE_IR, PRINTERS)


def shown(op: Op | None, block: Block) -> list[Op]:
    """Return the ops of a block that are printed: without an implied terminator.

    `op` has the block, None for the body of a kernel.
    """
    last = block.ops[-1] if block.ops else None
    if last and op and last.name == IMPLIED.get(op.name) and not last.operands["operands"]:
        return block.ops[:-1]
    return block.ops
