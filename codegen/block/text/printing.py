"""Block IR as text."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from tileir.codegen.block.attributes import INTEGERS, LAYOUT, TEXT, TEXTS
from tileir.codegen.block.dialect import BLOCK
from tileir.codegen.block.types import Flight, Frag, Shared
from tileir.codegen.kernel import KernelIR
from tileir.formats.ops.spec import Attribute
from tileir.ir import Op, Value
from tileir.messages.other_dialects import MODULE
from tileir.text.printer.functions import Comments, FunctionPrinter
from tileir.text.printer.structured import PRINTERS, iteration_values, print_for
from tileir.text.printer.text import KernelText, Spelling
from tileir.text.printer.values import quoted

from .aliases import AliasNames


class BlockSpelling(Spelling):
    """How one text of block IR spells types and attributes.

    `used` has the names in that text, in the order of their first use.
    """

    def __init__(self, names: AliasNames | None = None) -> None:
        super().__init__(BLOCK, BLOCK_PRINTERS)
        self.names = AliasNames() if names is None else names
        self.used: dict[str, None] = {}

    def type(self, type: Any) -> str:
        """Return the text of a type, with names for its layout and offsets."""
        match type:
            case Frag():
                return type.spelled(self._noted(self.names.layout(type.layout, type.shape)))
            case Shared():
                return type.spelled(self._noted(self.names.offsets(type.offsets, type.shape)))
            case Flight():
                return f"flight<{', '.join(map(self.type, type.tiles))}>"
        return str(type)

    def attribute(self, op: Op, slot: Attribute, value: Any) -> str:
        """Return the text of an attribute."""
        if slot.node is LAYOUT:
            return self._noted(self.names.layout(value, _shape(op, value.bits)))
        if slot.node is TEXT:
            return quoted(value)
        if slot.node in (INTEGERS, TEXTS):
            return f"[{', '.join(map(quoted if slot.node is TEXTS else str, value))}]"
        return str(value)

    def _noted(self, name: str) -> str:
        self.used[name] = None
        return name

    def module(self, body: str, name: str = "kernels") -> str:
        """Return a module: the definitions of what has been used, and the kernels in `body`."""
        order = sorted(self.used, key=lambda alias: (alias[1], int(alias[2:])))
        definitions = "".join(map(self.names.definition, order))
        return f"{MODULE} @{name} {{\n{definitions}{body}}}\n"


def _shape(op: Op, bits: int) -> tuple[int, ...]:
    """Return the shape of the tile of an op that has so many elements, for its layout."""
    for value in op.operand_list():
        shape = getattr(value.type, "tile", None) or getattr(value.type, "shape", None)
        if shape and 1 << bits == prod(shape):
            return shape
    return (1 << bits,)


def printed(
    kernels: Iterable[KernelIR],
    names: AliasNames | None = None,
    comments: Comments | None = None,
) -> str:
    """Return the text of kernels in block IR.

    `names` has the names of layouts that other texts of the same kernels have, too; `comments` are
    put behind and above ops.
    """
    spelling, pieces = BlockSpelling(names), []
    for kernel in kernels:
        printer = FunctionPrinter(pieces, {}, None, comments, spelling)
        printer.function(kernel.function, kernel.body.block, kernel.symbol)
    return spelling.module("".join(pieces))


# Ops with regions -------------------------------------------------------------------------------


def _print_for(op: Op, text: KernelText, margin: str) -> None:
    """``for %i in (%a to %b, step %c) : T unroll 4 iter_values(...) -> (T) {``"""
    factor = op.attributes["unroll"]
    print_for(op, text, margin, "" if factor is None else f" unroll {factor}")


def _print_together(op: Op, text: KernelText, margin: str) -> None:
    """``fold %x dim = 1 over = [0, 1] : T -> T (%lhs: S, %rhs: S) {``

    The operands of scan_across are followed by ``warps(%w)``.
    """
    text.add(f" {_named(text, op.operands['operands'])}")
    if op.operands.get("warps"):
        text.add(f" warps({_named(text, op.operands['warps'])})")
    _add_attributes(op, text)
    text.add(f" : {text.types(op.operand_list())} -> {text.types(op.results)} (")
    block = op.regions[0].block
    pairs = len(block.arguments) // 2
    hints = [f"{side}{n if pairs > 1 else ''}" for n in range(pairs) for side in ("lhs", "rhs")]
    with text.names.nested():
        text.add(_arguments(text, text.names.arguments(block, hints), block.arguments) + ")")
        text.region(op, block, margin)


def _add_attributes(op: Op, text: KernelText) -> None:
    """Add `` dim = 1 ordered``: all attributes by their names."""
    for slot in op.spec.attributes:
        value = op.attributes[slot.name]
        if slot.node is not None:
            text.add(f" {slot.name} = {text.spelling.attribute(op, slot, value)}")
        elif value:
            text.add(f" {slot.name}")


def _print_pipelined_for(op: Op, text: KernelText, margin: str) -> None:
    """The head is that of a `for` with ``ahead 2``; then the values that the iteration ahead hands
    on, the prologue, and the body, each with the arguments that the head does not name.

        pipelined_for %i in (%a to %b, step %c) : T ahead 2 iter_values(%x = %y) -> (T)
            ahead_values(%turn) : turn<3>
        prologue (%startIdx: T, %startExists: tile<i1>, %startArg0: turn<3>) {
          yield ...
        } body (%aheadIdx: T, ..., %delayed0: flight<...>) {
          continue ...
        }
    """
    body, prologue = (region.block for region in op.regions)
    carried, handed = op.operands["initValues"], op.operands["aheadValues"]
    named = 1 + len(carried)
    delayed = len(body.arguments) - named - 2 - len(handed)
    ahead = [f"Arg{index}" for index in range(len(handed))]
    hints = [
        "loopIdx",
        *(f"iterArg{index}" for index in range(len(carried))),
        *(f"ahead{part}" for part in ("Idx", "Exists", *ahead)),
        *(f"delayed{index}" for index in range(delayed)),
    ]
    with text.names.nested():
        names = text.names.arguments(body, hints)
        lower, upper, step = (op.operands[slot] for slot in ("lowerBound", "upperBound", "step"))
        unsigned = " unsigned" if op.attributes["unsignedCmp"] else ""
        text.add(f"{unsigned} {names[0]} in ({text.name(lower)} to {text.name(upper)}, ")
        text.add(f"step {text.name(step)}) : {text.type(lower)} ahead {op.attributes['ahead']}")
        if carried:
            text.add(f" {iteration_values(text, names[1:named], carried)}")
            text.add(f" -> ({text.types(op.results)})")
        if handed:
            text.add(f"\n{margin}    ahead_values({_named(text, handed)}) : {text.types(handed)}")
        with text.names.nested():
            starts = text.names.arguments(
                prologue, [f"start{part}" for part in ("Idx", "Exists", *ahead)]
            )
            stated = _arguments(text, starts, prologue.arguments)
            text.add(f"\n{margin}prologue ({stated})")
            text.region(op, prologue, margin)
        text.add(f" body ({_arguments(text, names[named:], body.arguments[named:])})")
        text.region(op, body, margin)


def _print_role(op: Op, text: KernelText, margin: str) -> None:
    """``role name = "load" first = 8 warps = 4 working = 1 registers = 40 frees {``"""
    _add_attributes(op, text)
    text.region(op, op.regions[0].block, margin)


def _named(text: KernelText, values: Iterable[Value]) -> str:
    return ", ".join(map(text.name, values))


def _arguments(text: KernelText, names: list[str], values: list[Value]) -> str:
    pairs = zip(names, values, strict=True)
    return ", ".join(f"{name}: {text.type(value)}" for name, value in pairs)


BLOCK_PRINTERS = {
    "for": _print_for,
    "fold": _print_together,
    "if": PRINTERS["if"],
    "loop": PRINTERS["loop"],
    "pipelined_for": _print_pipelined_for,
    "role": _print_role,
    "scan_across": _print_together,
    "scan_warp": _print_together,
}
"""Mnemonic -> the function that prints everything behind it."""
