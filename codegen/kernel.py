"""The state of one entry between the stages of the pipeline, and the results of analyses on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from tileir.ir import Body, Op, Value

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode


class Analysis(Protocol):
    """A class of facts about a kernel that follow from its body alone."""

    @classmethod
    def of(cls, kernel: Kernel) -> Self:
        """Analyse a kernel with its present body."""
        ...


Facts = TypeVar("Facts", bound=Analysis)


@dataclass(slots=True, eq=False)
class Kernel:
    """The entry `symbol` and its body, rewritten so far.

    `function` is the function in the module, unchanged; `body` may be a copy. `traces` maps the id
    of each print that is a trace to the name of the value it shows (see `insert_traces`).
    """

    symbol: str
    function: Any
    body: Body
    bytecode: Bytecode | None = None
    traces: Mapping[int, str] = field(default_factory=dict)
    _facts: dict[type, Any] = field(default_factory=dict, init=False, repr=False)
    _facts_of: Body | None = field(default=None, init=False, repr=False)

    @classmethod
    def of(cls, function: Any, bytecode: Bytecode | None = None) -> Kernel:
        """Make the kernel of a function, before any stage."""
        return cls(function.name, function, function.body, bytecode)

    def facts(self, analysis: type[Facts]) -> Facts:
        """Return the result of an analysis, cached until the body is replaced."""
        if self._facts_of is not self.body:
            self._facts, self._facts_of = {}, self.body
        if analysis not in self._facts:
            self._facts[analysis] = analysis.of(self)
        return self._facts[analysis]

    @property
    def parameters(self) -> list[Value]:
        """The values that a launch has to pass, in order."""
        return self.body.block.arguments

    def walk(self) -> Iterator[Op]:
        """Yield every op in pre-order."""
        return self.body.walk()
