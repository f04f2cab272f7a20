"""The meaning of a field's value by itself, in one line: enum cases, flag bits, texts, numbers.

`annotate` adds what a value refers to (strings, types, values, locations), which depends on the
rest of the file.
"""

from __future__ import annotations

from tileir.formats import codec
from tileir.formats.container import ALIGNED
from tileir.formats.cursor import Slice, Span
from tileir.formats.leaves import EnumValue, FlagWord, WideInt
from tileir.formats.sections import BY_NUMBER
from tileir.formats.types import DYNAMIC
from tileir.messages.texts import decode_text, printable


def plain(span: Span) -> str:
    """Return the meaning of a leaf, as far as it depends on nothing but the leaf."""
    node, value = span.node, span.value
    if isinstance(node, EnumValue):
        return f"{int(value)} {node.enum.by_value[value].name}"
    if isinstance(node, FlagWord):
        return f"0x{int(value):x} {node.describe(value)}"
    match span.kind:
        case "section id":
            number = value & ~ALIGNED
            name = BY_NUMBER[number].name if number in BY_NUMBER else "unknown"
            return f"{number} {name if number else 'End'}" + (
                ", aligned" if value & ALIGNED else ""
            )
        case "opcode" | "type tag" | "debug tag" | "attribute tag":
            return f"{int(value)} {codec.name_of(span.kind, int(value))}"
        case "i64" if value == DYNAMIC:
            return "dynamic"
        case "text":
            return f'"{printable(decode_text(value.data))}"'
        case "bool":
            return "true" if value else "false"
        case "padding":
            return "padding"
        case "magic":
            return '"\\x7fTileIR\\0"'
        case "offset":
            return f"{int(value):#x}"
        case "list start":
            return f"indices from {int(value)}"
    if isinstance(value, Slice):
        return f"{len(value.data)} bytes"
    return str(int(value) if isinstance(value, WideInt) else value)
