"""Tile libraries: those that NVIDIA's tileiras makes, and files that only look like one."""

from __future__ import annotations

import contextlib
import json
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import tileir
from tileir import BytecodeError
from tileir.__main__ import main
from tileir.formats.tilelib import kind_of
from tileir.read.library import TileLibrary

ACCESS = "{cuda_tile.preview$access = #cuda_tile<preview$access<inout>>}"
FRAGMENT = (
    "preview$fragment<8xf32, local, mem_layout = <(8):(1)>, fragmap = <(1, 128, 8):(0, 0, 1)>>"
)
INTERFACE = f"preview$func extern @scale(%a: tile<8xf32> {ACCESS}) -> tile<8xf32>"
IMPLEMENTATION = f"preview$extern_impl @by_two implements @scale (%a: {FRAGMENT} {ACCESS})"
PTX = """\
.version 8.0
.target sm_90
.address_size 64
.visible .func by_two(.param .b64 p)
{
  ret;
}
"""


def module(text: str) -> bytes:
    return bytes(tileir.assemble(text).data)


def library(*sections: tuple[str, bytes]) -> bytes:
    """An ELF file with these sections, as tileiras lays them out."""
    names, contents = b"\0", b""
    rows = [(0, 0, 0, 0)]
    for name, content in sections:
        rows.append((len(names), 1, 64 + len(contents), len(content)))
        names, contents = names + name.encode() + b"\0", contents + content
    rows.append((len(names), 3, 64 + len(contents), len(names) + len(b".shstrtab\0")))
    contents += names + b".shstrtab\0"
    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    last = (0, 64, 0, 0, 64, len(rows), len(rows) - 1)
    head = struct.pack("<16sHHIQQQIHHHHHH", ident, 1, 62, 1, 0, 0, 64 + len(contents), *last)
    table = [
        struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, at, size, 0, 0, 1, 0)
        for name, kind, at, size in rows
    ]
    return head + contents + b"".join(table)


GOOD = [
    (".nvtlifc", module(INTERFACE)),
    (".nvtl.0", module(IMPLEMENTATION)),
    (".nvtl.1", b"\x50\xed\x55\xba code"),
]


def test_a_library_is_read() -> None:
    found = TileLibrary.parse(library(*GOOD))
    assert [part.kind for part in found.parts] == [
        "Tile IR bytecode",
        "Tile IR bytecode",
        "fatbin",
    ]
    assert found.interface is not None
    assert [item.name for item in found.interface.declarations] == ["scale"]
    assert [item.name for item in found.implementations[0].declarations] == ["by_two"]
    assert [bytes(part.content.data) for part in found.parts] == [data for _, data in GOOD]
    assert not [*found.problems()]


@pytest.mark.parametrize(
    ("sections", "problem"),
    [
        (GOOD[:2], "exactly one tile bytecode implementation"),
        ([(".nvtlifc", module(IMPLEMENTATION)), *GOOD[1:]], "may only contain extern"),
        (GOOD[1:], "'scale' does not reference a valid extern preview$func"),
    ],
    ids=["no code", "interface", "no interface"],
)
def test_what_is_wrong_with_it(sections: list, problem: str) -> None:
    assert any(problem in text for text in TileLibrary.parse(library(*sections)).problems())


def test_mutants_are_read_or_refused() -> None:
    data, chance = library(*GOOD), random.Random(1)
    for _ in range(600):
        mutant = bytearray(data)
        for _ in range(chance.choice((1, 2, 4))):
            mutant[chance.randrange(len(mutant))] = chance.randrange(256)
        mutant = mutant[: chance.choice((len(mutant), chance.randrange(len(mutant))))]
        with contextlib.suppress(BytecodeError):
            TileLibrary.parse(bytes(mutant))


def test_a_name_stands_for_one_part() -> None:
    with pytest.raises(BytecodeError, match=r"expected a section of each name, found a second"):
        TileLibrary.parse(library(*GOOD, (".nvtl.0", module(INTERFACE))))


def test_parts_share_no_bytes() -> None:
    """Thousands of sections with the same bytes would be read, and extracted, as often."""
    data = bytearray(library(*GOOD))
    (table,) = struct.unpack_from("<Q", data, 40)
    interface, implementation = (table + 64 * index + 24 for index in (1, 2))
    data[implementation : implementation + 16] = data[interface : interface + 16]
    with pytest.raises(BytecodeError, match=r"found \.nvtl\.0 in \.nvtlifc"):
        TileLibrary.parse(bytes(data))


def test_other_files_are_no_libraries() -> None:
    for data in (b"", b"\x7fELF", module(INTERFACE), library((".text", b"x"))):
        with pytest.raises(BytecodeError):
            TileLibrary.parse(data)
    with pytest.raises(BytecodeError, match="tileir tilelib"):
        tileir.Bytecode.parse(library(*GOOD))
    assert kind_of(b"") == "unknown"


def test_a_small_library_has_no_long_text(tmp_path: Path, capsys) -> None:
    """Functions may share a type, whose text is that of each."""
    name, path = "N" * 60_000, tmp_path / "large.tilelib"
    tile = f"tile<[{name}]xf32>"
    functions = (f"preview$func extern @f{index}(%a: {tile} {ACCESS})" for index in range(300))
    path.write_bytes(library((".nvtlifc", module("\n".join(functions)))))
    assert path.stat().st_size < 100_000
    assert main(["tilelib", str(path)]) == 3
    assert "expected a text of at most" in capsys.readouterr().err


@pytest.mark.oracle
def test_what_tileiras_makes_is_extracted(tool, tmp_path: Path) -> None:
    for name, data in (("i.ptx", PTX.encode()), ("a.tileirbc", module(INTERFACE))):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "b.tileirbc").write_bytes(module(IMPLEMENTATION))
    code, made = tmp_path / "code.cubin", tmp_path / "made.tilelib"
    done = tool("ptxas", "-c", "-arch", "sm_90", tmp_path / "i.ptx", "-o", code)
    assert done.returncode == 0, done.stderr
    given = [
        f"--preview-interface={tmp_path / 'a.tileirbc'}",
        f"--preview-implementation={tmp_path / 'b.tileirbc'}",
        f"--preview-implementation={code}",
    ]
    done = tool("tileiras", "--preview=simt", "--preview-create-tile-lib", *given, "-o", made)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "parts"
    command = [sys.executable, "-m", "tileir", "tilelib", made, "--extract", folder, "--json"]
    listed = subprocess.run(command, capture_output=True, text=True)
    assert listed.returncode == 0, listed.stderr
    tree = json.loads(listed.stdout)
    assert [item["name"] for item in tree["functions"]] == ["scale"]
    assert [item["implements"] for item in tree["implementations"]] == ["scale"]
    assert (folder / "interface.tileirbc").read_bytes() == module(INTERFACE)
    assert (folder / "implementation.0.tileirbc").read_bytes() == module(IMPLEMENTATION)
    assert (folder / "implementation.1.cubin").read_bytes() == code.read_bytes()
