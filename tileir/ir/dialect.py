"""A dialect: which ops and types there are on the classes of this room, as a value.

Whoever prints, assembles or verifies is handed one. This package knows Tile IR alone, `TILE_IR`. A
compiler may bring another one, for what it makes of a kernel: it has rows and types of its own, and
takes over from Tile IR what it likes. Bytecode is of Tile IR only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import Kind, Row
from tileir.types import (
    FunctionType,
    GatherScatterView,
    PartitionView,
    StridedView,
    TensorView,
    Tile,
    Token,
)

from .body import Body
from .op import Op
from .type_kinds import type_problem

OpRule = Callable[[Op], str | None]
"""A rule about one op whose types fit its row: it returns what is wrong, or None.

The rule's name is that of the function, its docstring explains it."""

BodyRule = Callable[[Body], Iterable[tuple[Op | None, str]]]
"""A rule about a whole body in which every op is right by itself: it yields ops and what is wrong
with each; None stands for the body."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """The ops and types of one dialect.

    name             how messages call it
    rows             mnemonic -> row of the op; Tile IR's has those of sections, too
    kinds            class of a type -> its kind in the constraints of rows
    type_problem     returns why a value is no type, or an illegal one; "" if it is legal
    attribute_kinds  kind of an attribute slot -> why a value is none of that kind; "" if it is one
    op_rules         mnemonic -> rules about such an op
    body_rules       rules about bodies
    """

    name: str
    rows: Mapping[str, Row]
    kinds: Mapping[type, str]
    type_problem: Callable[[Any], str]
    attribute_kinds: Mapping[Kind, Callable[[Any], str]] = field(default_factory=dict)
    op_rules: Mapping[str, Sequence[OpRule]] = field(default_factory=dict)
    body_rules: Sequence[BodyRule] = ()

    def has(self, row: object) -> bool:
        """Whether a row is that of an op of this dialect which stands in bodies."""
        return isinstance(row, Row) and self.rows.get(row.mnemonic) is row


KINDS = {
    Tile: "tile",
    Token: "token",
    TensorView: "tensor_view",
    PartitionView: "partition_view",
    StridedView: "strided_view",
    GatherScatterView: "gather_scatter_view",
    FunctionType: "func",
}
"""Class of a type of Tile IR -> its kind in the constraints of the op table."""

TILE_IR = Dialect("Tile IR", BY_NAME, KINDS, type_problem)
