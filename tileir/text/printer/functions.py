"""The text of a kernel: its signature, and the ops of its body."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from tileir.ir import Block, Op
from tileir.read.function import Function
from tileir.read.opaque import OpaqueEnd

from . import values
from .operations import pieces_of
from .pieces import Pieces
from .structured import TILE_IR_SPELLING, shown
from .text import KernelText, Spelling
from .unknown import opaque_mark

Tail = Callable[[Any], str]
"""From the location of an op to the text behind the op: ``" loc(#loc3)"``."""


COMMENT_COLUMN = 88
"""Where comments behind ops start; those on longer ops stand above."""


class Comments(Protocol):
    """Comments about ops, for the text."""

    def above(self, op: Op) -> Iterable[str]:
        """Lines of their own, above the op."""
        ...

    def behind(self, op: Op) -> str:
        """A word behind the op, or above one that is long or has regions; empty for none."""
        ...


class FunctionPrinter(KernelText):
    """The printer of one kernel.

    `tail` gives the text for a location, None prints none; `comments` has the comments of ops.
    """

    def __init__(
        self,
        out: Pieces,
        types: dict[int, str],
        tail: Tail | None,
        comments: Comments | None = None,
        spelling: Spelling = TILE_IR_SPELLING,
    ) -> None:
        super().__init__(out, types, spelling)
        self._printers, self._pieces = spelling.printers, pieces_of(spelling.dialect)
        self._tail = tail
        self._comments = comments
        self._end: OpaqueEnd | None = None

    def function(
        self, function: Function, body: Block | None = None, symbol: str | None = None
    ) -> None:
        """``entry @name(%arg0: T) optimization_hints=<...> {``, the body, ``}``

        With a `body` or a `symbol`, it is the function as if that were its own.
        """
        body = body or function.body.block
        self._end = getattr(function, "opaque", None)
        parameters = [
            f"{name}: {self.type(value)}"
            for name, value in zip(self.names.arguments(body), body.arguments, strict=True)
        ]
        stated = function.argument_attributes
        if not isinstance(stated, tuple | list):
            raise TypeError("attributes of parameters are a list")
        self.reserve((function.hints, stated))
        for index, attributes in enumerate(stated[: len(parameters)]):
            if attributes:
                parameters[index] += f" {values.attribute(attributes)}"
        self.add(f"entry {values.symbol(symbol or function.name)}({', '.join(parameters)})")
        if function.hints.entries:
            self.add(f" optimization_hints={values.hints(function.hints)}")
        self.region(None, body, "")
        if self._tail:
            self.add(self._tail(function.location))
        self.add("\n")

    def region(self, owner: Op | None, block: Block, margin: str) -> None:
        self.add(" {\n")
        inner = f"{margin}  "
        defined = self.names.results(block)
        for op in shown(owner, block):
            if self._comments is None:
                self.op(op, defined.get(op, ""), inner)
            else:
                self._commented(op, defined.get(op, ""), inner, self._comments)
        if self._end is not None and self._end.block is block:
            self.add(f"{inner}{opaque_mark(self._end)}\n")
        self.add(f"{margin}}}")

    def op(self, op: Op, defined: str, margin: str) -> None:
        """Print an op, behind the text of what it defines, and what is in its regions."""
        name = op.spec.mnemonic
        structured = self._printers.get(name)
        if structured is None:
            pieces = "".join([piece(op, self) for piece in self._pieces[name]])
            self.add(f"{margin}{defined}{name}{pieces}")
        else:
            self.add(f"{margin}{defined}{name}")
            structured(op, self, margin)
        self.add(self._tail(op.location) + "\n" if self._tail else "\n")

    def _commented(self, op: Op, defined: str, margin: str, comments: Comments) -> None:
        out, lines, word = self.out, [*comments.above(op)], comments.behind(op)
        own: list[str] = []
        self.out, self.add = own, own.append
        self.op(op, defined, margin)
        self.out, self.add = out, out.append
        text = "".join(own)
        if word and (op.regions or len(text) > COMMENT_COLUMN):
            lines.append(word)
        elif word:
            text = f"{text[:-1]:<{COMMENT_COLUMN}}  // {word}\n"
        for line in lines:
            self.add(f"{margin}// {line}\n")
        self.add(text)
