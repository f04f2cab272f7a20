"""Files made to cost time or stack: each is read or refused, whatever it nests or shares.

Each case takes milliseconds. What it is about would take minutes, or never end, where work is done
again for everything that is shared.
"""

from __future__ import annotations

import contextlib
import re
import struct
import tracemalloc

import pytest

import tileir
from tests.debug_lists import list_length
from tileir import Bytecode, BytecodeError
from tileir.explain.annotate import annotate
from tileir.formats import codec
from tileir.inspect import render
from tileir.verifier.module import verify

from .bombs import SHARED, SOURCE, TYPES, enormous_tile, lost_at_the_bottom, opcode
from .small import EMPTY_SIGNATURE, RETURN, debug, file, kernel, table, varint

ONE = b"\x01\x01\x00\x00\x00\x00\x00\x00\x00"
"""A list of one extent, which is 1."""


def outcome(data: bytes) -> str:
    """What becomes of a file: "read", or the kind of the error."""
    try:
        bytecode = Bytecode.parse(data)
        for _ in render(annotate(bytecode)):
            pass
    except BytecodeError as error:
        return error.kind
    return "read"


@pytest.mark.parametrize("depth", [400, 1900])
def test_chains_of_inlined_calls(depth: int) -> None:
    records = list(SOURCE)
    for _ in range(depth):
        records.append(b"\x06" + varint(len(records)) + varint(4))
    assert outcome(file(*kernel([EMPTY_SIGNATURE], location=1), debug(records))) == "read"


@pytest.mark.parametrize("depth", [40, 1900])
def test_calls_that_share_both_sides(depth: int) -> None:
    records = list(SOURCE)
    for _ in range(depth):
        last = varint(len(records))
        records.append(b"\x06" + last + last)
    assert outcome(file(*kernel([EMPTY_SIGNATURE], location=1), debug(records))) == "read"


def test_nested_scopes_and_circles() -> None:
    blocks = SOURCE[:3]
    for _ in range(1900):
        blocks.append(b"\x03" + varint(len(blocks)) + b"\x01\x01\x01")
    blocks.append(b"\x04" + varint(len(blocks)) + b"\x00\x01\x01")
    assert outcome(file(*kernel([EMPTY_SIGNATURE], location=1), debug(blocks))) == "read"
    circle = [*SOURCE[:3], b"\x06\x05\x05", b"\x06\x04\x04"]
    assert outcome(file(*kernel([EMPTY_SIGNATURE], location=1), debug(circle))) == "bad_value"


def test_signatures_of_signatures() -> None:
    types = [EMPTY_SIGNATURE]
    for index in range(40):
        types.append(b"\x10\x02" + varint(index) * 2 + b"\x00")
    data = file(*kernel(types, signature=len(types) - 1))
    assert outcome(data) == "bad_value"


def test_a_chain_of_types() -> None:
    types = [EMPTY_SIGNATURE] + [b"\x0c\x00" + varint(index) for index in range(5000)]
    types.append(b"\x10\x01" + varint(len(types) - 1) + b"\x00")
    assert outcome(file(*kernel(types, signature=len(types) - 1))) == "limit"


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, -1], ids=["forwards", "backwards"])
def test_chains_of_types_that_nothing_uses(step: int) -> None:
    """No end of a chain is looked for twice, whichever type is asked for first."""
    depth = 30_000
    chain = [b"\x0c\x00" + varint(1 + (index + step) % depth) for index in range(depth)]
    bytecode = Bytecode.parse(file(*kernel([EMPTY_SIGNATURE, *chain]))).touch()
    assert [bytecode.types.peek(index) for index in range(1, depth, 1000)] == [None] * 30
    last = bytecode.warnings[-1]
    assert (last.kind, last.message[:4]) == ("malformed", "Type")
    chain[5000] = b"\x07"
    types = Bytecode.parse(file(*kernel([EMPTY_SIGNATURE, *chain]))).touch().types
    assert str(types.peek(5001 - step)) == "ptr<f32>"
    assert types.peek(5001 - 2 * step) is None


def test_entries_on_top_of_each_other() -> None:
    blob = EMPTY_SIGNATURE + b"\x10" + varint(4000) + b"\x00" * 4001
    count = 3000
    offsets = [0, 3] + [3 + index % 2 for index in range(count - 2)]
    payload = varint(count) + b"\xcb" * (-len(varint(count)) % 4)
    payload += struct.pack(f"<{count}I", *offsets) + blob
    strings, _, functions = kernel([EMPTY_SIGNATURE])
    assert outcome(file(strings, (5, 4, payload), functions)) == "bad_offset"


def test_an_op_with_many_operands() -> None:
    scalar = [b"\x03", b"\x0d\x00\x00", b"\x10\x01\x01\x00"]
    body = bytes([RETURN[0], 0]) + varint(20_000) + b"\x00" * 20_000
    assert outcome(file(*kernel(scalar, body, signature=2))) == "read"


def test_many_empty_sections() -> None:
    globals_ = [(6, 0, b"\x00")] * 5000
    assert outcome(file(*globals_, *kernel([EMPTY_SIGNATURE]))) == "read"


@pytest.mark.parametrize("width", [2, 5, 10])
def test_overlong_numbers_survive(width: int) -> None:
    """Counts, a body's length and an opcode in more bytes than they need."""

    def long(value: int) -> bytes:
        return bytes((value >> 7 * k & 127) | (128 if k + 1 < width else 0) for k in range(width))

    body = long(RETURN[0]) + long(0) + long(0)
    functions = long(1) + b"\x00" + long(0) + b"\x02" + long(0) + long(len(body)) + body
    data = file((1, 4, table([b"kern"])), (5, 4, table([EMPTY_SIGNATURE])), (2, 8, functions))
    assert outcome(data) == "read"
    bytecode = Bytecode.parse(data)
    section = next(s for s in bytecode.sections if s.name == "Func")
    for eager in (False, True):
        record, _ = codec.parse_section(
            bytecode.data, "Func", section.payload, bytecode.version, [16], eager=eager
        )
        built = codec.build_section("Func", record, bytecode.version, [16], reference=True)
        assert built == functions


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "é" * 5000])
def test_names_stay_in_one_line(name: str) -> None:
    functions = b"\x01\x00" + b"\x00\x02\x00" + varint(3) + RETURN
    data = file((1, 4, table([name.encode()])), (5, 4, table([EMPTY_SIGNATURE])), (2, 8, functions))
    bytecode = Bytecode.parse(data)
    for line in render(annotate(bytecode)):
        assert line.isprintable()
        assert len(line) < 400
    for target in ("host", "sm_90"):
        with pytest.raises(tileir.TileIRError, match="takes 0 arguments") as caught:
            tileir.compile(bytecode, target)[name].launch(1, [1])
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 400
    assert re.fullmatch(
        r"[A-Za-z_]\w{1,10000}", tileir.compile(bytecode, "sm_90")[name].plan["entry"]
    )


def test_a_long_string_is_shown_once() -> None:
    long = b"x" * 20_000
    types = [EMPTY_SIGNATURE]
    functions = b"".join(b"\x00\x00\x02\x00" + varint(3) + RETURN for _ in range(500))
    data = file((1, 4, table([long])), (5, 4, table(types)), (2, 8, varint(500) + functions))
    lines = list(render(annotate(Bytecode.parse(data))))
    assert sum(map(len, lines)) < 30 * len(data)


DEEP = ("overlong all the way down", "lost at the bottom", "cut off at the bottom")
"""Counting memory walks the stack at each allocation: not for those."""

REFUSED = {
    "enormous tile": "bad_value",
    "lost at the bottom": "bad_index",
    "cut off at the bottom": "unknown_opcode",
}


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("what", SHARED)
def test_what_is_shared_or_deep_costs_once(what: str) -> None:
    """Little memory to read, little text to show, in each of which sharing could be lost."""
    data = SHARED[what]()
    tracemalloc.start()
    try:
        if what not in DEEP:
            with contextlib.suppress(BytecodeError):
                Bytecode.parse(data).touch()
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    if what in REFUSED:
        assert outcome(data) == REFUSED[what]
        return
    bytecode = Bytecode.parse(data)
    assert sum(map(len, render(annotate(bytecode)))) < 300 * len(data)  # a long meaning a byte
    assert sum(len(warning.message) for warning in bytecode.warnings) < 250 * len(data)
    for function in bytecode.functions:
        assert list_length(function) in (None, 2, 2001)
    assert sum(len(str(finding)) for finding in verify(bytecode)) < 20 * len(data)


@pytest.mark.slow
def test_an_error_at_the_bottom_is_found_where_it_is() -> None:
    data = lost_at_the_bottom()
    for reference in (False, True):
        with pytest.raises(BytecodeError) as caught:
            Bytecode.parse(data, reference=reference).touch()
        assert data[caught.value.offset] == 0x77
        assert caught.value.path.count(".ops[") == 2900
        assert len(str(caught.value)) < 500


def test_tables_say_where_they_are_broken() -> None:
    """Nothing uses those entries; who asks for them is told."""
    bytecode = Bytecode.parse(file(*kernel([EMPTY_SIGNATURE, b"\x0c\x00\x07"])))
    with pytest.raises(BytecodeError) as caught:
        list(bytecode.types)
    assert (caught.value.path, caught.value.found) == ("type[1].pointee", "7")
    assert bytecode.data[caught.value.offset] == 7
    sections = kernel([EMPTY_SIGNATURE], location=1)
    bytecode = Bytecode.parse(file(*sections, debug([b"\x01\x09", b"\x00"])))
    with pytest.raises(BytecodeError) as caught:
        _ = bytecode.touch().debug.records
    assert (caught.value.path, caught.value.found) == ("debug.records[0].file", "9")
    assert bytecode.data[caught.value.offset] == 9


def test_a_debug_section_counts_that_nothing_uses() -> None:
    """NVIDIA's readers refuse it too."""
    short = (3, 8, b"\x00\xcb\xcb\xcb\x00\xcb\xcb\xcb\x64\xcb\xcb\xcb")
    data = file(*kernel([EMPTY_SIGNATURE]), short)
    for strict in (False, True):
        with pytest.raises(BytecodeError, match=r"at 0x.. in Debug: debug.records.count"):
            Bytecode.parse(data, strict=strict).touch()


def test_a_constant_inside_an_attribute() -> None:
    """Not the value of a slot but a part of it."""
    body = opcode("assume") + b"\x01\x07\x01\x00\x00" + RETURN
    text, types, functions = kernel(TYPES, body, signature=2)
    constants = (4, 8, b"\x01" + b"\xcb" * 7 + bytes(8) + b"\x01\x01")
    lines = list(render(annotate(Bytecode.parse(file(text, types, constants, functions)))))
    assert any("predicate.constant" in line and "(1 bytes)" in line for line in lines)


def test_a_size_of_very_many_digits() -> None:
    with pytest.raises(BytecodeError, match="a tile has at most 16777216"):
        Bytecode.parse(enormous_tile()).touch()


def test_results_that_the_row_does_not_have() -> None:
    """NVIDIA's readers say so when they verify; until then they are values like others."""
    body = opcode("return") + b"\x01\x01\x00"
    bytecode = Bytecode.parse(file(*kernel(TYPES, body, signature=2)))
    assert any("%1: tile<i1>" in line for line in render(annotate(bytecode)))
    (found,) = verify(bytecode)
    assert found.message == "requires zero results"


@pytest.mark.parametrize("name", [b"\x1b[31m.py", b"\xb2.py", b"a\nb.py"])
def test_names_of_source_files_stay_in_one_line(name: bytes) -> None:
    _, types, functions = kernel([EMPTY_SIGNATURE], location=1)
    text = (1, 4, table([name]))
    lines = list(render(annotate(Bytecode.parse(file(text, types, functions, debug(SOURCE))))))
    assert sum(".py:1:1" in line for line in lines) >= 3
    assert all(line.isprintable() for line in lines)
    with pytest.raises(BytecodeError, match="is no position") as caught:
        Bytecode.parse(file(text, types, functions, debug(SOURCE[:1]))).touch()
    assert str(caught.value).isprintable()


def test_numbers_do_not_remember_how_they_were_written() -> None:
    """Lines and columns, bounds, dimensions: plain integers however many bytes they took."""
    position = b"\x04\x03\x00\x81\x00\x82\x00"
    hints = b"\x0b\x01\x00\x0a\x02\x00\x08\x04\x03\x82\x00\x82\x00\x01\x0c\x03\x81\x00\x82\x00"
    view, tensor = b"\x14\x00\x01\x01\x00\x00\x00\x04\x80\x00", b"\x0e\x00\x00" + ONE + ONE
    types = [b"\x03", EMPTY_SIGNATURE, b"\x03", view, tensor]
    sections = kernel(types, location=1, signature=1, hints=hints)
    bytecode = Bytecode.parse(file(*sections, debug([*SOURCE[:3], position]))).touch()
    (function,) = bytecode.functions
    divisor, bounds = function.hints.entries["kern"].values()
    where = function.ops[0].location
    numbers = [where.line, where.column, divisor.every, divisor.along, bounds.lower, bounds.upper]
    numbers.append(bytecode.types[3].sparse_dim)
    assert numbers == [1, 2, 1, 1, -1, 1, 0]
    assert {type(number) for number in numbers} == {int}


def test_an_overlong_alignment_is_a_plain_number() -> None:
    """The byte of padding that it saves takes its second byte."""
    data = file(*kernel([EMPTY_SIGNATURE]))
    assert data[14:16] == b"\x04\xcb"
    bytecode = Bytecode.parse(data[:14] + b"\x84\x00" + data[16:])
    assert [warning.kind for warning in bytecode.warnings] == [
        "overlong_varint",
        "section_order",
        "section_order",
    ]
    assert [type(section.alignment) for section in bytecode.sections] == [int, int, int]
    assert bytecode.build() == bytes(bytecode.data)
