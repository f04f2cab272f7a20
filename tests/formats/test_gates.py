"""What a version lacks is refused in it, op by op and type by type, as NVIDIA's reader does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tileir import Bytecode, BytecodeError
from tileir.formats.ops import OPS
from tileir.formats.types import TYPE
from tileir.formats.version import PREVIEW, SUPPORTED

from .small import EMPTY_SIGNATURE, file, kernel, varint

LATER_OPS = [op for op in OPS if op.in_body and SUPPORTED[0] < op.since < PREVIEW]
LATER_TYPES = [arm for arm in TYPE.arms.values() if SUPPORTED[0] < arm.since < PREVIEW]
"""Those in public preview are asked for in tests/tileir/test_preview.py."""


def older(version) -> list:
    return [candidate for candidate in SUPPORTED if candidate < version]


def refused_by_both(data: bytes, wanted: str, tool, folder: Path) -> None:
    """We say that the version lacks it, and tileirdisasm says `wanted`."""
    with pytest.raises(BytecodeError) as caught:
        Bytecode.parse(data).touch()
    assert caught.value.kind == "not_available"
    path = folder / "older.tileirbc"
    path.write_bytes(data)
    assert wanted in tool("tileirdisasm", path).stderr.decode()


@pytest.mark.oracle
@pytest.mark.parametrize("op", LATER_OPS, ids=lambda op: op.mnemonic)
def test_later_ops(op, tool, tmp_path: Path) -> None:
    for version in older(op.since):
        body = varint(op.opcode) + bytes(8)
        wanted = f"unsupported opcode {op.opcode} for bytecode version {version}"
        data = file(*kernel([EMPTY_SIGNATURE], body), version=version)
        refused_by_both(data, wanted, tool, tmp_path)


@pytest.mark.oracle
@pytest.mark.parametrize("arm", LATER_TYPES, ids=lambda arm: arm.name)
def test_later_types(arm, tool, tmp_path: Path) -> None:
    types = [varint(arm.tag) + bytes(16), b"\x10\x01\x00\x00"]
    for version in older(arm.since):
        wanted = f"requires bytecode version {arm.since}+, file version is {version}"
        data = file(*kernel(types, signature=1), version=version)
        refused_by_both(data, wanted, tool, tmp_path)
