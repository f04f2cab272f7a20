"""`tileir stats`: text, a line for each of several files, JSON, and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tileir.__main__ import main

GATHER = FIXTURES / "13.4" / "gather_rows.tileirbc"
VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"


def test_one_file() -> None:
    shown = call(main, "stats", VECTOR_ADD).stdout.splitlines()
    assert shown[0].endswith(f"{VECTOR_ADD.stat().st_size:,} bytes, version 13.4; 13.1 can hold it")
    assert "  FLOPs, f32    1,024" in shown
    assert max(map(len, shown[1:])) <= 100
    lacking = call(main, "stats", GATHER).stdout.splitlines()
    assert "  gather_scatter_view needs 13.3" in lacking
    assert lacking[0].endswith("13.3 can hold it")


def test_several_files_and_one_that_cannot_be_read(tmp_path: Path) -> None:
    broken = tmp_path / "broken.tileirbc"
    broken.write_bytes(VECTOR_ADD.read_bytes()[:100])
    done = call(main, "stats", VECTOR_ADD, broken, tmp_path / "absent")
    assert done.returncode == 3
    head, row = done.stdout.splitlines()
    assert head.split() == ["file", "bytes", "version", "lowest", "kernels", "ops"]
    assert row.split()[2:5] == ["13.4", "13.1", "1"]
    assert "broken.tileirbc: at 0x" in done.stderr
    assert "absent: No such file" in done.stderr


def test_json_and_standard_input() -> None:
    done = call(main, "stats", "--json", "-", data=GATHER.read_bytes())
    (file,) = json.loads(done.stdout)["files"]
    assert (file["file"], file["lowest"]) == ("<stdin>", "13.3")
    assert {row["owner"] for row in file["features"]} >= {"gather_scatter_view"}
    (kernel,) = file["functions"]
    assert kernel["bytes"]["stored"]["terms"] == [
        {"number": int(kernel["bytes"]["stored"]["text"].replace(",", "")), "symbols": []}
    ]
    assert kernel["ops"]["make_gather_scatter_view"] == 1


@pytest.mark.parametrize("command", ["stats", "verify"])
def test_an_empty_file_does_not_hide_the_others(command: str, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    done = call(main, command, tmp_path / "empty", VECTOR_ADD)
    assert done.returncode == 3
    assert VECTOR_ADD.name in done.stdout
    assert done.stderr.endswith("found an empty file\n")


def test_a_text_names_itself_once(tmp_path: Path) -> None:
    (tmp_path / "k.mlir").write_text("# no")
    done = call(main, "stats", tmp_path / "k.mlir")
    assert done.returncode == 3
    assert done.stderr.count("k.mlir") == 1
