"""The types of the rows: properties of an op that code generation for every target needs.

A row adds to the op's row in `tileir.formats.ops` (slots, effects, whether it is a terminator) the
properties of the op that hold on every target. How an op is lowered is up to each target: there
every chapter has its own table of functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from tileir.ir import Op

from .contiguity import Rule as ContiguityRule
from .divisibility import Rule as DivisibilityRule
from .totality import Rule as TotalityRule


class Family(Enum):
    """Ops that are planned alike: layouts, fusion, memory and order follow from the family."""

    GENERATOR = auto()
    """Makes a tile without an operand tile: constants and iota."""
    ELEMENT_WISE = auto()
    """Computes an element of the result from the elements with the same coordinates."""
    RENUMBERING = auto()
    """Every element of the result is an element of the operand, at static coordinates."""
    JOINING = auto()
    """A renumbering of several operands, or of the bits of several elements."""
    SLICE = auto()
    """Extracts a part of a tile, or inserts one, at coordinates known at run time."""
    PRODUCT = auto()
    """Multiplies matrices and adds the accumulator, the operand `acc`."""
    FOLD = auto()
    """Combines elements two by two with its body: reduce and scan."""
    LOOP = auto()
    BRANCH = auto()
    TERMINATOR = auto()
    QUERY = auto()
    """Returns numbers of the launch or of a tensor."""
    VIEW = auto()
    """Makes a view of a pointer or of another view."""
    TOKEN = auto()
    """Orders other ops and has no other effect."""
    POINTER_LOAD = auto()
    """Reads through a tile of pointers."""
    POINTER_STORE = auto()
    VIEW_LOAD = auto()
    """Reads the tile at an index of a view."""
    VIEW_STORE = auto()
    MULTIMEM_LOAD = auto()
    """Reads the tile of a view in multicast memory, which several devices share."""
    MULTIMEM_STORE = auto()
    """Writes to multicast memory, or reduces into it."""
    ATOMIC = auto()
    """Changes memory through a tile of pointers and returns the old elements."""
    VIEW_ATOMIC = auto()
    """Changes memory at an index of a view and returns no elements."""
    VARIABLE = auto()
    """Returns the address of the kernel's own memory."""
    FENCE = auto()
    """Orders accesses beyond what tokens order, or dependent grids."""
    MESSAGE = auto()
    """Sends a message to the caller of the launch."""
    OTHER = auto()
    """An op that Tile IR does not have, or that is in public preview."""


SIMPLE = 1
"""Cost of an operation that processors have as an instruction."""
DIVISION = 6
"""Cost of divisions and roots: several instructions, or one that takes as long."""
FUNCTION = 20
"""Cost of an elementary function: a range reduction and a polynomial."""
NEVER_AGAIN = 1 << 10
"""Cost of an op that is never recomputed, however expensive its result is to pass on."""

Coordinates = tuple[int | None, ...]
"""For each dimension of a tile, the dimension of another tile with the same coordinate; None: 0."""


@dataclass(frozen=True, slots=True)
class Traits:
    """The row of one op.

    `cost` is the number of simple operations that recompute an element from the operands; 0 if that
    takes none. Loads and matrix products have `NEVER_AGAIN`. Ops that are not recomputed whatever
    their cost, such as folds and atomics, keep the default.
    `coordinates` maps coordinates in the result of a renumbering to those of the same element in
    the operand; if it is None, both have the same row-major number.
    `commutes`: a fold by the op may take its elements in any order.
    `divisibility` and `contiguity` infer the facts of the results from those of the operands; an op
    without them has results of which only the type is known.
    `total` tells whether the op is defined for all values of its operands, None if it always is.
    `flops` is the number of floating-point operations for an element: one for arithmetic
    and elementary functions, two for a fused multiply-add, none for what moves, compares, rounds
    or converts. What products and folds take, `analysis.flops` says.
    """

    name: str
    family: Family
    cost: int = 0
    coordinates: Callable[[Op], Coordinates] | None = None
    commutes: bool = False
    divisibility: DivisibilityRule | None = None
    contiguity: ContiguityRule | None = None
    total: TotalityRule | None = None
    flops: int = 0


OTHER = Traits("", Family.OTHER)
"""The traits of ops that Tile IR does not have."""


def element_wise(
    name: str,
    cost: int = SIMPLE,
    *,
    commutes: bool = False,
    divisibility: DivisibilityRule | None = None,
    contiguity: ContiguityRule | None = None,
    total: TotalityRule | None = None,
    flops: int = 0,
) -> Traits:
    """Make the row of an element-wise op."""
    facts = divisibility, contiguity, total
    return Traits(name, Family.ELEMENT_WISE, cost, None, commutes, *facts, flops)
