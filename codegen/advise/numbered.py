"""Copies of a module in which each op is located at its own number.

Locations pass through all stages of the compiler, so its remarks name ops by number: those of the
module and of an edited copy can be compared op by op, with and without a debug section.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tileir.builder import Editor
from tileir.bytecode import Bytecode
from tileir.ir import Op
from tileir.ir.locations import CompileUnit, File, Location, SourceLocation, Subprogram
from tileir.read.function import Function

FILE = "the number of an op"


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a module: its ops by number, and the function of each.

    `arguments` has what is known of the arguments of a launch: parameter -> whole number.
    """

    module: Bytecode
    ops: Mapping[int, Op]
    functions: Mapping[int, Function]
    arguments: Mapping[int, int]
    plans: dict[object, Any] = field(default_factory=dict, compare=False)
    """What rules have found out for their trials, by keys of their own; all copies share it."""

    @property
    def by_symbol(self) -> Mapping[str, Function]:
        """The functions by name, in the order of the module."""
        return {each.name: each for each in self.functions.values()}

    def editor(self, number: int) -> Editor:
        """Return an editor of the function that an op is in."""
        return Editor(self.functions[number])


class Original:
    """A module as bytes, of which any number of copies can be made.

    `symbols` are the entries looked at; None for all. `arguments` are those of a launch of one
    entry, in the order of its parameters; whole numbers among them, which extents and strides are,
    tell what cannot be promised.
    """

    def __init__(
        self,
        bytecode: Bytecode,
        symbols: Iterable[str] | None = None,
        arguments: Sequence[object] = (),
    ) -> None:
        self.arguments = {n: each for n, each in enumerate(arguments) if isinstance(each, int)}
        self.bytecode = bytecode
        self.symbols = None if symbols is None else list(symbols)
        self._data = bytes(bytecode.build())
        self._plans: dict[object, Any] = {}

    def copy(self) -> Copy:
        """Return a new copy, to be edited."""
        source = self.bytecode
        made = Bytecode.parse(
            self._data, limits=source.limits, assume_version=source.original.assumed
        )
        made.launch_attributes = source.launch_attributes
        file = File(FILE, "")
        unit = CompileUnit(file)
        ops: dict[int, Op] = {}
        functions: dict[int, Function] = {}
        for function in self.chosen(made):
            scope = Subprogram(file, 0, function.name, function.name, unit, 0)
            function.location = SourceLocation(scope, FILE, 0, 0)
            for op in function.walk():
                number = len(ops)
                op.location = SourceLocation(scope, FILE, number + 1, 0)
                ops[number], functions[number] = op, function
        return Copy(made, ops, functions, self.arguments, self._plans)

    def chosen(self, module: Bytecode) -> Iterator[Function]:
        """Yield the functions looked at, of the module or of a copy."""
        for function in module.functions:
            if self.symbols is None or function.name in self.symbols:
                yield function


def number_of(location: Location | None) -> int | None:
    """Return the number of the op that has a location in a copy; None without one."""
    at = None if location is None else location.innermost
    return at.line - 1 if at is not None and at.line else None
