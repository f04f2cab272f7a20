"""The text of a module, and which of its lines are those of which op, block and function."""

from __future__ import annotations

from tileir.bytecode import Bytecode
from tileir.ir import Block, Op, Value
from tileir.read.function import Function
from tileir.text.printer.disassembly import print_module
from tileir.text.printer.functions import FunctionPrinter, Tail
from tileir.text.printer.pieces import BoundedText, Pieces

NOWHERE = range(0)


class PrintedModule:
    """A module as `tileir dis` prints it. Lines are counted from 0; ranges have no end of them.

    op        op -> its lines, those of its regions included; none if the text leaves it out
    block     block -> the lines of its ops
    function  function -> its lines
    name      value -> its name
    """

    def __init__(self, bytecode: Bytecode) -> None:
        self.op: dict[Op, range] = {}
        self.block: dict[Block, range] = {}
        self.function: dict[int, range] = {}
        self.name: dict[Value, str] = {}
        text = _Lines(bytecode)

        def printer(out: Pieces, types: dict[int, str], tail: Tail | None) -> FunctionPrinter:
            return _Printer(text, types, self)

        print_module(bytecode, text, printer=printer)
        self.lines = str(text).split("\n")

    def lines_of(self, op: Op) -> range:
        """Return the lines of an op."""
        return self.op.get(op, NOWHERE)


class _Lines(BoundedText):
    """A bounded text that counts its lines."""

    def __init__(self, bytecode: Bytecode) -> None:
        super().__init__(bytecode)
        self.count = 0

    def append(self, piece: str) -> None:
        """See `BoundedText`."""
        super().append(piece)
        self.count += piece.count("\n")


class _Printer(FunctionPrinter):
    """A printer that notes on which lines everything is."""

    def __init__(self, out: _Lines, types: dict[int, str], marks: PrintedModule) -> None:
        super().__init__(out, types, None)
        self._lines, self._marks = out, marks

    def function(
        self, function: Function, body: Block | None = None, symbol: str | None = None
    ) -> None:
        start = self._lines.count
        super().function(function, body, symbol)
        self._marks.function[id(function)] = range(start, self._lines.count)
        self._marks.name.update(self.names.value)

    def op(self, op: Op, defined: str, margin: str) -> None:
        start = self._lines.count
        super().op(op, defined, margin)
        self._marks.op[op] = range(start, self._lines.count)

    def region(self, owner: Op | None, block: Block, margin: str) -> None:
        start = self._lines.count + 1  # the ops begin behind the line of the brace
        super().region(owner, block, margin)
        self._marks.block[block] = range(start, self._lines.count)
