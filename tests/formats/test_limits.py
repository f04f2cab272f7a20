"""Hostile sizes and depths: refused before they cost memory or the stack, read up to the limit."""

from __future__ import annotations

import sys
import threading
import tracemalloc

import pytest

from tileir import Bytecode, BytecodeError
from tileir.annotate import annotate
from tileir.formats.limits import DEFAULT
from tileir.formats.ops import BY_NAME

from .small import RETURN, YIELD, file, kernel, varint

I1, TILE, FUNCTION, I32 = range(4)
TYPES = (b"\x00", b"\x0d\x00\x00", b"\x10\x01\x01\x00", b"\x03")
"""i1, tile<i1>, (tile<i1>) -> (), i32."""


def module(body: bytes, hints: bytes = b"") -> bytes:
    """A 13.4 file with one kernel of one i1 parameter."""
    return file(*kernel(TYPES, body, signature=FUNCTION, hints=hints))


def nested_ifs(depth: int) -> bytes:
    """`depth` ifs inside each other, without else."""
    body = YIELD
    for level in range(depth):
        ops = 1 if level == 0 else 2
        tail = b"" if level == 0 else YIELD
        block = b"\x01\x00" + varint(ops) + body + tail
        body = bytes([BY_NAME["if"].opcode, 0, 0, 2]) + block + b"\x00"
    return body + RETURN


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


@pytest.mark.parametrize("count", [2**31 - 1, 2**32 - 2, 2**63])
def test_counts_are_compared_with_the_bytes_left(count: int) -> None:
    data = module(bytes([BY_NAME["return"].opcode, 0]) + varint(count))
    tracemalloc.start()
    try:
        with pytest.raises(BytecodeError) as caught:
            read(data)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert caught.value.kind == "limit"


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
