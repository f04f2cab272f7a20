"""The classes of the tile-level SSA form: bodies, regions, blocks, ops and values.

Operands are the values that they name, values have types, and attributes are plain Python values.
Every consumer (inspect, text, verifier, both code generators) works on this form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tileir.types import FunctionType, ValueType

if TYPE_CHECKING:
    from tileir.formats.ops.spec import Op as Spec

    from .locations import Location


@dataclass(slots=True, eq=False)
class Value:
    """A value that an op or a block defines. Values are compared by identity.

    `owner` is the op or block; `index` is the position among its results or arguments. `number` is
    the value number in the file, which sibling regions reuse.
    """

    type: ValueType
    owner: Op | Block
    index: int
    number: int

    def __repr__(self) -> str:
        return f"%{self.number}: {self.type}"


@dataclass(slots=True, eq=False)
class Block:
    """A block: its arguments and ops. The last op is a terminator."""

    arguments: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Region:
    """A region: the blocks nested in an op. There is one, or none for an absent else."""

    blocks: list[Block] = field(default_factory=list)

    @property
    def block(self) -> Block:
        """The only block."""
        return self.blocks[0]


class Op:
    """One operation.

    `operands` maps every operand slot of the op's row to a Value, None (absent) or a tuple of
    Values (slots of any length). `attributes` maps every attribute slot to its value: enums are
    their names ("nearest_even"), unit attributes bool, absent ones None. See `tileir.attributes`
    for the others. `offset` is the op's offset in the file, in bytes; `position` is its number in
    the function, in pre-order.

    What is in a slot its row says, which checkers do not see: for them it is anything.
    """

    __slots__ = (
        "_location",
        "attributes",
        "depth",
        "offset",
        "operands",
        "position",
        "regions",
        "results",
        "spec",
    )

    def __init__(
        self,
        spec: Spec,
        operands: dict[str, Any],
        attributes: dict[str, Any],
        results: list[Value] | None = None,
        regions: list[Region] | None = None,
        offset: int = 0,
        position: int = 0,
        depth: int = 0,
        location: Location | Callable[[int], Location | None] | None = None,
    ) -> None:
        self.spec = spec
        self.operands = operands
        self.attributes = attributes
        self.results = [] if results is None else results
        self.regions = [] if regions is None else regions
        self.offset = offset
        self.position = position
        self.depth = depth
        self._location = location

    @property
    def location(self) -> Location | None:
        """The location of the op in source; the debug section is read when first asked for."""
        if callable(self._location):
            self._location = self._location(self.position)
        return self._location

    @location.setter
    def location(self, location: Location | None) -> None:
        self._location = location

    @property
    def location_unread(self) -> bool:
        """Whether the location has not been read or set yet, so that it is the file's."""
        return callable(self._location)

    @property
    def name(self) -> str:
        """The mnemonic, for example ``addf``."""
        return self.spec.mnemonic

    @property
    def result(self) -> Value:
        """The first result."""
        return self.results[0]

    @property
    def location_text(self) -> str:
        """The source location as text, empty if it is unknown."""
        return "" if self.location is None else str(self.location)

    def operand_list(self) -> Iterator[Value]:
        """Yield all operands that are present, in the order of the file."""
        for value in self.operands.values():
            if isinstance(value, tuple):
                yield from value
            elif value is not None:
                yield value

    def walk(self) -> Iterator[Op]:
        """Yield this op and the ops nested in it, in pre-order."""
        stack: list[Op] = [self]
        while stack:
            op = stack.pop()
            yield op
            nested = [o for region in op.regions for block in region.blocks for o in block.ops]
            stack.extend(reversed(nested))

    def __repr__(self) -> str:
        results = ", ".join(f"%{value.number}" for value in self.results)
        operands = ", ".join(f"%{value.number}" for value in self.operand_list())
        return f"{results}{' = ' if results else ''}{self.name} {operands}".rstrip()


@dataclass(slots=True, eq=False)
class Body:
    """A decoded function body: the parameters are the arguments of `block`."""

    type: FunctionType
    block: Block

    def walk(self) -> Iterator[Op]:
        """Yield every op in pre-order."""
        for op in self.block.ops:
            yield from op.walk()
