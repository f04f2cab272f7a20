"""One entry on its way through the pipeline, with the results of analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from tileir.ir import Body, Op, Value
from tileir.ir.dialect import TILE_IR, Dialect

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode
    from tileir.ir.locations import Location
    from tileir.types import FunctionType


class Analysis(Protocol):
    """A class of facts about a kernel, which are found without changing it."""

    @classmethod
    def of(cls, kernel: KernelIR) -> Self:
        """Analyse a kernel as its body is now."""
        ...


Result = TypeVar("Result", bound=Analysis)


@dataclass(slots=True, eq=False)
class KernelIR:
    """The entry `symbol`, and its body as the stages left it.

    `function` is the function of the module. Where stages edit, `body` is a copy of its body, and
    `copies` maps the values of the module to those of the copy. `traces` maps the id of each print
    that was inserted to trace a value to the value's name (see `insert_traces`), `breakpoints` that
    of each breakpoint to the names of its operands (see `insert_breakpoints`). `dialect` is that of
    the ops and types in the body, `edits` counts the calls of `edited`.
    """

    symbol: str
    function: Any
    body: Body
    bytecode: Bytecode | None = None
    copies: Mapping[Value, Value] = field(default_factory=dict, repr=False)
    traces: Mapping[int, str] = field(default_factory=dict)
    breakpoints: dict[int, tuple[str, ...]] = field(default_factory=dict)
    dialect: Dialect = TILE_IR
    edits: int = field(default=0, init=False)
    _facts: dict[type, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, function: Any, bytecode: Bytecode | None = None) -> KernelIR:
        """Return the kernel of a function with the function's own body, for analyses."""
        return cls(function.name, function, function.body, bytecode)

    @classmethod
    def copy_of(cls, function: Any, bytecode: Bytecode | None = None) -> KernelIR:
        """Return the kernel of a function with a copy of its body, for stages to edit."""
        copies: dict[Value, Value] = {}
        return cls(function.name, function, function.body.clone(copies), bytecode, copies)

    def copy(self) -> KernelIR:
        """Return the same kernel with a copy of the body as it is now."""
        made: dict[Value, Value] = {}
        body = self.body.clone(made)
        copies = {value: made.get(copy, copy) for value, copy in self.copies.items()}
        return replace(self, body=body, copies=copies)

    def edited(self, *still_true: type[Analysis]) -> None:
        """Drop the results of analyses, because the body was edited, but those that are true yet.

        Facts about values are true as long as the values mean the same.
        """
        self.edits += 1
        self._facts = {each: self._facts[each] for each in still_true if each in self._facts}

    def facts(self, analysis: type[Result]) -> Result:
        """Return the result of an analysis; it is kept until the body is `edited`."""
        if analysis not in self._facts:
            self._facts[analysis] = analysis.of(self)
        return self._facts[analysis]

    @property
    def name(self) -> str:
        """The symbol: what a function calls its name."""
        return self.symbol

    @property
    def type(self) -> FunctionType:
        """The types of the parameters."""
        return self.function.type

    @property
    def location(self) -> Location | None:
        """The location of the function in source."""
        return self.function.location

    @property
    def parameters(self) -> list[Value]:
        """The parameters of the entry, in order."""
        return self.body.block.arguments

    def walk(self) -> Iterator[Op]:
        """Return every op in pre-order."""
        return self.body.walk()
