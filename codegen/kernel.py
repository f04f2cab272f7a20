"""One entry on its way through the pipeline, and what analyses know of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from tileir.ir import Body, Op, Value

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode


class Analysis(Protocol):
    """What can be found out about a kernel without deciding anything: a class of facts."""

    @classmethod
    def of(cls, kernel: Kernel) -> Self:
        """The facts about a kernel as its body is now."""
        ...


Found = TypeVar("Found", bound=Analysis)


@dataclass(slots=True, eq=False)
class Kernel:
    """The entry `symbol`, and its body as the stages left it.

    `function` is the function as it stands in the module, `body` may be another one. `traces` has
    the name of the value that each print of a trace shows, by the id of the op (see `tracing`).
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
        """The kernel of a function, before any stage."""
        return cls(function.name, function, function.body, bytecode)

    def facts(self, analysis: type[Found]) -> Found:
        """What an analysis finds, made when it is first asked for and dropped with the body."""
        if self._facts_of is not self.body:
            self._facts, self._facts_of = {}, self.body
        if analysis not in self._facts:
            self._facts[analysis] = analysis.of(self)
        return self._facts[analysis]

    @property
    def parameters(self) -> list[Value]:
        """The values that a launch has to supply, in order."""
        return self.body.block.arguments

    def walk(self) -> Iterator[Op]:
        """Every op in pre-order."""
        return self.body.walk()
