"""The vocabulary of the rows: traits of an op that hold on every target.

A row adds to the op's row in `tileir.formats.ops`, which has slots, effects and whether the op is a
terminator. How an op is lowered is a matter of each target, which has tables of functions for that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from tileir.ir import Op

from .contiguity import Rule as ContiguityRule
from .divisibility import Rule as DivisibilityRule


class Family(Enum):
    """Ops that are planned alike: layouts, fusion, memory and order follow from the family."""

    GENERATOR = auto()
    """Makes a tile without operands: constants and iota."""
    ELEMENT_WISE = auto()
    """Computes an element of the result from the elements with the same coordinates."""
    RENUMBERING = auto()
    """Every element of the result is an element of the operand, at static coordinates."""
    JOINING = auto()
    """Every element of the result is one of several operands, or made of bits of elements."""
    SLICE = auto()
    """Extracts a part of a tile, or inserts one, at coordinates known at run time."""
    PRODUCT = auto()
    """Multiplies matrices and adds the product to the accumulator, the operand `acc`."""
    FOLD = auto()
    """Combines elements two by two with its body: reduce and scan."""
    LOOP = auto()
    BRANCH = auto()
    TERMINATOR = auto()
    QUERY = auto()
    """Returns coordinates or extents of the launch grid or of a tensor."""
    VIEW = auto()
    """Makes a view of a pointer or of another view."""
    TOKEN = auto()
    """Makes or joins tokens, which order other ops."""
    POINTER_LOAD = auto()
    """Reads through a tile of pointers."""
    POINTER_STORE = auto()
    VIEW_LOAD = auto()
    """Reads the tile at an index of a view."""
    VIEW_STORE = auto()
    MULTIMEM_LOAD = auto()
    """Reads the tile of a view of multicast memory, which several devices share."""
    MULTIMEM_STORE = auto()
    """Writes or updates a tile of multicast memory."""
    ATOMIC = auto()
    """Updates memory through a tile of pointers and returns the old values."""
    VIEW_ATOMIC = auto()
    """Updates memory at an index of a view and returns no old values."""
    VARIABLE = auto()
    """Returns the address of a variable of the kernel or the module."""
    FENCE = auto()
    """Orders accesses beyond tokens, or whole grids."""
    MESSAGE = auto()
    """Prints, or checks an assertion."""


SIMPLE = 1
"""Cost of an operation that processors have as an instruction."""
DIVISION = 6
"""Cost of divisions and roots: several instructions, or one that takes as long."""
FUNCTION = 20
"""Cost of an elementary function: range reduction and a polynomial."""
NEVER_AGAIN = 1 << 10
"""Cost of ops that are never computed twice, whatever it takes to store the result."""

Coordinates = tuple[int | None, ...]
"""For each dimension of a tile, the dimension of another tile with the same coordinate, or None
where the coordinate is 0."""


@dataclass(frozen=True, slots=True)
class Traits:
    """One row.

    `cost` is the cost of recomputing an element from the operands, in simple operations; it is 0
    where that is free, and for ops whose results are never recomputed for other reasons.
    `coordinates` gives, for a renumbering, the coordinates in the operand for those in the result;
    where it is None, both elements have the same row-major number.
    `commutes` says that a fold with the op may take elements in any order.
    `divisibility` and `contiguity` are the transfer functions of these analyses; without them
    nothing is known of the results.
    """

    name: str
    family: Family
    cost: int = 0
    coordinates: Callable[[Op], Coordinates] | None = None
    commutes: bool = False
    divisibility: DivisibilityRule | None = None
    contiguity: ContiguityRule | None = None


def element_wise(
    name: str,
    cost: int = SIMPLE,
    *,
    commutes: bool = False,
    divisibility: DivisibilityRule | None = None,
    contiguity: ContiguityRule | None = None,
) -> Traits:
    """Return the row of an element-wise op."""
    return Traits(name, Family.ELEMENT_WISE, cost, None, commutes, divisibility, contiguity)
