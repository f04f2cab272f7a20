"""What a version lacks is refused in it, op by op and type by type, as NVIDIA's reader does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tileir import Bytecode, BytecodeError
from tileir.formats.ops import OPS
from tileir.formats.types import TYPE
from tileir.formats.version import SUPPORTED

from .test_hostile import EMPTY_SIGNATURE, kernel
from .test_limits import varint

LATER_OPS = [op for op in OPS if op.in_body and op.since > SUPPORTED[0]]
LATER_TYPES = [arm for arm in TYPE.arms.values() if arm.since > SUPPORTED[0]]


def older(version) -> list:
    return [candidate for candidate in SUPPORTED if candidate < version]


def module(version, types, body: bytes, signature: int) -> bytes:
    sections = kernel(types, body, signature=signature)
    data = b"\x7fTileIR\x00" + bytes(version) + b"\x00\x00"
    for number, alignment, payload in sections:
        if number == 2 and version.minor >= 5:  # hints and argument attributes follow the location
            payload = payload[:5] + b"\x0b\x00\x06\x00" + payload[5:]
        data += bytes([number | 0x80]) + varint(len(payload)) + varint(alignment)
        data += b"\xcb" * (-len(data) % alignment) + payload
    return data + b"\x00"


@pytest.mark.oracle
@pytest.mark.parametrize("op", LATER_OPS, ids=lambda op: op.mnemonic)
def test_later_ops(op, tool, tmp_path: Path) -> None:
    for version in older(op.since):
        data = module(version, [EMPTY_SIGNATURE], varint(op.opcode) + bytes(8), 0)
        with pytest.raises(BytecodeError) as caught:
            Bytecode.parse(data).touch()
        assert caught.value.kind == "not_available"
        path = tmp_path / "older.tileirbc"
        path.write_bytes(data)
        wanted = f"unsupported opcode {op.opcode} for bytecode version {version}"
        assert wanted in tool("tileirdisasm", path).stderr.decode()


@pytest.mark.oracle
@pytest.mark.parametrize("arm", LATER_TYPES, ids=lambda arm: arm.name)
def test_later_types(arm, tool, tmp_path: Path) -> None:
    types = [varint(arm.tag) + bytes(16), b"\x10\x01\x00\x00"]
    for version in older(arm.since):
        data = module(version, types, b"\x5c\x00\x00", 1)
        with pytest.raises(BytecodeError) as caught:
            Bytecode.parse(data).touch()
        assert caught.value.kind == "not_available"
        path = tmp_path / "older.tileirbc"
        path.write_bytes(data)
        wanted = f"requires bytecode version {arm.since}+, file version is {version}"
        assert wanted in tool("tileirdisasm", path).stderr.decode()
