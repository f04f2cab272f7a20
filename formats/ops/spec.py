"""The vocabulary of the op table.

An `Op` lists its slots: results, attributes, operands, regions. A slot says what may stand in it
(`Constraint`), since which version it exists, and what it means. Nothing here says how the slots
lie in the file; `wire` derives that for all ops at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from construct import Construct

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
    """What type a value in a slot may have. `kinds` are names of type records."""

    kinds: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(self.kinds)


@dataclass(frozen=True, slots=True)
class TileOf(Constraint):
    """A tile whose element type is one of `elements`; of that `rank` if given, 0 being a scalar."""

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
    """A tile of one of the element types, any shape."""
    return TileOf(elements)


def scalar(*elements: str) -> TileOf:
    """A rank-0 tile of one of the element types."""
    return TileOf(elements, 0)


# Result types -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Like:
    """The type of the operand `slot`, or of each value in it; `element` replaces its element."""

    slot: str
    element: str = ""


@dataclass(frozen=True, slots=True)
class ViewTile:
    """The tile that one access through the view operand `slot` moves."""

    slot: str


@dataclass(frozen=True, slots=True)
class Pointee:
    """A tile shaped as the operand `slot`, of the elements its pointers point to."""

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
    """Values an op reads. `arity` is "one", "optional" (none or one) or "many".

    `inference` says which type it must have, where that follows from another operand.
    """

    name: str
    type: Constraint
    doc: str = ""
    arity: str = "one"
    since: Version = V13_1
    inference: Inference | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """Values an op defines. `inference` is None where the type has to be stated.

    A constraint that admits one type only (token, scalar i32) needs no inference either.
    """

    name: str
    type: Constraint
    inference: Inference | None = None
    doc: str = ""
    arity: str = "one"
    since: Version = V13_1


@dataclass(frozen=True, slots=True)
class Attribute:
    """A value fixed when the module is written.

    `node` is its layout on the wire, or None for a unit attribute, which is only a flag bit.
    `optional` attributes are announced by a flag bit. `default` is what files mean that are older
    than the attribute. `allowed` lists the legal cases when not all of an enum are.
    """

    name: str
    node: Construct | None
    doc: str = ""
    optional: bool = False
    since: Version = V13_1
    default: object = None
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Region:
    """Nested ops. `arguments` says in words what its block arguments are, `takes` their types.

    `gives` has the types that a terminator must hand over to this op, by the terminator's name.
    """

    name: str
    doc: str
    arguments: str = "none"
    terminators: tuple[str, ...] = ()
    may_be_empty: bool = False
    takes: tuple[Inference, ...] = ()
    gives: tuple[tuple[str, Inference], ...] = ()


def optional(name: str, type: Constraint, doc: str = "", since: Version = V13_1) -> Operand:
    """An operand that may be absent."""
    return Operand(name, type, doc, "optional", since)


def many(name: str, type: Constraint, doc: str = "") -> Operand:
    """A list of operands of any length."""
    return Operand(name, type, doc, "many")


def unit(name: str, doc: str = "", since: Version = V13_1) -> Attribute:
    """An attribute that is either there or not."""
    return Attribute(name, None, doc, optional=True, since=since, default=False)


# Effects: what an op may do besides defining its results.

PURE = "pure"
"""Nothing; may be moved, repeated and removed."""
NO_MEMORY_EFFECT = "no memory effect"
"""Touches no memory, but is not to be speculated (its behaviour can be undefined)."""
UNDECLARED = "undeclared"
"""Nothing in practice, but not declared so: refused where only effect-free ops may stand."""
READS = "reads memory"
WRITES = "writes memory"
READS_WRITES = "reads and writes memory"
ALLOCATES = "allocates memory"
SIDE_EFFECT = "side effect"
"""Visible outside: prints, traps, signals other grids."""
RECURSIVE = "as its regions"
TERMINATES = "terminates its block"
SYMBOL = "defines a symbol"

SILENT = frozenset({PURE, NO_MEMORY_EFFECT, UNDECLARED, READS})
"""Effects of ops that nobody notices except by their results."""


@dataclass(frozen=True, slots=True)
class Op:
    """One row of the table.

    `same_type`, `same_element` and `same_shape` are groups of slot names that must agree. A list
    alone in a group means that all its values agree; two lists in a group agree pair by pair.
    `in_body` is False for what has an opcode but lives in a section of its own.

    `format` says how the op is spelled (`assembly`), where the slots alone do not; "" leaves it to
    the syntax that the op has of its own. `prefix` is what the disassembler calls its result.
    """

    mnemonic: str
    opcode: int
    doc: str
    operands: tuple[Operand, ...] = ()
    results: tuple[Result, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    regions: tuple[Region, ...] = ()
    since: Version = V13_1
    effects: str = PURE
    same_type: tuple[tuple[str, ...], ...] = ()
    same_element: tuple[tuple[str, ...], ...] = ()
    same_shape: tuple[tuple[str, ...], ...] = ()
    aliases: tuple[str, ...] = ()
    in_body: bool = True
    format: str | None = None
    prefix: str = ""

    @property
    def terminator(self) -> bool:
        """Whether the op ends a block."""
        return self.effects == TERMINATES

    def attribute(self, name: str) -> Attribute:
        """The attribute slot of that name."""
        return next(slot for slot in self.attributes if slot.name == name)
