"""The rows of a comparison: what was inserted, deleted, changed or moved, and how it changed.

A row is about an op, or else about a part of a module: a function, a global, a declaration, the
header or a table of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tileir.ir import Op
from tileir.read.declarations import Declaration
from tileir.read.function import Function, Global

Kind = Literal["deleted", "inserted", "changed", "moved"]
KINDS: tuple[Kind, ...] = ("deleted", "inserted", "changed", "moved")

Subject = Literal["op", "function", "global", "declaration", "file"]
Part = Op | Function | Global | Declaration | None


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs between two forms of a part.

    `what` is its kind ("operand", "attribute", "result type", ...), `name` which one, by the name
    of its slot; `before` and `after` are what is there, None for nothing.
    """

    what: str
    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class FunctionPair:
    """A function in both modules, None in one that does not have it."""

    before: Function | None
    after: Function | None

    @property
    def name(self) -> str:
        """The name; both where it changed."""
        names = [each.name for each in (self.before, self.after) if each is not None]
        return " -> ".join(dict.fromkeys(names))


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One difference. `before` and `after` are the part in both modules, None where it is not.

    A part that moved may have changed, too: what changed is in `changes`.
    """

    kind: Kind
    subject: Subject
    before: Part
    after: Part
    changes: Sequence[Change] = ()
    function: FunctionPair | None = None
