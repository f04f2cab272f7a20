"""The vocabulary of the rows: what code generation has to know about an op on every target.

A row adds to the op's row in `tileir.formats.ops` what is true of the op however it is lowered.
What that row says already (slots, effects, whether it ends a block) is not said again. How an op is
lowered is a matter of each target: there every chapter has its own table of functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from tileir.ir import Op

from .contiguity import Rule as ContiguityRule
from .divisibility import Rule as DivisibilityRule


class Family(Enum):
    """Ops that planning treats alike: layouts, fusion, memory and order follow from the family."""

    GENERATOR = auto()
    """Makes a tile of nothing: constants and counts."""
    ELEMENT_WISE = auto()
    """Computes an element of the result from the elements with the same coordinates."""
    RENUMBERING = auto()
    """Every element of the result is one of the operand, at coordinates known beforehand."""
    JOINING = auto()
    """The same of several operands, or of bits of several elements."""
    SLICE = auto()
    """Takes a part out of a tile, or puts one into it, at coordinates known at run time."""
    PRODUCT = auto()
    """Multiplies matrices and adds to a sum, the operand `acc`."""
    FOLD = auto()
    """Combines elements two by two, by running its body."""
    LOOP = auto()
    BRANCH = auto()
    TERMINATOR = auto()
    QUERY = auto()
    """Asks for numbers of the launch or of a tensor."""
    VIEW = auto()
    """Makes a view of a pointer, or of another view."""
    TOKEN = auto()
    """Does nothing but order others."""
    POINTER_LOAD = auto()
    """Reads through a tile of pointers."""
    POINTER_STORE = auto()
    VIEW_LOAD = auto()
    """Reads the tile at an index of a view."""
    VIEW_STORE = auto()
    MULTIMEM_LOAD = auto()
    """Reads the tile of a view in memory that is the same on several devices."""
    MULTIMEM_STORE = auto()
    """Writes there, or adds to what is there."""
    ATOMIC = auto()
    """Changes memory through a tile of pointers and gives what was there."""
    VIEW_ATOMIC = auto()
    """Changes memory at an index of a view and gives nothing."""
    VARIABLE = auto()
    """Gives the address of memory of the kernel's own."""
    FENCE = auto()
    """Orders accesses beyond what tokens say, or whole grids."""
    MESSAGE = auto()
    """Says something to whoever launched the kernel."""


SIMPLE = 1
"""Cost of an operation that processors have."""
DIVISION = 6
"""Cost of divisions and roots: a handful of instructions, or one that takes as long."""
FUNCTION = 20
"""Cost of an elementary function, which is a polynomial and what prepares for it."""
NEVER_AGAIN = 1 << 10
"""Cost of what is done once, however much it takes to hand the result on."""

Coordinates = tuple[int | None, ...]
"""For each dimension of a tile, the dimension of another one whose coordinate it has; None: 0."""


@dataclass(frozen=True, slots=True)
class Traits:
    """One row.

    `cost` is what it takes to compute an element again from the operands, in simple operations; it
    is 0 where that takes nothing, and where nobody asks as the result has one place.
    `coordinates` says of a renumbering where the operand has the element that the result has at
    some coordinates; where it is None, both have the same row-major number.
    `commutes` says that folding by the op may take elements in any order.
    `divisibility` and `contiguity` find out what is known of the results from what is known of the
    operands; without them nothing is.
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
    """The row of an element-wise op."""
    return Traits(name, Family.ELEMENT_WISE, cost, None, commutes, divisibility, contiguity)
