"""A future of the format that will never be: versions 250.1 and 250.2, added to the real tree.

They change it in every way in which a version has changed it so far, and in some in which one may:
what a new version takes is then known to be rows and fields, added where the others are.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tileir import types
from tileir.attributes import Bounded
from tileir.commands import inspect
from tileir.explain import annotate
from tileir.formats import codec, sections, version
from tileir.formats import ops as op_table
from tileir.formats.attributes import ATTRIBUTE, STRING_INDEX
from tileir.formats.debug import DEBUG_RECORD, LINE
from tileir.formats.enums import ROUNDING_MODE, Case
from tileir.formats.leaves import EnumValue, Fixed, FlagWord, SignedVarInt, VarInt
from tileir.formats.nodes import Counted, If, Record, Since, Variant, Versioned
from tileir.formats.ops import wire
from tileir.formats.ops.spec import TILE, TOKEN, Attribute, Op, Operand, Result, optional, unit
from tileir.formats.sections import GLOBAL, PRODUCER
from tileir.formats.types import INTEGER_TAGS, SCALAR_BITS, TYPE
from tileir.formats.version import V13_1, Version
from tileir.read import op_decoders, tables

V250_1 = Version(250, 1)
V250_2 = Version(250, 2)

READERS = (annotate, inspect)
"""Imported before the future comes, so that they are part of what `_everywhere` finds."""

VARIANTS = (wire.OP, TYPE, ATTRIBUTE, DEBUG_RECORD)
TWIST = Op(
    "twist",
    opcode=200,
    doc="A new op.",
    operands=(Operand("source", TILE),),
    results=(Result("result", TILE),),
    since=V250_1,
)


def rows() -> tuple[Op, ...]:
    """Rows of old ops with more slots, and a new one."""
    load, sin, cos, stop, log2 = (
        op_table.BY_NAME[name] for name in ("load_view_tko", "sin", "cos", "assert", "log2")
    )
    # Declared out of turn, so that it takes the versions to find the bits.
    urgency = Attribute("urgency", VarInt(), optional=True, since=V250_2)
    streaming = unit("streaming", since=V250_1)
    guard = optional("guard", TOKEN, since=V250_1)
    rounding = Attribute("rounding_mode", EnumValue(ROUNDING_MODE), since=V250_1, default="full")
    degree = Attribute("degree", VarInt(), optional=True, since=V250_1)
    exact = unit("exact", since=V250_2)
    token = Result("result_token", TOKEN, since=V250_1)
    return (
        TWIST,
        replace(
            load,
            attributes=(urgency, *load.attributes, streaming),
            operands=(*load.operands[:-1], guard, load.operands[-1]),
        ),
        replace(sin, attributes=(rounding,)),
        replace(cos, attributes=(exact, degree)),
        replace(stop, results=(token,)),
        replace(log2, results=(*log2.results, Result("error", TILE, since=V250_2))),
    )


@contextmanager
def future() -> Iterator[None]:
    """The tree with the future in it; afterwards it is as before."""
    old_cases = ROUNDING_MODE.cases
    changed = _what_changes()
    kept = [copy.copy(container) for container in changed]
    with pytest.MonkeyPatch.context() as patch:
        try:
            _versions(patch)
            _ops(patch)
            _enums()
            _types()
            _attributes(patch)
            _records(patch)
            forget()
            yield
        finally:
            object.__setattr__(ROUNDING_MODE, "cases", old_cases)
            for container, before in zip(changed, kept, strict=True):
                container.clear()
                (container.extend if isinstance(container, list) else container.update)(before)
    forget()


def forget() -> None:
    """Drop everything that was generated for a version."""
    codec.specialised.cache_clear()
    op_decoders.decoders_of.cache_clear()


def _what_changes() -> list:
    """The dicts, lists and sets of the tree that get more entries."""
    variants = [table for variant in VARIANTS for table in (variant.arms, variant.by_name)]
    records = [_fields(TYPE, "ptr"), _fields(DEBUG_RECORD, "DISubprogram")]
    records += [GLOBAL.subcons, PRODUCER.subcons]
    indices = [op_table.BY_NAME, op_table.BY_OPCODE, sections.BY_NAME, sections.BY_NUMBER]
    enum = [ROUNDING_MODE.by_name, ROUNDING_MODE.by_value]
    return [*variants, *records, *indices, *enum, SCALAR_BITS, INTEGER_TAGS, *_scalars()]


def _scalars() -> list:
    return [types._BITS, types._INTEGERS]


def _fields(variant: Variant, name: str) -> list:
    return variant.by_name[name].fields.subcons


def _everywhere(patch: pytest.MonkeyPatch, name: str, old: object, new: object) -> None:
    """Give a module-level name another value wherever it was imported, tests included."""
    ours = [m for path, m in sys.modules.items() if path.split(".")[0] in ("tileir", "tests")]
    for module in ours:
        if getattr(module, name, None) is old:
            patch.setattr(module, name, new)


def _versions(patch: pytest.MonkeyPatch) -> None:
    supported = (*version.SUPPORTED, V250_1, V250_2)
    _everywhere(patch, "SUPPORTED", version.SUPPORTED, supported)
    _everywhere(patch, "LATEST", version.LATEST, V250_2)


def _ops(patch: pytest.MonkeyPatch) -> None:
    for op in rows():
        wire.OP.arms.pop(op.opcode, None)
        wire.OP.by_name.pop(op.mnemonic, None)
        wire.add(op)
        op_table.BY_NAME[op.mnemonic] = op_table.BY_OPCODE[op.opcode] = op
    _everywhere(patch, "OPS", op_table.OPS, tuple(op_table.BY_OPCODE.values()))


def _enums() -> None:
    case = Case(8, "stochastic", "To either neighbour, by chance.", V250_1)
    object.__setattr__(ROUNDING_MODE, "cases", (*ROUNDING_MODE.cases, case))
    ROUNDING_MODE.by_name[case.name] = ROUNDING_MODE.by_value[case.value] = case


def _types() -> None:
    tag, name = 131, "i2"
    TYPE.add(name, tag, "2-bit integer.", since=V250_1)
    SCALAR_BITS[tag] = types._BITS[name] = 2
    INTEGER_TAGS.add(tag)
    types._INTEGERS.add(name)
    pointer = _fields(TYPE, "ptr")
    names = [field.name for field in pointer]
    old = pointer[names.index("flags")].subcon
    word = FlagWord("ptr_attr", "space", strict=True, since={"space": V250_1})
    pointer[names.index("flags")] = "flags" / Since(old.since, word)
    pointer.append("space" / Since(V250_1, If("flags", 2, VarInt())))


def _attributes(patch: pytest.MonkeyPatch) -> None:
    """A new kind of attribute, which takes an arm and words for what it means."""
    interval = ATTRIBUTE.add(
        "Interval", 14, "Bounds.", "low" / SignedVarInt(), "high" / SignedVarInt(), since=V250_1
    )
    known = tables.decode_attribute

    def decode_attribute(row: tuple, found: tables.Tables) -> object:
        return Bounded(*row[1:]) if row[0] == interval.tag else known(row, found)

    _everywhere(patch, "decode_attribute", known, decode_attribute)


def _records(patch: pytest.MonkeyPatch) -> None:
    """A new field, a field in another form, one that is gone, and a section."""
    _fields(DEBUG_RECORD, "DISubprogram").append("column" / Since(V250_1, LINE, default=0))
    names = [field.name for field in GLOBAL.subcons]
    alignment = Versioned((V13_1, VarInt()), (V250_1, Fixed(4)))
    GLOBAL.subcons[names.index("alignment")] = "alignment" / alignment
    edition = Versioned((V13_1, None), (V250_1, VarInt()), (V250_2, None))
    PRODUCER.subcons.append("edition" / edition)
    notes = sections.Section(
        "Notes", 8, 0, False, V250_1, Record("notes" / Counted(STRING_INDEX)), 6, "Remarks."
    )
    _everywhere(patch, "SECTIONS", sections.SECTIONS, (*sections.SECTIONS, notes))
    sections.BY_NAME[notes.name] = sections.BY_NUMBER[notes.number] = notes
