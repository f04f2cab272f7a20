"""Hostile sizes and depths: refused before they cost memory or the stack, read up to the limit."""

from __future__ import annotations

import re
import sys
import threading
import tracemalloc

import pytest

import tileir
from tileir import Bytecode, BytecodeError, Limits
from tileir.explain.annotate import annotate, salvage
from tileir.formats.limits import DEFAULT
from tileir.ir import Op
from tileir.read.bad_reference import BadReference

from .bombs import COUNTS, DEPTHS, bad_offset, long_constant, module, nested_ifs
from .small import RETURN, varint


def read(data: bytes) -> Bytecode:
    bytecode = Bytecode.parse(data)
    for _ in annotate(bytecode):
        pass
    return bytecode


def innermost(bytecode: Bytecode) -> Op:
    """The op in the innermost of regions that are each inside of the one before."""
    return next(op for op in bytecode.functions[0].walk() if op.spec.terminator)


@pytest.mark.slow
def test_regions_nest_up_to_the_limit_and_no_further() -> None:
    limit = sys.getrecursionlimit()
    bytecode = read(module(nested_ifs(DEFAULT.region_depth)))
    assert innermost(bytecode).depth == DEFAULT.region_depth
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


@pytest.mark.parametrize("where", COUNTS)
def test_counts_and_lengths_are_compared_with_the_bytes_left(where: str, named) -> None:
    """Refused because of the count, by both codecs, before anything is allocated for it."""
    for count in (2**31 - 1, 2**32 - 1, 2**63, 2**64 - 1):
        with named(count):
            check_count(where, count)


def check_count(where: str, count: int) -> None:
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


@pytest.mark.parametrize("reference", [False, True], ids=["specialised", "reference"])
@pytest.mark.parametrize("what", DEPTHS)
def test_a_hundred_thousand_levels(what: str, reference: bool) -> None:
    """Refused where they are too deep, by both codecs, strictly or not, in few words."""
    data = DEPTHS[what](100_000)
    with pytest.raises(BytecodeError) as caught:
        Bytecode.parse(data, reference=reference).touch()
    assert caught.value.kind == "limit"
    assert len(str(caught.value)) < 500
    with pytest.raises(BytecodeError) as strictly:
        Bytecode.parse(data, strict=True, reference=reference)
    assert str(strictly.value) == str(caught.value)


@pytest.mark.parametrize("what", ["types", "call sites", "lexical blocks"])
def test_of_a_chain_only_the_beginning_is_read(what: str) -> None:
    """And the error is where the chain becomes too deep, counted from what is used of it."""
    depth = 100_000
    data = DEPTHS[what](depth)
    bytecode = Bytecode.parse(data)
    with pytest.raises(BytecodeError) as caught:
        bytecode.touch()
    levels = DEFAULT.type_depth if what == "types" else DEFAULT.location_depth
    records = bytecode.types.entries if what == "types" else bytecode.debug.entries
    assert len(records) > depth
    assert len(records.known) < 2 * levels
    number = int(re.search(r"\[(\d+)\]", caught.value.path)[1])
    assert len(records) - number in (levels, levels + 1)
    field = caught.value.path.rpartition(".")[2]
    assert data[caught.value.offset :].startswith(varint(records[number][field]))


@pytest.mark.parametrize("what", ["call sites", "lexical blocks"])
def test_locations_nest_up_to_the_limit_and_no_further(what: str) -> None:
    """A position in a subprogram of a unit of a file: four levels by themselves."""
    most = DEFAULT.location_depth - 4
    assert read(DEPTHS[what](most)).functions[0].location is not None
    for more in (1, most // 2, most):
        with pytest.raises(BytecodeError, match="at most 2000 levels") as caught:
            Bytecode.parse(DEPTHS[what](most + more)).touch()
        assert caught.value.kind == "limit"


def test_what_a_chain_that_is_too_deep_ends_in_stays_usable() -> None:
    """Whoever asks first, and for what: the same records are too deep."""
    bytecode = Bytecode.parse(DEPTHS["call sites"](100_000))
    most = DEFAULT.location_depth
    debug = bytecode.debug
    with pytest.raises(BytecodeError):
        bytecode.touch()
    with pytest.raises(BadReference):
        debug.record_at(most + 1)
    assert debug.record_at(most) is not None
    with pytest.raises(BytecodeError):
        _ = debug.records


def test_two_thousand_regions_reach_every_reader() -> None:
    bytecode = read(module(nested_ifs(2000)))
    assert innermost(bytecode).depth == 2000
    assert not tileir.verify(bytecode)
    for target in ("host", "sm_90"):
        with pytest.raises(tileir.UnsupportedError, match="nested more than 100 levels deep"):
            tileir.compile(bytecode, target)


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


@pytest.mark.parametrize(
    ("levels", "error"), [("a", TypeError), (None, TypeError), (True, TypeError), (-1, ValueError)]
)
def test_limits_are_numbers(levels, error) -> None:
    with pytest.raises(error, match=f"region_depth must be .*, got {levels!r}"):
        Limits(region_depth=levels)


def test_limits_are_limits() -> None:
    with pytest.raises(TypeError, match="limits must be a Limits, got 3"):
        Bytecode.parse(b"", limits=3)
