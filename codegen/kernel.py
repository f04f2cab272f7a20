"""The state of one entry between the passes of the pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tileir.ir import Body, Op, Value

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode


@dataclass(slots=True, eq=False)
class Kernel:
    """The state that passes take and return: the entry `symbol` and its body, rewritten so far.

    `function` is the function in the module, unchanged; `body` may be a copy. `facts` has the
    results of analyses by the name of the pass.
    """

    symbol: str
    function: Any
    body: Body
    bytecode: Bytecode | None
    facts: dict[str, Any]

    @classmethod
    def of(cls, function: Any, bytecode: Bytecode | None = None) -> Kernel:
        """Make the kernel of a function, before any pass."""
        return cls(function.name, function, function.body, bytecode, {})

    @property
    def parameters(self) -> list[Value]:
        """The values that a launch has to pass, in order."""
        return self.body.block.arguments

    def walk(self) -> Iterator[Op]:
        """Yield every op in pre-order."""
        return self.body.walk()
