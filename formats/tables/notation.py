"""The notation for layouts, in the few words that `TABLES.md` explains at its top."""

from __future__ import annotations

from functools import singledispatch

from construct import Construct

from tileir.formats.attributes import ATTRIBUTE, ListedInt, ScalarBits
from tileir.formats.container import SectionList, VersionPair, VersionTag
from tileir.formats.debug import DEBUG, DEBUG_RECORD, FixedList
from tileir.formats.functions import EXTERN_IMPL, FUNCTION
from tileir.formats.leaves import (
    Bool,
    Bytes,
    Const,
    EnumValue,
    Fixed,
    FlagWord,
    Index,
    SignedVarInt,
    SizedBytes,
    VarInt,
)
from tileir.formats.mirror.gates import Option
from tileir.formats.nodes import Counted, Flag, Record, Sized, Variant
from tileir.formats.ops.wire import OP, Regions, Repeat
from tileir.formats.sections import GLOBAL
from tileir.formats.table import Table
from tileir.formats.types import TYPE, Extension
from tileir.formats.version import V13_1

PAGES = {
    id(node): name
    for node, name in (
        (OP, "[op](#ops)"),
        (TYPE, "[type record](#types)"),
        (ATTRIBUTE, "[attribute](#attributes)"),
        (DEBUG_RECORD, "[debug record](#debug-records)"),
        (GLOBAL, "[global](#globals)"),
        (FUNCTION, "[function](#functions)"),
        (EXTERN_IMPL, "[implementation](#implementations)"),
        (DEBUG, "[debug](#debug)"),
    )
}
"""Nodes with a page of their own."""


@singledispatch
def layout(node: Construct) -> str:
    """Return the layout of a node in words."""
    raise TypeError(f"no words for {node!r}")


@layout.register
def _(node: Const) -> str:
    return f"`{node.data.hex(' ')}`"


@layout.register
def _(node: VersionPair) -> str:
    return "u8 major, u8 minor"


@layout.register
def _(node: VersionTag) -> str:
    return layout(node.number)


@layout.register
def _(node: VarInt) -> str:
    return "varint"


@layout.register
def _(node: SignedVarInt) -> str:
    return "svarint"


@layout.register
def _(node: Index) -> str:
    return "value" if node.target == "value" else f"{node.target} index"


@layout.register
def _(node: Fixed) -> str:
    return f"{'i' if node.signed else 'u'}{8 * node.size}"


@layout.register
def _(node: ListedInt) -> str:
    return "inner i32"


@layout.register
def _(node: Bool) -> str:
    return "bool"


@layout.register
def _(node: EnumValue) -> str:
    return f"[{node.enum.name}](#{node.enum.name.lower()})"


@layout.register
def _(node: FlagWord) -> str:
    return "flags, u8" if isinstance(node.number, Fixed) else "flags"


@layout.register
def _(node: Extension) -> str:
    return f"{layout(node.subcon)}, if the record has more bytes"


@layout.register
def _(node: Bytes) -> str:
    return "bytes to the end"


@layout.register
def _(node: SizedBytes) -> str:
    return "data"


@layout.register
def _(node: ScalarBits) -> str:
    return f"[{'integer' if node.integer else 'float'} bits](#numbers-in-attributes)"


@layout.register
def _(node: Variant) -> str:
    return PAGES[id(node)]


@layout.register
def _(node: Record) -> str:
    if id(node) in PAGES:
        return PAGES[id(node)]
    return f"({', '.join(f'{field.name}: {layout(field.subcon)}' for field in node.subcons)})"


@layout.register
def _(node: Counted) -> str:
    return f"{layout(node.subcon)}[]"


@layout.register
def _(node: Repeat) -> str:
    return f"{layout(node.subcon)} x {node.count}" if node.count else "nothing"


@layout.register
def _(node: Regions) -> str:
    return "region[]"


@layout.register
def _(node: Sized) -> str:
    return "sized ops"


@layout.register
def _(node: FixedList) -> str:
    return f"padded {layout(node.item)}[]"


@layout.register
def _(node: Table) -> str:
    return f"table, {8 * node.index_size} bits, of {layout(node.subcon)}"


@layout.register
def _(node: SectionList) -> str:
    return "[section](#sections)..., u8 0"


def when(choices: list[Option], base=V13_1) -> str:
    """Return the versions and bits for which a field is present; empty if it always is.

    `base` is the version that introduced what the field belongs to.
    """
    texts = []
    for option in choices:
        terms = []
        if option.since > base:
            terms.append(f"{option.since}{'' if option.since.preview else '+'}")
        if option.until is not None:
            terms.append(f"before {option.until}")
        terms += [bit(*bits) for bits in option.bits]
        texts.append(", ".join(terms))
    return "; or ".join(text for text in texts if text)


def bit(name: str, mask: int, clear: bool) -> str:
    """Return the condition that the field `name` has the bit of a mask, or any of a whole byte.

    If `clear`, it is the condition that it has none of the bits.
    """
    if clear:
        numbers = [str(number) for number in range(mask.bit_length()) if mask >> number & 1]
        return f"not `{name}` bit {' or '.join(numbers)}"
    if mask & (mask - 1):
        return f"`{name}` not 0"
    return f"`{name}` bit {mask.bit_length() - 1}"


def owns_bytes(node: Construct) -> bool:
    """Whether a field of that layout can take any bytes."""
    if isinstance(node, Repeat):
        return node.count > 0
    return not isinstance(node, Flag)
