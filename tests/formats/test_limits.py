"""Hostile sizes and depths: refused before they cost memory or the stack, read up to the limit."""

from __future__ import annotations

import sys
import threading
import tracemalloc

import pytest

import tileir
from tileir import Bytecode, BytecodeError
from tileir.annotate import annotate, salvage
from tileir.formats.limits import DEFAULT

from .bombs import COUNTS, DEPTHS, bad_offset, long_constant, module, nested_ifs
from .small import RETURN, varint


def read(data: bytes) -> Bytecode:
    bytecode = Bytecode.parse(data)
    for _ in annotate(bytecode):
        pass
    return bytecode


def test_regions_nest_up_to_the_limit_and_no_further() -> None:
    limit = sys.getrecursionlimit()
    bytecode = read(module(nested_ifs(DEFAULT.region_depth)))
    deepest = max(op.depth for op in bytecode.functions[0].walk())
    assert deepest == DEFAULT.region_depth
    assert sys.getrecursionlimit() == limit
    with pytest.raises(BytecodeError) as caught:
        read(module(nested_ifs(DEFAULT.region_depth + 1)))
    assert caught.value.kind == "limit"


def test_attributes_nest_up_to_the_limit_and_no_further() -> None:
    def hints(depth: int) -> bytes:
        nested = b"\x06\x00"
        for _ in range(depth):
            nested = b"\x06\x01" + nested
        return b"\x0b\x01\x01\x0a\x01\x01" + nested  # hints, a dictionary, then the arrays

    assert read(module(RETURN, hints(DEFAULT.attribute_depth - 3))).functions[0].hints
    with pytest.raises(BytecodeError) as caught:
        read(module(RETURN, hints(DEFAULT.attribute_depth - 2)))
    assert caught.value.kind == "limit"


def peak_of(action) -> int:
    """Bytes that are allocated at most while the action runs."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("count", [2**31 - 1, 2**32 - 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("where", COUNTS)
def test_counts_and_lengths_are_compared_with_the_bytes_left(where: str, count: int) -> None:
    """Refused because of the count, by both codecs, before anything is allocated for it."""
    data = COUNTS[where](varint(count))

    def refused(reference: bool) -> str:
        with pytest.raises(BytecodeError) as caught:
            Bytecode.parse(data, reference=reference).touch()
        assert caught.value.kind in ("limit", "truncated", "bad_value")
        return str(caught.value)

    messages: list[str] = []
    assert peak_of(lambda: messages.extend((refused(False), refused(True)))) < 10_000_000
    assert messages[0] == messages[1]
    assert str(count) in messages[0]
    assert list(salvage(memoryview(data)))


@pytest.mark.parametrize("offset", [2**31, 2**32 - 1])
@pytest.mark.parametrize("table", [1, 5, 4], ids=["String", "Type", "Constant"])
def test_offsets_beyond_the_table(table: int, offset: int) -> None:
    """A string is cut to what is there; anything else is refused."""
    data = bad_offset(table, offset)
    if table == 1:
        assert Bytecode.parse(data).touch().warnings
        return
    with pytest.raises(BytecodeError) as caught:
        Bytecode.parse(data).touch()
    assert caught.value.kind == "bad_offset"


def test_a_constant_longer_than_the_file() -> None:
    bytecode = Bytecode.parse(long_constant()).touch()
    assert "malformed" in [warning.kind for warning in bytecode.warnings]


DEEP = {
    "regions": "limit",
    "arrays": "limit",
    "dictionaries": "limit",
    "types": "bad_value",
    "call sites": "",
    "lexical blocks": "",
}


@pytest.mark.parametrize("what", DEPTHS)
def test_a_hundred_thousand_levels(what: str) -> None:
    """Refused with the right kind, or read where a chain is no nesting."""
    data = DEPTHS[what](100_000)
    if not DEEP[what]:
        assert Bytecode.parse(data).touch().functions[0].location is not None
        return
    with pytest.raises(BytecodeError) as caught:
        Bytecode.parse(data).touch()
    assert caught.value.kind == DEEP[what]
    assert len(str(caught.value)) < 500


def test_two_thousand_regions_reach_every_reader() -> None:
    bytecode = read(module(nested_ifs(2000)))
    (function,) = bytecode.functions
    assert max(op.depth for op in function.walk()) == 2000
    assert not tileir.verify(bytecode)
    for target in ("host", "sm_90"):
        with pytest.raises(tileir.UnsupportedError) as caught:  # ifs are not lowered yet
            tileir.compile(bytecode, target)
        assert len(caught.value.diagnostics) == 2000


def test_a_huge_alignment_is_refused() -> None:
    data = bytearray(module(RETURN))
    where = data.index(bytes([0x81])) + 2
    data[where : where + 1] = varint(1 << 62)
    with pytest.raises(BytecodeError) as caught:
        read(bytes(data))
    assert caught.value.kind == "truncated"


def test_bodies_decode_once_whoever_comes_first() -> None:
    function = Bytecode.parse(module(nested_ifs(100))).functions[0]
    bodies: list[object] = []
    threads = [threading.Thread(target=lambda: bodies.append(function.body)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(bodies) == 8
    assert len(set(map(id, bodies))) == 1
