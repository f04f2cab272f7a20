"""The vocabulary of the op table.

A `Row` lists the slots of an op: results, attributes, operands, regions. A slot has the types that
are allowed in it (`Constraint`), the version that introduced it, and its meaning. An `Op` is the
row of an op that bytecode has. The layout in the file is not here; `wire` derives it for all ops at
once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from construct import Construct

from tileir.formats.leaves import EnumValue
from tileir.formats.nodes import Each as Each
from tileir.formats.version import V13_1, Version

# Element types ------------------------------------------------------------------------------

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
ALL_FLOATS = (*FLOATS, "tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "fnv8E5M3FNU")
NUMBERS = (*INTEGERS, *ALL_FLOATS)
POINTER = ("ptr",)
ELEMENTS = ("i4", *NUMBERS, *POINTER)

# Constraints --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constraint:
    """The types that a value in a slot may have; `kinds` are names of type records."""

    kinds: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(self.kinds)


@dataclass(frozen=True, slots=True)
class TileOf(Constraint):
    """A tile whose element type is one of `elements`, of a `rank` if given; 0 is a scalar."""

    kinds: tuple[str, ...] = field(default=("tile",), init=False)
    elements: tuple[str, ...]
    rank: int | None = None

    def __str__(self) -> str:
        rank = {None: "", 0: "scalar "}.get(self.rank, f"{self.rank}-D ")
        return f"{rank}tile of {' or '.join(self.elements)}"


ANY = Constraint(())
TOKEN = Constraint(("token",))
TENSOR_VIEW = Constraint(("tensor_view",))
PARTITION_VIEW = Constraint(("partition_view",))
STRIDED_VIEW = Constraint(("strided_view",))
GATHER_SCATTER_VIEW = Constraint(("gather_scatter_view",))
VIEW = Constraint(("partition_view", "strided_view", "gather_scatter_view"))
DENSE_VIEW = Constraint(("partition_view", "strided_view"))

TILE = TileOf(ELEMENTS)
INTEGER_TILE = TileOf(INTEGERS)
FLOAT_TILE = TileOf(FLOATS)
ANY_FLOAT_TILE = TileOf(ALL_FLOATS)
NUMBER_TILE = TileOf(NUMBERS)
POINTER_TILE = TileOf(POINTER)
BOOLEAN_TILE = TileOf(("i1",))


def tile(*elements: str) -> TileOf:
    """Return the constraint on tiles of some element types, of any shape."""
    return TileOf(elements)


def scalar(*elements: str) -> TileOf:
    """Return the constraint on tiles of rank 0 of some element types."""
    return TileOf(elements, 0)


# Result types -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Like:
    """The type of the operand `slot`, or of each value in it, with another `element` if given."""

    slot: str
    element: str = ""


@dataclass(frozen=True, slots=True)
class ViewTile:
    """The tile that one access through the view operand `slot` moves."""

    slot: str


@dataclass(frozen=True, slots=True)
class Pointee:
    """A tile of the shape of the operand `slot`, of the elements that its pointers point to."""

    slot: str


@dataclass(frozen=True, slots=True)
class Reduced:
    """The types of the operands in `slot` without dimension `dim` (an attribute)."""

    slot: str
    dim: str = "dim"


@dataclass(frozen=True, slots=True)
class Elements:
    """`times` scalar tiles of the element type of each operand in `slot`."""

    slot: str
    times: int = 1


Inference = Like | ViewTile | Pointee | Reduced | Elements

# Slots --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Operand:
    """Values that an op reads; `arity` is "one", "optional" (none or one) or "many".

    `inference` gives its type, if that follows from another operand.
    """

    name: str
    type: Constraint
    doc: str = ""
    arity: str = "one"
    since: Version = V13_1
    inference: Inference | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """Values that an op defines; `inference` is None if the type must be stated.

    A constraint that admits only one type (token, scalar i32) needs no inference either.
    """

    name: str
    type: Constraint
    inference: Inference | None = None
    doc: str = ""
    arity: str = "one"
    since: Version = V13_1


@dataclass(frozen=True, slots=True)
class Kind:
    """What an attribute slot holds in a dialect that no file has; the dialect says what that is."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """A value fixed when the module is written.

    `node` says what the slot holds: its layout in the file, a `Kind` in a dialect that no file has,
    or None for a unit attribute, which is only a flag bit.
    `optional` attributes are announced by a flag bit. `default` is the meaning of files that are
    older than the attribute. `allowed` lists the legal cases of an enum if not all are.
    """

    name: str
    node: Construct | Kind | None
    doc: str = ""
    optional: bool = False
    since: Version = V13_1
    default: Any = None
    allowed: tuple[str, ...] = ()

    @property
    def cases(self) -> tuple[str, ...]:
        """The enum cases that the slot admits; none if it is not for an enum."""
        by_name = self.node.enum.by_name if isinstance(self.node, EnumValue) else ()
        return self.allowed or tuple(by_name)


@dataclass(frozen=True, slots=True)
class Region:
    """Nested ops; `arguments` describes its block arguments in words, `takes` has their types.

    `gives` has the types of a terminator's operands, by the terminator's name; None if only a rule
    of the op can say them.
    """

    name: str
    doc: str
    arguments: str = "none"
    terminators: tuple[str, ...] = ()
    may_be_empty: bool = False
    takes: tuple[Inference, ...] = ()
    gives: tuple[tuple[str, Inference | None], ...] = ()


def optional(name: str, type: Constraint, doc: str = "", since: Version = V13_1) -> Operand:
    """Return an operand slot that may be absent."""
    return Operand(name, type, doc, "optional", since)


def many(name: str, type: Constraint, doc: str = "") -> Operand:
    """Return an operand slot of any number of values."""
    return Operand(name, type, doc, "many")


def unit(name: str, doc: str = "", since: Version = V13_1) -> Attribute:
    """Return a unit attribute slot, which is present or not."""
    return Attribute(name, None, doc, optional=True, since=since, default=False)


# Effects of an op besides defining its results.

PURE = "pure"
"""No effect; the op may be moved, repeated and removed."""
NO_MEMORY_EFFECT = "no memory effect"
"""No access to memory, but the op must not be speculated (its behaviour can be undefined)."""
UNDECLARED = "undeclared"
"""No effect in practice, but not declared so: refused where ops must not have effects."""
READS = "reads memory"
WRITES = "writes memory"
READS_WRITES = "reads and writes memory"
ALLOCATES = "allocates memory"
SIDE_EFFECT = "side effect"
"""An effect that is visible outside: prints, traps, signals to other grids."""
RECURSIVE = "as its regions"
TERMINATES = "terminates its block"
SYMBOL = "defines a symbol"

SILENT = frozenset({PURE, NO_MEMORY_EFFECT, UNDECLARED, READS})
"""Effects of ops that can only be observed through their results."""


@dataclass(frozen=True, slots=True)
class Row:
    """One op of any dialect: its slots, and the rules that follow from them.

    `same_type`, `same_element` and `same_shape` are groups of slot names that must agree. A list
    alone in a group means that all its values agree; two lists in a group agree pair by pair.

    `format` is the assembly format (`assembly`), None if it follows from the slots, and "" for ops
    with a syntax of their own, as all with regions have. `prefix` is the disassembler's name for
    its result; `{attribute}` is a text in it.
    """

    mnemonic: str
    doc: str
    operands: tuple[Operand, ...] = ()
    results: tuple[Result, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    regions: tuple[Region, ...] = ()
    effects: str = PURE
    same_type: tuple[tuple[str, ...], ...] = ()
    same_element: tuple[tuple[str, ...], ...] = ()
    same_shape: tuple[tuple[str, ...], ...] = ()
    format: str | None = None
    prefix: str = ""

    @property
    def terminator(self) -> bool:
        """Whether the op ends a block."""
        return self.effects == TERMINATES

    def attribute(self, name: str) -> Attribute:
        """Return the attribute slot of a name."""
        return next(slot for slot in self.attributes if slot.name == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Op(Row):
    """One row of the table of Tile IR: an op that bytecode has.

    `in_body` is False for ops that are in a section of their own; `aliases` are older mnemonics.
    """

    opcode: int
    since: Version = V13_1
    aliases: tuple[str, ...] = ()
    in_body: bool = True
