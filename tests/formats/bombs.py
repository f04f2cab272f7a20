"""Files that are small and would be dear: counts, depths and lengths that promise too much, and
things of some size that very many others share.

`COUNTS` holds what comes before a count and what would follow it, by where the count is.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from tileir.formats.limits import MAX_RANK
from tileir.formats.ops import BY_NAME

from .small import EMPTY_SIGNATURE, RETURN, YIELD, debug, file, kernel, padding, table, varint

I1, TILE, FUNCTION, I32 = range(4)
TYPES = (b"\x00", b"\x0d\x00\x00", b"\x10\x01\x01\x00", b"\x03")
"""i1, tile<i1>, (tile<i1>) -> (), i32."""

SOURCE_FILE, UNIT = b"\x02\x00\x00", b"\x01\x01"
SUBPROGRAM, POSITION = b"\x05\x01\x01\x00\x00\x02\x01", b"\x04\x03\x00\x01\x01"
SOURCE = [SOURCE_FILE, UNIT, SUBPROGRAM, POSITION]
"""Debug records 1 to 4: a file, a compile unit, a subprogram, a position in it."""


def opcode(name: str) -> bytes:
    """An opcode as it is written."""
    return varint(BY_NAME[name].opcode)


def module(body: bytes = RETURN, hints: bytes = b"", version: tuple[int, int] = (13, 4)) -> bytes:
    """A file with one kernel of one i1 parameter."""
    return file(*kernel(TYPES, body, signature=FUNCTION, hints=hints), version=version)


def using_type(entry: bytes) -> bytes:
    """A file whose kernel has a parameter of the given type."""
    types = (b"\x03", entry, b"\x10\x01\x01\x00", b"\x0e\x00\x00\x00\x00")
    return file(*kernel(types, signature=2))


def with_debug(payload: bytes) -> bytes:
    """A file with that debug section."""
    return file(*kernel([EMPTY_SIGNATURE], location=1), (3, 8, payload))


def with_table(number: int, payload: bytes) -> bytes:
    """A file in which a String, Type or Constant section is the given bytes."""
    sections = {section[0]: section for section in kernel([EMPTY_SIGNATURE])}
    sections[number] = (number, 8 if number == 4 else 4, payload)
    order = (1, 5, 4, 2)
    return file(*(sections[key] for key in order if key in sections))


def with_functions(payload: bytes) -> bytes:
    """A file in which the Func section is the given bytes."""
    return file(*kernel(TYPES)[:2], (2, 8, payload))


def nested_ifs(
    depth: int,
    inner: bytes = YIELD,
    condition: bytes = b"\x00",
    count: Callable[[int], bytes] = varint,
) -> bytes:
    """A body of `depth` ifs inside each other, without else; `inner` ends the innermost one."""
    opening = opcode("if") + b"\x00" + condition + b"\x02\x01\x00"
    outer, last = opening + count(2), opening + count(1)
    return outer * (depth - 1) + last + inner + (b"\x00" + YIELD) * (depth - 1) + b"\x00" + RETURN


def nested_arrays(depth: int) -> bytes:
    """Hints that hold `depth` arrays inside each other."""
    return b"\x0b\x01\x01\x0a\x01\x01" + b"\x06\x01" * (depth - 1) + b"\x06\x00"


def nested_dictionaries(depth: int) -> bytes:
    """Hints that hold `depth` dictionaries inside each other."""
    return b"\x0b\x01\x01" + b"\x0a\x01\x01" * (depth - 1) + b"\x0a\x00"


def pointers(depth: int) -> bytes:
    """A type chain: pointers to pointers."""
    types = [b"\x03", *(b"\x0c\x00" + varint(index) for index in range(depth))]
    types.append(b"\x10\x01" + varint(depth) + b"\x00")
    return file(*kernel(types, signature=depth + 1))


def call_sites(depth: int) -> bytes:
    """A chain of inlined calls that the kernel is at the end of."""
    calls = [b"\x06" + varint(number) + varint(4) for number in range(4, depth + 4)]
    return file(*kernel([EMPTY_SIGNATURE], location=1), debug(SOURCE + calls))


def lexical_blocks(depth: int) -> bytes:
    """Scopes inside scopes, and a position in the innermost one."""
    blocks = [b"\x03" + varint(number) + b"\x01\x01\x01" for number in range(3, depth + 3)]
    end = b"\x04" + varint(depth + 3) + b"\x00\x01\x01"
    return file(*kernel([EMPTY_SIGNATURE], location=1), debug([*SOURCE[:3], *blocks, end]))


DEPTHS: dict[str, Callable[[int], bytes]] = {
    "regions": lambda depth: module(nested_ifs(depth)),
    "arrays": lambda depth: module(hints=nested_arrays(depth)),
    "dictionaries": lambda depth: module(hints=nested_dictionaries(depth)),
    "types": pointers,
    "call sites": call_sites,
    "lexical blocks": lexical_blocks,
}
"""What can be nested -> the file with so many levels of it."""


def _hints(before: bytes) -> Callable[[bytes], bytes]:
    return lambda count: module(hints=before + count)


def _body(before: bytes) -> Callable[[bytes], bytes]:
    return lambda count: module(before + count)


def _type(before: bytes) -> Callable[[bytes], bytes]:
    return lambda count: using_type(before + count)


def _length(number: int, alignment: int) -> Callable[[bytes], bytes]:
    def made(count: bytes) -> bytes:
        data = module()[:-1] + bytes((number | 128,)) + count + varint(alignment)
        return data + padding(len(data), alignment)

    return made


_IF = opcode("if") + b"\x00\x00\x02"

COUNTS: dict[str, Callable[[bytes], bytes]] = {
    "shape of a tile": _type(b"\x0d\x00"),
    "shape of a tensor view": _type(b"\x0e\x00\x00"),
    "strides of a tensor view": _type(b"\x0e\x00\x00\x00"),
    "tile of a partition view": _type(b"\x0f\x00"),
    "dimension map of a partition view": _type(b"\x0f\x00\x00\x03"),
    "tile of a gather view": _type(b"\x14\x00"),
    "tile of a strided view": _type(b"\x15\x00"),
    "steps of a strided view": _type(b"\x15\x00\x00"),
    "parameters of a signature": _type(b"\x10"),
    "results of a signature": _type(b"\x10\x00"),
    "result types of an op": _body(opcode("return")),
    "operands of an op": _body(opcode("return") + b"\x00"),
    "operands of a slot": _body(opcode("make_tensor_view") + b"\x01\x03\x00"),
    "regions of an op": _body(opcode("if") + b"\x00\x00"),
    "blocks of a region": _body(_IF),
    "arguments of a block": _body(_IF + b"\x01"),
    "ops of a block": _body(_IF + b"\x01\x00"),
    "numbers of a list": _body(opcode("permute") + b"\x01"),
    "attributes of a list": _body(opcode("reduce") + b"\x01\x01\x00"),
    "elements of an array": _hints(b"\x0b\x01\x01\x06"),
    "entries of a dictionary": _hints(b"\x0b\x01\x01\x0a"),
    "entries of hints": _hints(b"\x0b"),
    "groups of same_elements": _hints(b"\x09"),
    "functions": with_functions,
    "globals": lambda count: file(*kernel([EMPTY_SIGNATURE]), (6, 0, count)),
    "debug starts": lambda count: with_debug(count + b"\xcb" * 12),
    "debug indices": lambda count: with_debug(b"\x00\xcb\xcb\xcb" + count + b"\xcb" * 12),
    "debug records": lambda count: with_debug(b"\x00\xcb\xcb\xcb\x00\xcb\xcb\xcb" + count),
    "strings": lambda count: with_table(1, count + b"\xcb" * 12),
    "types": lambda count: with_table(5, count + b"\xcb" * 12),
    "constants": lambda count: with_table(4, count + b"\xcb" * 12),
    "length of a section": _length(6, 8),
    "length of a body": lambda count: with_functions(b"\x01\x00\x02\x02\x00" + count + RETURN),
}
"""Where a count or a length is -> the file in which it is the given varint."""


def bad_offset(number: int, offset: int) -> bytes:
    """A file in which the second entry of a table begins at `offset`."""
    size = 8 if number == 4 else 4
    entries = {1: b"kern", 5: EMPTY_SIGNATURE, 4: b"\x01\x00"}[number] * 2
    payload = b"\x02" + b"\xcb" * (size - 1)
    payload += (0).to_bytes(size, "little") + offset.to_bytes(size, "little") + entries
    return with_table(number, payload)


def long_constant() -> bytes:
    """A file whose one constant claims 2^63 bytes."""
    data = varint(1 << 63)
    payload = b"\x01" + b"\xcb" * 7 + (0).to_bytes(8, "little") + data
    return with_table(4, payload)


# Shared -------------------------------------------------------------------------------------


def long_string_in_attributes() -> bytes:
    """An array that names one string of 30,000 bytes 15,000 times."""
    text = (1, 4, table([b"k", b"x" * 30_000]))
    hints = b"\x0b\x01\x00\x0a\x01\x00\x06" + varint(15_000) + b"\x05\x01" * 15_000
    _, types, functions = kernel(TYPES, signature=FUNCTION, hints=hints)
    return file(text, types, functions)


def long_name_in_locations() -> bytes:
    """2,000 ops at a position in a file whose name has 20,000 bytes."""
    _, types, functions = kernel([EMPTY_SIGNATURE], RETURN * 2000, location=1)
    return file((1, 4, table([b"x" * 20_000])), types, functions, debug(SOURCE, ops=2000))


def long_type_of_values() -> bytes:
    """A parameter whose type has the greatest rank, and an op that takes it 30,000 times."""
    shape = varint(MAX_RANK) + struct.pack("<q", 1) * MAX_RANK
    types = (b"\x03", b"\x0d\x00" + shape, b"\x10\x01\x01\x00")
    body = opcode("return") + b"\x00" + varint(30_000) + b"\x00" * 30_000
    return file(*kernel(types, body, signature=2))


def long_type_in_a_slot() -> bytes:
    """The same value 30,000 times where only scalars may stand."""
    shape = varint(MAX_RANK) + struct.pack("<q", 1) * MAX_RANK
    view = b"\x0e\x00\x00\x00\x00"
    types = (b"\x03", b"\x0d\x00" + shape, b"\x10\x01\x01\x00", view)
    sizes = varint(30_000) + b"\x00" * 30_000
    body = opcode("make_tensor_view") + b"\x01\x03\x00" + sizes + b"\x00" + RETURN
    return file(*kernel(types, body, signature=2))


def broken_type_in_types() -> bytes:
    """A tile of the greatest rank, its last extent no power of two, and 5,000 pointers to it."""
    shape = varint(MAX_RANK) + struct.pack("<q", 1) * (MAX_RANK - 1) + struct.pack("<q", 3)
    types = [EMPTY_SIGNATURE, b"\x03", b"\x0d\x01" + shape, *[b"\x0c\x00\x02"] * 5000]
    return file(*kernel(types))


def chain_of_unused_types() -> bytes:
    """8,000 pointers, each to the next one."""
    return file(*kernel([EMPTY_SIGNATURE, *(b"\x0c\x00" + varint(n + 2) for n in range(8000))]))


def circle_of_unused_types() -> bytes:
    """8,000 pointers, each to the next one, the last to the first."""
    numbers = [*range(2, 8001), 1]
    return file(*kernel([EMPTY_SIGNATURE, *(b"\x0c\x00" + varint(n) for n in numbers)]))


def malformed_type_in_types() -> bytes:
    """A type that cannot be read, and 8,000 pointers to it."""
    return file(*kernel([EMPTY_SIGNATURE, b"\x7f", *[b"\x0c\x00\x01"] * 8000]))


def calls_that_come_from_nowhere() -> bytes:
    """A chain of 6,000 inlined calls that nothing uses and that begins at no record."""
    calls = [b"\x06" + varint(number) + varint(4) for number in range(5, 6005)]
    records = [*SOURCE, b"\x06" + varint(9000) + varint(4), *calls, POSITION]
    return file(*kernel([EMPTY_SIGNATURE], location=1), debug(records))


def enormous_tile() -> bytes:
    """A tile of 2^15,000 elements."""
    return using_type(b"\x0d\x00" + varint(MAX_RANK) + struct.pack("<q", 1 << 62) * MAX_RANK)


def many_debug_lists() -> bytes:
    """2,000 functions, each with a debug list of its own."""
    count = 2000
    entry = b"\x00\x00\x02"
    functions = b"".join(
        entry + varint(number + 1) + varint(len(RETURN)) + RETURN for number in range(count)
    )
    starts = varint(count)
    starts += padding(len(starts), 4) + struct.pack(f"<{count}I", *range(0, 2 * count, 2))
    starts += varint(2 * count)
    starts += padding(len(starts), 8) + struct.pack(f"<{2 * count}Q", *[4] * (2 * count))
    records = table(SOURCE, before=len(starts))
    text, types, _ = kernel([EMPTY_SIGNATURE])
    return file(text, types, (2, 8, varint(count) + functions), (3, 8, starts + records))


def overlong_all_the_way_down() -> bytes:
    """2,900 nested regions with a warning at every level, whose paths are as long as they go."""
    return module(
        nested_ifs(2900, condition=b"\x80\x00", count=lambda number: bytes((number | 128, 0)))
    )


def lost_at_the_bottom() -> bytes:
    """2,900 nested regions, and at the bottom a value that nothing defines."""
    return module(nested_ifs(2900, inner=opcode("yield") + b"\x00\x01\x77"))


def cut_off_at_the_bottom() -> bytes:
    """2,900 nested regions, and at the bottom an opcode that does not exist."""
    return module(nested_ifs(2900, inner=b"\x7e\x00\x00"))


SHARED: dict[str, Callable[[], bytes]] = {
    made.__name__.replace("_", " "): made
    for made in (
        long_string_in_attributes,
        long_name_in_locations,
        long_type_of_values,
        long_type_in_a_slot,
        broken_type_in_types,
        chain_of_unused_types,
        circle_of_unused_types,
        malformed_type_in_types,
        calls_that_come_from_nowhere,
        enormous_tile,
        many_debug_lists,
        overlong_all_the_way_down,
        lost_at_the_bottom,
        cut_off_at_the_bottom,
    )
}
"""What many parts of a file share, or what lies very deep -> the file."""
