"""What no producer writes is never dropped on the way to another version: it stays or is refused.

For each oddity two targets: one whose layout has room for it, where the way back has to give the
same bytes, and one that has none, where the error has to name it.
"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.corpus import INVALID, name_of
from tests.formats.small import EMPTY_SIGNATURE, RETURN, debug, file, kernel, table, varint
from tests.tileir.write.test_retarget import SCALARS, block_ids, made, op
from tileir import BuildError, Bytecode, BytecodeError, VersionError
from tileir.formats.ops import BY_NAME
from tileir.formats.types import TYPE
from tileir.formats.version import V13_1, V13_2, V13_3, V13_4, V13_5

POINTER, VIEW = (TYPE.by_name[name].tag for name in ("ptr", "partition_view"))
TENSOR = TYPE.by_name["tensor_view"].tag


def stays(data: bytes, target: str) -> Bytecode:
    """The file in the target version; the way back gives the same bytes, oddities included."""
    bytecode = Bytecode.parse(data).touch()
    assert bytecode.warnings, "not odd at all"
    other = bytecode.to_version(target)
    assert len(other.warnings) == len(bytecode.warnings)
    assert bytes(other.to_version(bytecode.version).data) == data
    return other


def refused(data: bytes, target: str, problem: str, error=BuildError) -> None:
    with pytest.raises(error, match=problem) as caught:
        Bytecode.parse(data).to_version(target)
    assert type(caught.value) is error


def test_version_tag() -> None:
    data = bytearray(made(RETURN, V13_4))
    data[10] = 2
    assert stays(bytes(data), "13.1").tag == 2
    refused(bytes(data), "13.5", r"header tag other than 0 is gone after 13\.4", VersionError)


def test_unknown_bits_of_a_kernel() -> None:
    data = bytearray(made(RETURN, V13_4))
    position = bytes(data).index(bytes([1, 0, 0, 2, 0, len(RETURN)])) + 3
    data[position] |= 0x20
    stays(bytes(data), "13.1")
    refused(bytes(data), "13.5", r"entry flags beyond bit 2 is gone after 13\.4", VersionError)


def test_unknown_bits_of_an_op() -> None:
    body = block_ids() + op("itof", 4, 1, 0, 0) + op("exp2", 4, 5, 3) + RETURN
    for target in ("13.1", "13.5"):
        stays(made(body, V13_4), target)
    loop = op("for", 0, 4, 3, 0, 1, 2, 1, 1, 1, 2, 1) + op("continue", 0, 0) + RETURN
    data = made(block_ids() + loop, V13_2)
    stays(data, "13.5")
    refused(data, "13.1", r"for unknown bits of flags needs 13\.2 \(in kern\)", VersionError)


def test_a_byte_that_says_more_than_there_is() -> None:
    """Any byte but 0 announces a padding value in 13.1; 13.3 has a bit for that."""
    f32, tensor = (
        varint(TYPE.by_name["f32"].tag),
        bytes([TENSOR, 1]) + struct.pack("<BqBq", 1, 8, 1, 1),
    )
    view = bytes([VIEW, 1, 4, 0, 0, 0, 2, 1, 0, 0, 0, 0])
    types = [EMPTY_SIGNATURE, f32, tensor]
    plain, odd = (made(RETURN, V13_1, [*types, view + bytes([n, 3])]) for n in (1, 7))
    assert bytes(Bytecode.parse(plain).to_version("13.3").to_version("13.1").data) == plain
    assert bytes(Bytecode.parse(odd).to_version("13.2").to_version("13.1").data) == odd
    refused(
        odd,
        "13.3",
        r"partition_view unknown bits of has_padding is gone after 13\.1",
        VersionError,
    )


def test_overlong_numbers() -> None:
    """Kept where they stand for the same number; a length that changes is written anew."""
    long_index = block_ids() + varint(BY_NAME["addi"].opcode) + b"\x02\x00\x80\x00\x01" + RETURN
    stays(made(long_index, V13_4), "13.1")
    shifted = block_ids() + op("print_tko", 0, 0, 0) + op("addi", 2, 0, 0, 1)
    shifted += varint(BY_NAME["addi"].opcode) + b"\x02\x00\x83\x00\x01" + RETURN
    token = varint(TYPE.by_name["token"].tag)
    stays(made(shifted, V13_1, [*SCALARS, token]), "13.5")
    types = [EMPTY_SIGNATURE, varint(TYPE.by_name["f32"].tag), bytes([POINTER, 0, 0x81, 0])]
    stays(made(RETURN, V13_4, types), "13.1")
    flags = [*types[:2], bytes([POINTER, 0x80, 0x00, 1])]
    stays(made(RETURN, V13_4, flags), "13.5")
    refused(made(RETURN, V13_4, flags), "13.3", r"Type: type\[2\]\.flags: overlong_varint")


def with_length(body: bytes, version) -> bytes:
    """A kernel whose body length takes a byte more than it needs."""
    strings, types, (number, alignment, payload) = kernel(SCALARS, body)
    length = varint(len(body))
    stretched = length[:-1] + bytes([length[-1] | 0x80, 0])
    payload = payload[: -len(body) - len(length)] + stretched + body
    return file(strings, types, (number, alignment, payload), version=version)


def test_an_overlong_length() -> None:
    stays(with_length(RETURN, V13_4), "13.1")
    tanh = block_ids() + op("itof", 4, 1, 0, 0) + op("tanh", 4, 5, 3) + RETURN
    stays(with_length(tanh, V13_2), "13.4")
    refused(with_length(tanh, V13_2), "13.1", r"Func: func\[0\]\.body\.length: overlong_varint")


def gapped(types: list[bytes], version) -> bytes:
    """A kernel whose type table has a byte that belongs to no entry before each of them."""
    strings, (number, alignment, _), body = kernel([EMPTY_SIGNATURE])
    offsets, blob = [], b""
    for entry in types:
        blob += b"\xee"
        offsets.append(len(blob))
        blob += entry
    count = varint(len(types))
    payload = count + b"\xcb" * (-len(count) % 4) + struct.pack(f"<{len(types)}I", *offsets) + blob
    return file(strings, (number, alignment, payload), body, version=version)


def test_gaps_in_a_table() -> None:
    f32, pointer = varint(TYPE.by_name["f32"].tag), bytes([POINTER, 1])
    stays(gapped([EMPTY_SIGNATURE, f32], V13_4), "13.1")
    changed = gapped([EMPTY_SIGNATURE, f32, pointer], V13_3)
    stays(changed, "13.1")
    refused(changed, "13.4", r"Type: type: table_layout")


def test_entries_that_nothing_uses_and_nobody_can_read() -> None:
    stays(made(RETURN, V13_4, [EMPTY_SIGNATURE, b"\x63", b"\x0d\x05"]), "13.1")
    newer = [EMPTY_SIGNATURE, varint(TYPE.by_name["i4"].tag)]
    stays(made(RETURN, V13_1, newer), "13.2")
    refused(made(RETURN, V13_1, newer), "13.4", r"Type: type\[1\]: malformed")


def test_an_unused_type_that_a_version_lacks() -> None:
    data = made(RETURN, V13_4, [EMPTY_SIGNATURE, varint(TYPE.by_name["i4"].tag)])
    refused(data, "13.2", r"i4 needs 13\.3$", VersionError)


def test_bytes_behind_the_records() -> None:
    strings, types, (number, alignment, payload) = kernel([EMPTY_SIGNATURE])
    data = file(strings, types, (number, alignment, payload + b"\xab\xcd"), version=V13_4)
    stays(data, "13.1")
    filled = file(strings, types, (number, alignment, payload + b"\xcb" * 3), version=V13_4)
    assert bytes(Bytecode.parse(filled).to_version("13.5").to_version("13.4").data) == filled


def test_ignored_sections() -> None:
    strings, types, body = kernel([EMPTY_SIGNATURE])
    twice = file((1, 4, table([b"old"])), strings, types, body, (6, 0, b"\x00"), version=V13_4)
    stays(twice, "13.5")
    stays(twice, "13.1")


def test_padding_between_sections() -> None:
    """Filler that is not 0xCB stays where as much of it is needed, which is not always so."""
    data = made(RETURN, V13_4, [*SCALARS, bytes([POINTER, 0, 1])])
    bytecode = Bytecode.parse(data)
    function = next(s for s in bytecode.sections if s.name == "Func")
    header = function.offset + 3
    assert set(data[header : function.payload.offset]) == {0xCB}
    odd = data[:header] + bytes(function.payload.offset - header) + data[function.payload.offset :]
    stays(odd, "13.5")
    refused(odd, "13.3", r"header: sections\[2\]\.padding: padding")


def test_debug_records_of_no_known_kind() -> None:
    records = debug([b"\x09", b"\x02\x00", b"\x00"])
    data = file(*kernel([EMPTY_SIGNATURE], location=1), records, version=V13_4)
    other = stays(data, "13.5")
    assert other.debug.variant(1) == "Unknown"


def test_a_producer_in_an_older_file() -> None:
    """Readers take it whatever the version; re-targeting an old file says what it has too many."""
    data = file(*kernel([EMPTY_SIGNATURE]), (7, 0, b"\x01"), version=V13_1)
    bytecode = Bytecode.parse(data)
    assert bytes(bytecode.to_version("13.5").data)[9] == V13_5.minor
    refused(data, "13.2", "Producer section needs 13.3", VersionError)


@pytest.mark.parametrize("path", INVALID, ids=name_of)
def test_what_cannot_be_read_is_an_error_as_ever(path: Path) -> None:
    data, unread = path.read_bytes(), ""
    try:
        bytecode = Bytecode.parse(data).touch()
    except BytecodeError as error:
        unread = str(error)
    if unread:
        with pytest.raises(BytecodeError) as caught:
            Bytecode.parse(data).to_version("13.3")
        assert str(caught.value) == unread
    else:  # a rule of Tile IR that it breaks is no concern here
        assert bytes(bytecode.to_version("13.3").to_version(bytecode.version).data) == data
