"""The leaf nodes on their own: every spelling of a number survives a round trip."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir.formats.attributes import float_pattern
from tileir.formats.cursor import ByteWriter, Cursor, Environment
from tileir.formats.errors import BuildError, BytecodeError
from tileir.formats.leaves import Fixed, FlagWord, Padding, SignedVarInt, VarInt, WideInt
from tileir.formats.version import V13_4

ENVIRONMENT = Environment(V13_4)


def parse(node, data: bytes):
    cursor = Cursor(memoryview(data), 0, len(data), "test", ENVIRONMENT, warnings=[])
    value = node._parse(cursor, None, "field")
    assert cursor.position == len(data)
    return value


def build(node, value) -> bytes:
    writer = ByteWriter(ENVIRONMENT)
    node._build(value, writer, None, "field")
    return bytes(writer.data)


def leb128(value: int) -> bytes:
    """An encoder of our own for the tests: the textbook loop."""
    out = []
    while True:
        value, low = divmod(value, 128)
        out.append(low + (128 if value else 0))
        if not value:
            return bytes(out)


@given(st.integers(0, 2**64 - 1))
def test_varint_is_leb128(value: int) -> None:
    assert build(VarInt(), value) == leb128(value)
    assert parse(VarInt(), leb128(value)) == value


@given(st.integers(-(2**63), 2**63 - 1))
def test_signed_varint_is_zigzag(value: int) -> None:
    expected = leb128(2 * value if value >= 0 else -2 * value - 1)
    assert build(SignedVarInt(), value) == expected
    assert parse(SignedVarInt(), expected) == value


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_overlong_varints_keep_their_width(value: int, extra: int) -> None:
    short = leb128(value)
    data = bytes(byte | 0x80 for byte in short) + b"\x80" * (extra - 1) + b"\x00"
    parsed = parse(VarInt(), data)
    assert parsed == value
    assert isinstance(parsed, WideInt)
    assert build(VarInt(), parsed) == data
    assert build(VarInt(), int(parsed)) == short


def test_a_65_bit_float_attribute_means_what_its_producer_meant() -> None:
    minus_infinity = 0xFFF0000000000000
    data = leb128(minus_infinity << 1)
    parsed = parse(VarInt(), data)
    assert float_pattern(parsed, 64) == minus_infinity
    assert build(VarInt(), parsed) == data


@pytest.mark.parametrize("data", [b"", b"\x80", b"\x80" * 9, b"\x80" * 10 + b"\x00"])
def test_bad_varints_are_located(data: bytes) -> None:
    with pytest.raises(BytecodeError) as caught:
        parse(VarInt(), data)
    assert caught.value.kind == ("truncated" if len(data) < 10 else "bad_value")
    assert caught.value.offset == 0


@given(st.integers(-(2**31), 2**31 - 1))
def test_fixed_integers(value: int) -> None:
    assert build(Fixed(4, signed=True), value) == value.to_bytes(4, "little", signed=True)
    assert parse(Fixed(4, signed=True), value.to_bytes(4, "little", signed=True)) == value


@pytest.mark.parametrize(
    ("node", "value"), [(VarInt(), -1), (VarInt(8), 256), (Fixed(1), 256), (VarInt(), 2**64)]
)
def test_what_does_not_fit_is_not_written(node, value: int) -> None:
    with pytest.raises(BuildError):
        build(node, value)


def test_strict_flag_words_refuse_unknown_bits() -> None:
    assert parse(FlagWord("a", "b"), b"\x07") == 7
    with pytest.raises(BytecodeError, match="flag bits 0 to 1"):
        parse(FlagWord("a", "b", strict=True), b"\x07")


def test_padding_keeps_unusual_bytes() -> None:
    cursor = Cursor(memoryview(b"\x01\x00\x00\x00"), 0, 4, "test", ENVIRONMENT, warnings=[])
    cursor.take(1, "")
    value = Padding(4)._parse(cursor, None, "pad")
    assert value == b"\x00\x00\x00"
    writer = ByteWriter(ENVIRONMENT)
    writer.write(b"\x01")
    Padding(4)._build(value, writer, None, "pad")
    assert bytes(writer.data) == b"\x01\x00\x00\x00"
