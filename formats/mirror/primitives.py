"""The types of the mirror that belong to no field: numbers, padding, and what holds sections.

They are what leaves are in the tree, spelled in Kaitai's expression language. Two things shape the
arithmetic: JavaScript has no integers above 2^53 and shifts only 32 bits, so numbers are put
together by multiplying; Java has no unsigned 64-bit numbers, so a varint is put together as half
of itself, of which zigzag needs no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileir.formats.attributes import ScalarBits
from tileir.formats.container import ALIGNED
from tileir.formats.limits import MAX_VARINT_BYTES
from tileir.formats.sections import END, SECTIONS
from tileir.formats.types import INTEGER_TAGS, SCALAR_BITS

from .names import identifier

_FIRST_HALF = "_index == 0 ? 0.as<u8> : groups[_index - 1].half.as<u8>"
_WEIGHT = "_index < 2 ? 64.as<u8> : groups[_index - 1].weight.as<u8> * 128"

NUMBERS: dict[str, dict] = {
    "varint": {
        "-webide-representation": "{value:dec}",
        "doc": (
            "Unsigned LEB128 number of 64 bits: seven bits a byte, lowest first; bit 7 of a byte "
            f"says that another one follows. At most {MAX_VARINT_BYTES} bytes. More bytes than "
            "needed are fine, and bits above the 64th do not count."
        ),
        "doc-ref": "https://en.wikipedia.org/wiki/LEB128",
        "seq": [
            {
                "id": "groups",
                "type": f"group(_index.as<s4>, {_FIRST_HALF}, {_WEIGHT})",
                "repeat": "until",
                "repeat-until": "not _.has_next",
            }
        ],
        "instances": {
            "half": {
                "value": "groups.last.half.as<u8>",
                "doc": "The number without its lowest bit.",
            },
            "lowest": {"value": "(groups[0].bits % 2).as<u8>", "doc": "The lowest bit."},
            "value": {"value": "(half * 2 + lowest).as<u8>"},
        },
        "types": {
            "group": {
                "-webide-representation": "{bits:dec}",
                "params": [
                    {"id": "idx", "type": "s4"},
                    {"id": "previous", "type": "u8", "doc": "Half of the number so far."},
                    {"id": "weight", "type": "u8", "doc": "Half of what the lowest bit is worth."},
                ],
                "seq": [
                    {
                        "id": "byte_value",
                        "type": "u1",
                        "valid": {"expr": f"_ < 128 or idx < {MAX_VARINT_BYTES - 1}"},
                    }
                ],
                "instances": {
                    "has_next": {"value": "byte_value >= 128"},
                    "bits": {"value": "(byte_value % 128).as<u8>"},
                    "half": {
                        "value": (
                            "(idx == 0 ? (bits / 2).as<u8> : (previous + "
                            f"(idx == {MAX_VARINT_BYTES - 1} ? (bits % 2).as<u8> : bits) * weight)"
                            ".as<u8>).as<u8>"
                        )
                    },
                },
            }
        },
    },
    "varint32": {
        "-webide-representation": "{value:dec}",
        "doc": "A varint below 2^32.",
        "seq": [
            {"id": "number", "type": "varint", "valid": {"expr": "_.value < 4294967296.as<u8>"}},
        ],
        "instances": {"value": {"value": "number.value.as<u4>"}},
    },
    "signed_varint": {
        "-webide-representation": "{value:dec}",
        "doc": "A signed number as a varint by zigzag: 0, -1, 1, -2, ...",
        "seq": [{"id": "number", "type": "varint"}],
        "instances": {
            "value": {
                "value": (
                    "(number.lowest == 0 ? number.half.as<s8> : -(number.half.as<s8>) - 1).as<s8>"
                )
            }
        },
    },
    "padding": {
        "doc": (
            "Filler up to a multiple of `alignment` from the start of the payload (or of the file, "
            "between sections). Writers fill with 0xCB; readers do not look."
        ),
        "params": [{"id": "alignment", "type": "u8"}],
        "seq": [{"id": "fill", "size": "(alignment - _io.pos.as<u8> % alignment) % alignment"}],
    },
    "sized_bytes": {
        "doc": "A length and that many bytes.",
        "seq": [{"id": "length", "type": "varint"}, {"id": "data", "size": "length.value"}],
    },
    "text": {
        "-webide-representation": "{text}",
        "doc": "Bytes up to the end of the entry; UTF-8 by convention.",
        "seq": [{"id": "data", "size-eos": True}],
        "instances": {
            "text": {"pos": 0, "size-eos": True, "type": "str", "encoding": "UTF-8"},
        },
    },
    "raw_bytes": {
        "doc": "Bytes that are read again, as something else, when asked for.",
        "seq": [{"id": "data", "size-eos": True}],
    },
}


def ladder(cases: Mapping[int, object], subject: str, otherwise: object) -> str:
    """Return an expression that maps values of `subject`; equal results share a comparison."""
    groups: dict[object, list[int]] = {}
    for number, value in cases.items():
        groups.setdefault(value, []).append(number)
    text = str(otherwise)
    for value, numbers in reversed(groups.items()):
        text = f"{among(subject, numbers)} ? {value} : {text}"
    return f"({text})"


def among(subject: str, numbers: list[int]) -> str:
    """Return the condition that `subject` is one of the numbers, with few comparisons."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    terms = []
    for low, high in ranges:
        if low == high:
            terms.append(f"{subject} == {low}")
        elif low == 0:
            terms.append(f"{subject} <= {high}")
        else:
            terms.append(f"({subject} >= {low} and {subject} <= {high})")
    return terms[0] if len(terms) == 1 else f"({' or '.join(terms)})"


def bits(node: ScalarBits) -> tuple[str, dict]:
    """Return name and type of a number attribute's value; its parameter is the width in bits."""
    widths = {
        width: tag for tag, width in SCALAR_BITS.items() if (tag in INTEGER_TAGS) == node.integer
    }
    small = sorted(width for width in widths if node.leaf(width) is node.byte)
    large = sorted(width for width in widths if node.leaf(width) is node.number)
    one_byte = among("width", small)
    most = {width: 1 << width - node.integer for width in large}  # of half the varint
    fits = " or ".join(
        ["width == 64"] + [f"(width == {w} and _.half < {most[w]}.as<u8>)" for w in large if w < 64]
    )
    if node.integer:
        byte_rule, byte_value = {}, "(byte_value != 0 ? 1 : 0)"
        value = "number.value"
        doc = "Integers: i1 takes a byte, others a varint of the zero-extended pattern."
    else:
        rules = " or ".join(f"(width == {width} and _ <= {(1 << width) - 1})" for width in small)
        byte_rule, byte_value = {"valid": {"expr": rules}}, "byte_value"
        fits = f"width == 64 or (_.lowest == 0 and ({fits}))"
        value = "(excess > 1 ? wide : number.lowest == 0 ? number.half : last - number.half)"
        doc = (
            "Floats: up to 8 bits take a byte, others a zigzag varint of the pattern read as a "
            "signed 64-bit number. cuTile 1.7.0 does not wrap a negative f64 to 64 bits, so that "
            "65 bits arrive; NVIDIA's readers lose the sign then, here the value is what was meant."
        )
    made: dict[str, Any] = {
        "-webide-representation": "{value:hex}",
        "doc": f"The bit pattern of a number of `width` bits. {doc}",
        "params": [{"id": "width", "type": "s4", "doc": "Of the type it names; 0 is an error."}],
        "seq": [
            {"id": "byte_value", "type": "u1", "if": one_byte, **byte_rule},
            {"id": "number", "type": "varint", "if": f"not {one_byte}", "valid": {"expr": fits}},
        ],
        "instances": {"value": {"value": f"({one_byte} ? {byte_value}.as<u8> : {value}).as<u8>"}},
    }
    if not node.integer:
        tenth = MAX_VARINT_BYTES - 1
        made["instances"] |= {
            "excess": {
                "value": (
                    f"(number.groups.size > {tenth} ? number.groups[{tenth}].bits : 0.as<u8>)"
                    ".as<u8>"
                ),
                "doc": "Bits 63 and up, as they were written.",
            },
            "last": {"value": "18446744073709551615.as<u8>", "doc": "2^64 - 1"},
            "wide": {
                "value": (
                    f"(number.half + (excess / 2 % 2) * (number.groups[{tenth}].weight * 2)).as<u8>"
                ),
                "doc": "A pattern of 64 bits that was doubled.",
            },
        }
    return ("integer_bits" if node.integer else "float_bits"), made


def widths_of_types() -> dict[str, dict]:
    """Return the instances of a type record for the width of its numbers."""
    made = {}
    for name, integer in (("integer_width", True), ("float_width", False)):
        cases = {t: bits for t, bits in SCALAR_BITS.items() if (t in INTEGER_TAGS) == integer}
        kind = "an integer" if integer else "a floating-point"
        made[name] = {
            "value": f"{ladder(cases, 'tag.value', 0)}.as<s4>",
            "doc": f"Bits of {kind} type, 0 for other types.",
        }
    return made


def section(payloads: dict[str, str]) -> dict:
    """Return the section record; `payloads` has the type of each kind's payload."""
    plain = [s.number for s in SECTIONS if not s.alignment]
    allowed = [END.number, *plain, *(s.number | ALIGNED for s in SECTIONS)]
    least = {s.number: s.alignment for s in SECTIONS if s.alignment}
    types = next(s.number for s in SECTIONS if s.name == "Type")
    power_of_two = "(_.value & below_alignment) == 0"
    return {
        "-webide-representation": "{kind}",
        "doc": "A numbered part of the file, or the end marker, which is a single 0.",
        "params": [{"id": "idx", "type": "s4"}],
        "seq": [
            {
                "id": "id",
                "type": "u1",
                "valid": {"any-of": sorted(allowed)},
                "doc": "Kind of section in bits 0 to 6; bit 7 announces an alignment.",
            },
            {
                "id": "length",
                "type": "varint",
                "if": "not is_end",
                "doc": "Size of the payload in bytes.",
            },
            {
                "id": "alignment",
                "type": "varint",
                "if": "is_aligned",
                "valid": {
                    "expr": f"_.value > 0 and {power_of_two} and _.value % least_alignment == 0"
                },
                "doc": "A power of two.",
            },
            {"id": "padding", "type": "padding(alignment.value)", "if": "is_aligned"},
            {"id": "raw", "type": "raw_bytes", "size": "length.value", "if": "not is_end"},
        ],
        "instances": {
            "is_end": {"value": f"id == {END.number}"},
            "is_aligned": {"value": f"id >= {ALIGNED}"},
            "kind": {"value": f"id % {ALIGNED}", "enum": "section_kind"},
            "below_alignment": {"value": "(alignment.value - 1).as<u8>", "if": "is_aligned"},
            "least_alignment": {"value": f"{ladder(least, f'id % {ALIGNED}', 1)}.as<u8>"},
            "index_of_types": {
                "value": (
                    f"(id % {ALIGNED} == {types} ? idx : idx == 0 ? (-1).as<s4> : "
                    "_root.sections[idx - 1].index_of_types.as<s4>).as<s4>"
                ),
                "doc": "Position of the last Type section so far, -1 if there was none.",
            },
            "payload": {
                "io": "raw._io",
                "pos": 0,
                "if": "not is_end",
                "type": {
                    "switch-on": "kind",
                    "cases": {
                        f"section_kind::{identifier(name, 'section')}": payload
                        for name, payload in payloads.items()
                    },
                },
                "doc": "Read when asked for, so that it may look at the types, wherever they are.",
            },
        },
    }


def table(index_size: int, slot: str) -> dict:
    """Return the type of an offset table with offsets of `index_size` bytes and slots of a type."""
    return {
        "doc": (
            "Entries found by offsets into the bytes after the offsets. An entry runs to where the "
            "next begins, or to the end where that is not further on; an offset beyond the end "
            "means the end."
        ),
        "seq": [
            {"id": "count", "type": "varint"},
            {"id": "padding", "type": f"padding({index_size})", "if": "count.value != 0"},
            {
                "id": "offsets",
                "type": f"u{index_size}",
                "repeat": "expr",
                "repeat-expr": "count.value",
            },
            {"id": "raw", "type": "raw_bytes", "size-eos": True},
        ],
        "instances": {
            "slots": {
                "type": f"{slot}(_index.as<s4>)",
                "repeat": "expr",
                "repeat-expr": "count.value",
            }
        },
    }


def slot(index_size: int, entry: str) -> dict:
    """Return the type of a slot: the bounds of an entry, and the entry of type `entry`."""
    cast = f".as<u{index_size}>"
    following = "idx + 1 < _parent.offsets.size.as<s4> ? _parent.offsets[idx + 1] : limit"
    return {
        "doc": "Where an entry lies, counted from the first byte after the offsets, and the entry.",
        "params": [{"id": "idx", "type": "s4"}],
        "instances": {
            "limit": {"value": f"_parent.raw.data.length{cast}"},
            "offset": {"value": "_parent.offsets[idx]"},
            "following": {"value": f"({following}){cast}"},
            "start": {"value": f"(offset < limit ? offset : limit){cast}"},
            "end": {
                "value": (f"(following >= offset and following <= limit ? following : limit){cast}")
            },
            "entry": {
                "io": "_parent.raw._io",
                "pos": "start",
                "size": "end - start",
                "type": entry,
            },
        },
    }


def padded_list(item: str, size: int) -> dict:
    """Return the type of a count, padding to the size of an item, and that many items."""
    return {
        "seq": [
            {"id": "count", "type": "varint"},
            {"id": "padding", "type": f"padding({size})"},
            {"id": "items", "type": item, "repeat": "expr", "repeat-expr": "count.value"},
        ]
    }
