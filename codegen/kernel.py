"""One entry on its way through the pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tileir.ir import Body, Op, Value

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode


@dataclass(slots=True, eq=False)
class Kernel:
    """What a pass takes and returns: the entry `symbol`, and the body as the passes left it.

    `function` is the function as it stands in the module, `body` may be rewritten. `facts` is
    where analyses leave their results, under the name of the pass.
    """

    symbol: str
    function: Any
    body: Body
    bytecode: Bytecode | None
    facts: dict[str, Any]

    @classmethod
    def of(cls, function: Any, bytecode: Bytecode | None = None) -> Kernel:
        """The kernel of a function, before any pass."""
        return cls(function.name, function, function.body, bytecode, {})

    @property
    def parameters(self) -> list[Value]:
        """The values that a launch has to supply, in order."""
        return self.body.block.arguments

    def walk(self) -> Iterator[Op]:
        """Every op in pre-order."""
        return self.body.walk()
