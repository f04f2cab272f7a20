"""The eight kinds of section: id, alignment, and the layout of the payload.

`SECTIONS` is in the order in which they must be decoded: strings name everything, the size of an
attribute's value depends on the Type section, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass

from construct import Construct

from .attributes import CONSTANT_INDEX, STRING_INDEX
from .debug import DEBUG
from .enums import SYMBOL_VISIBILITY
from .functions import FUNCTIONS
from .leaves import Bytes, EnumValue, SizedBytes, VarInt
from .nodes import Counted, Record, Since, field
from .table import Table
from .types import TYPE, TYPE_INDEX
from .version import V13_1, V13_3, Version

STRINGS = Table(4, Bytes("text"))
TYPES = Table(4, TYPE, tolerant=True)
CONSTANTS = Table(8, SizedBytes(), tolerant=True, ordered=True)

GLOBAL = Record(
    field("name", STRING_INDEX, "Unique in the module."),
    field("type", TYPE_INDEX, "A tile of rank 1: what the contents are."),
    field("value", CONSTANT_INDEX, "The first contents."),
    field("alignment", VarInt(), "In bytes; 0 leaves it open."),
    field(
        "visibility",
        Since(V13_3, EnumValue(SYMBOL_VISIBILITY), default=0),
        "Whether other modules can see it.",
    ),
    field("constant", Since(V13_3, VarInt(), default=0), "Not 0 if kernels only read it."),
)
GLOBALS = Counted(GLOBAL, item_size=4, partial=True)

PRODUCER = Record(field("producer", STRING_INDEX, "Free text."))


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of section; with `alignment` 0 the format asks for none.

    `rank` orders sections as producers write them, lower first; where two have the same rank,
    cuTile and the official writer differ.
    """

    name: str
    number: int
    alignment: int
    mandatory: bool
    since: Version
    payload: Construct | None
    rank: int
    doc: str


END = Section("End", 0, 0, True, V13_1, None, 8, "The last byte of the file.")

SECTIONS = (
    Section("String", 1, 4, True, V13_1, STRINGS, 5, "All names and texts."),
    Section(
        "Producer",
        7,
        0,
        False,
        V13_3,
        PRODUCER,
        4,
        "The program that wrote the file, as free text.",
    ),
    Section("Type", 5, 4, False, V13_1, TYPES, 3, "All types."),
    Section("Constant", 4, 8, False, V13_1, CONSTANTS, 1, "Contents of dense constants."),
    Section("Global", 6, 0, False, V13_1, GLOBALS, 0, "Module-level variables."),
    Section("Func", 2, 8, True, V13_1, FUNCTIONS, 0, "Kernels."),
    Section("Debug", 3, 8, False, V13_1, DEBUG, 2, "Source locations."),
)

BY_NUMBER = {section.number: section for section in SECTIONS}
BY_NAME = {section.name: section for section in SECTIONS}


def unknown_section(number: int) -> Section:
    """Return the kind of the sections of a number that no known version has; they are opaque."""
    return Section(f"Section {number}", number, 0, False, V13_1, None, 0, "Unknown.")
