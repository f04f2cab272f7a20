"""What we decode is what NVIDIA's own disassembler prints: ops, types, entries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.corpus import INVALID, VALID, name_of
from tileir import Bytecode, VersionError
from tileir.formats.version import SUPPORTED
from tileir.ir import Op
from tileir.locations import SourceLocation

pytestmark = pytest.mark.oracle

OP = re.compile(r"^(?:%[^=]*? = )?([a-z_0-9]+)\b")
IMPLICIT = {"yield", "continue"}
"""Printed only when they have operands, or where they are not implied."""


def printed_ops(text: str) -> list[tuple[str, str]]:
    """(mnemonic, line) of each op line inside an entry."""
    found = []
    for line in text.splitlines():
        stripped = line.strip()
        if not line.startswith("  ") or stripped.startswith(("}", "(")):
            continue
        match = OP.match(stripped)
        assert match, line
        found.append((match[1], stripped))
    return found


def is_implicit(op: Op) -> bool:
    return op.name in IMPLICIT and not list(op.operand_list())


@pytest.mark.parametrize("path", VALID, ids=name_of)
def test_ops_and_types_are_those_that_nvidia_prints(path: Path, tool) -> None:
    done = tool("tileirdisasm", path)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    bytecode = Bytecode.parse(path.read_bytes())
    ours = [op for function in bytecode.functions for op in function.walk() if not is_implicit(op)]
    theirs = [
        (name, line)
        for name, line in printed_ops(text)
        if not (name in IMPLICIT and line in IMPLICIT)
    ]
    assert [op.name for op in ours] == [name for name, _ in theirs]
    for op, (_, line) in zip(ours, theirs, strict=True):
        for value in op.results[:1]:
            spelled = str(value.type)
            if spelled != "token" and op.name not in ("insert", "if"):
                assert spelled in line, (op, line)
    for function in bytecode.functions:
        parameters = ", ".join(
            f"%arg{number}: {type}" for number, type in enumerate(function.type.parameters)
        )
        assert f"entry @{function.name}({parameters})" in text


@pytest.mark.parametrize("path", VALID, ids=name_of)
def test_locations_are_those_that_nvidia_prints_of_every_version(
    path: Path, tool, tmp_path: Path
) -> None:
    """Re-targeted files are accepted and print, source locations included, what their source does.

    To the letter: its reader fills in the defaults of older versions before anything is printed.
    """
    bytecode = Bytecode.parse(path.read_bytes())
    done = tool("tileirdisasm", "-g", path)
    assert done.returncode == 0, done.stderr
    text = done.stdout
    theirs = set(re.findall(r'"?([\w./-]+)"?:(\d+):(\d+)', text.decode()))
    for function in bytecode.functions:
        for op in function.walk():
            where = op.location
            if isinstance(where, SourceLocation):
                assert (where.filename, str(where.line), str(where.column)) in theirs, where
    for version in SUPPORTED:
        if version == bytecode.version:
            continue
        try:
            other = bytecode.to_version(version)
        except VersionError:
            continue
        file = tmp_path / f"{version}.tileirbc"
        file.write_bytes(other.data)
        done = tool("tileirdisasm", "-g", file)
        assert done.returncode == 0, done.stderr
        assert done.stdout == text


@pytest.mark.parametrize("path", INVALID, ids=name_of)
def test_nvidia_refuses_the_invalid_files_too(path: Path, tool) -> None:
    done = tool("tileirdisasm", path)
    stricter = {"deep_attribute", "deep_regions"}
    assert (done.returncode != 0) or path.stem in stricter
