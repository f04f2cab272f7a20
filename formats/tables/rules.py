"""The prose of `TABLES.md`: rules that hold for all records."""

from __future__ import annotations

from tileir.formats.leaves import FILL
from tileir.formats.limits import MAX_VARINT_BYTES
from tileir.formats.types import DYNAMIC, INTEGER_TAGS, SCALAR_BITS, TYPE
from tileir.formats.version import LATEST, SUPPORTED

from .grid import grid

_NAMES = {tag: TYPE.arms[tag].name for tag in SCALAR_BITS}


def _widths(integer: bool) -> str:
    """Return the number types of a kind with their width in bits."""
    rows = [tag for tag in SCALAR_BITS if (tag in INTEGER_TAGS) == integer]
    return ", ".join(f"{_NAMES[tag]} {SCALAR_BITS[tag]}" for tag in rows)


_WORDS = (
    ("u8, u16, u32, u64, i32, i64", "a number of that many bits"),
    (
        "varint",
        "unsigned LEB128: seven bits a byte, lowest first; bit 7 announces another byte",
    ),
    ("svarint", "a signed number n as the varint 2n, or -2n-1 where n is negative (zigzag)"),
    ("bool", "a byte; anything but 0 is true"),
    ("flags", "a varint of bits (or a u8 where it says so); the meaning lists them"),
    ("string, type, constant index", "a varint: an entry of that table, from 0"),
    ("debug list, debug record index", "a varint, from 1; 0 is none"),
    ("value", "a varint: the number of a value, see [Numbers of values](#numbers-of-values)"),
    ("X x 3", "three X"),
    ("X[]", "a varint n, then n times X"),
    ("padded X[]", "a varint n, padding to the size of X, then n times X"),
    ("(a: X, b: Y)", "a record in place"),
    ("inner i32", "an i32 that is neither end of the range"),
    ("data", "a varint n, then n bytes"),
    ("sized ops", "a varint n, then n bytes of ops, one after the other"),
    ("table", "see [Tables with offsets](#tables-with-offsets)"),
    (
        "attribute, type record, debug record, op",
        "a varint, the tag (of an op: the opcode), which selects the fields",
    ),
    ("an enum's name", "a varint: one of its cases"),
)
"""The words of the column *layout*."""

_NUMBERS = (
    ("i1", "u8, anything but 0 is 1"),
    (
        "other integers",
        "varint: the bits of the number read as unsigned; -1 of an i32 is `ff ff ff ff 0f`",
    ),
    ("floats of up to 8 bits", "u8: the bits"),
    (
        "other floats",
        "svarint: the bits read as a signed 64-bit number; f32 1.0 is the varint 2 * 0x3f800000",
    ),
)
"""The layout of an attribute's number, by type."""

WORDS = "\n".join(grid(("word", "bytes"), _WORDS)).strip()
NUMBERS = "\n".join(grid(("type", "bytes"), _NUMBERS)).strip()

HEAD = f"""\
# CUDA Tile IR bytecode {SUPPORTED[0]} to {LATEST}: the tables

<!-- Printed from the Construct tree: python -m tileir.formats.tables. Do not edit. -->

What a reader in any language needs to know about the public format: the rules first, then every
record, field by field in the order of the bytes. [tileir.ksy](tileir.ksy) says the same to
Kaitai Struct.

## How to read the tables

A record is its fields one after the other, without alignment. All fixed-size numbers are
little-endian. Words in the column *layout*:

{WORDS}

The column *when* says where a field is there only sometimes: `13.4+` means in files of version
13.4 and later, *`flags` bit 0* means when that bit of the record's field `flags` is set. Both
have to hold. Where it is empty the field is always there. *Only its bit* is a field without
bytes: true where its bit is set.

The version is that of the file's header. A field, tag, op or enum case that is newer than the
file does not exist in it: a field is skipped, everything else is an error. There is nothing to
skip an unknown tag or op by.

A varint has at most {MAX_VARINT_BYTES} bytes. Longer forms than needed are legal, bits above the
64th do not count. Indices, enum values, tags and opcodes are below 2^32.

Padding fills up to a multiple, counted from the first byte of the section's payload. Writers
fill with `{FILL:#x}`, readers do not look.

## The file

    file    = header section* u8=0
    section = u8 id   varint length   [varint alignment   padding]   payload

The alignment and padding are there when bit 7 of the id is set. This padding counts from the
start of the file, so that the payload starts at a multiple of the alignment, a power of two. The
length is that of the payload alone. Sections may stand in any order; of several of one kind the
last counts. Unknown ids are an error. The 0 after the last section is the last byte of the file.

Reading the payloads in the order String, Type, Constant, Global, Func, Debug never needs
anything that was not read before. Bytes after the last field of a payload or of a table's entry
do not count.
"""

AFTER_SECTIONS = f"""\
### Tables with offsets

    table = varint n   padding   offset[n]   bytes to the end of the payload

Padding and offsets have the size that is given, 32 or 64 bits. Where n is 0, nothing else
counts, not even padding. Offsets count from the first byte after the last offset. Entry i
reaches from offset i to offset i+1, the last one to the end. Writers put entries back to back
from offset 0. Readers accept more: an offset beyond the end means the end, and where the next
offset is smaller, or beyond the end, the entry reaches to the end.

Entries are read when something refers to them; a broken one that nothing uses is no error.
Strings have no terminator. They are UTF-8 by convention.

### Constants

An entry of the Constant section has no type; what refers to it gives a tile type. The elements
lie in row-major order, little-endian, each in the fewest whole bytes (tf32 three; a 4-bit type
one, in its low bits). Only i1 is packed, eight to a byte, first in the lowest bit. Data of the
size of one element is that element everywhere; so is, for more than eight i1, a single byte,
where not 0 is true, and, for exactly eight, 00 or ff.

Widths in bits. Integers: {_widths(True)}. Floats: {_widths(False)}.

The extent or stride {DYNAMIC} in a type means that it is dynamic.
"""

AFTER_ATTRIBUTES = f"""\
### Numbers in attributes

The only place where the layout depends on another section: the size of the number follows from
the width of the type it names.

{NUMBERS}

cuTile 1.7.0 writes a negative f64 as the varint 2 * bits without wrapping it to 64 bits, so the
tenth byte is 2 or 3. NVIDIA's readers drop bits above the 64th and so lose the sign; to get what
was meant, halve all the bits that are there.

### Hints

Optimization hints are two levels: an architecture such as `sm_90`, or `default`, to a Dictionary
attribute of hint names. They never change a result.
"""

AFTER_DEBUG = """\
A function with location index k > 0 has the list that starts at element starts[k-1] of
`indices`. The list has the function's own location, then one for each of its ops in pre-order:
an op before the ops in its regions. Elements of `indices`, and references between records, are
numbers of records from 1; 0 is unknown.
"""

OPS_HEAD = """\
## Ops

### An op's bytes

    op     = varint opcode   result types   [flags]   attributes   operands   [regions]
    region = block[]
    block  = type index[] of its arguments   op[]

The tables below have all this applied; it is what makes a new op predictable.

* **Results.** Every op names the type of each result. The types are counted (`type index[]`)
  when a list of any number of values is among the operands or results of the op, otherwise there
  are as many as the op has results.
* **Flags.** A bit for each optional attribute and, where operands stand slot by slot, for each
  optional operand. Bits are given out by version, then attributes before operands, then as
  declared. In files older than the first bit there is no flags field. Unknown bits are ignored.
* **Attributes** in the order declared. They have no tag, unless the layout is *attribute*.
* **Operands.** Where every slot takes one value: one value each. Where one slot takes any
  number, or may be absent, and all others take one value: `all_operands`, one list with the
  values of all slots, in their order; what remains after the others is for that slot. Where
  several slots do, each slot stands on its own: a list with its own count, an optional value
  when its bit is set.
* **Regions.** Their number, which is the op's, then each region. Writers give a region one
  block, or none where it may be empty. The last op of a block ends it.
* **Text.** *As text* is how NVIDIA's disassembler spells the op after its results: `{slot}` is a
  slot's value, `{slot:type}` its type, `[...]` is left out when the first slot in it is absent or
  has its default; `[[`, `]]`, `{{` and `}}` are the characters. `:common` is one type where all are
  equal. Ops that hold regions have a syntax of their own.

### Numbers of values

The parameters of a function are the values 0, 1, 2 and so on. From there each result takes the
next number, in the order of the file. A block's arguments take the next numbers when it begins,
then its ops go on from there. When it ends, its numbers are given back; so regions beside each
other use the same ones, and the results of their op come after, from the number the block's
first argument had. An operand's number is below the next one: of a value that is already there
and still in sight.

### An example

`02 0a 00 00 1a 1d` in a function of a 13.4 file is opcode 2, [addf](#addf): one result type, 10;
flags 0; rounding mode 0, nearest_even; operands 26 and 29. If it is the op that follows the one
that defined %30, its result is %31.

### All of them
"""
