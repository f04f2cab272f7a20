"""`tileir opt`, `strip`, `convert` and `extract`: what they write, what they say, how they exit."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.corpus import FIXTURES, NEWEST
from tests.programs import call_bytes
from tests.tileir.newer.made_up import stated
from tileir import Bytecode, disassemble
from tileir.__main__ import main
from tileir.rewrite.canonical.rules import RULES
from tileir.rewrite.extract import extract
from tileir.rewrite.opt import opt
from tileir.rewrite.passes import DEFAULT, PASSES
from tileir.rewrite.strip import PARTS, strip

TWO = NEWEST["two_entries"]
GLOBALS = NEWEST["module_globals"]
COMMANDS = (
    ["opt", "-O"],
    ["strip"],
    ["convert", "--to-version", "13.5"],
    ["extract", "--function", "first"],
)


def tileir(*arguments: object, data: bytes | None = None) -> CompletedProcess[bytes]:
    """What a command does, in this process."""
    return call_bytes(main, *arguments, data=data)


def written(*arguments: object, data: bytes | None = None) -> bytes:
    """What a command writes to standard output; it must succeed, and say nothing else."""
    done = tileir(*arguments, data=data)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.fixture(scope="module")
def two() -> Bytecode:
    """A module with two entries."""
    return Bytecode.parse(TWO.read_bytes())


def test_what_is_written(two: Bytecode, tmp_path: Path) -> None:
    out = tmp_path / "out.tileirbc"
    given = bytes(two.data)
    assert written("opt", "-p", "cse,dce", TWO) == opt(two, ["cse", "dce"]).data
    assert written("opt", "-O", "-", data=given) == opt(two).data
    assert written("strip", "--all", TWO) == strip(two, PARTS).data
    assert written("strip", TWO) == strip(two).data
    assert written("extract", "-", "--function", "second", data=given) == (
        extract(two, ["second"]).data
    )
    assert written("convert", "--to-version", "13.4", TWO, "-o", out) == b""
    assert out.read_bytes() == two.to_version("13.4").data
    text = disassemble(strip(two)).encode()
    assert written("strip", "--emit", "text", TWO) == text
    assert Bytecode.parse(written("strip", "-", data=text)).functions[1].name == "second"


def said(*arguments: object) -> dict:
    """The JSON that a command prints."""
    lines = written(*arguments, "--json").splitlines()
    assert len(lines) == 1
    document = json.loads(lines[0])
    assert document.pop("schema") == 1
    return document


def test_json(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = said("opt", "-p", "canonicalize,dce", GLOBALS, "-o", out)
    assert [row["name"] for row in done["passes"]] == ["canonicalise", "dce"]
    assert done["ops_before"] >= done["ops_after"] > 0
    assert (done["file"], done["output"]) == (str(GLOBALS), str(out))
    assert done["bytes_before"] == GLOBALS.stat().st_size
    assert done["bytes_after"] == out.stat().st_size
    assert set(said("strip", "--names", GLOBALS, "-o", out)["removed"]) == {"names"}
    assert said("extract", TWO, "--function", "first", "-o", out)["functions"] == ["first"]
    done = said("convert", "--to-version", "13.4", TWO, "-o", out)
    assert (done["from"], done["to"], done["lacks"]) == ("13.5", "13.4", [])
    assert {row["name"] for row in said("opt", "--list")["passes"]} == {*PASSES}
    assert {row["name"] for row in said("opt", "--rules")["rules"]} == {r.name for r in RULES}


def test_what_a_version_lacks_is_listed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = tileir("convert", "--to-version", "13.1", GLOBALS, "-o", out)
    assert (done.returncode, done.stdout) == (4, b"")
    assert [line.strip() for line in done.stderr.decode().splitlines()[1:]] == [
        "global visibility needs 13.3",
        "global constant needs 13.3",
    ]
    done = tileir("convert", "--to-version", "13.1", GLOBALS, "-o", out, "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["output"], document["bytes_after"]) == (4, None, None)
    assert [row["slot"] for row in document["lacks"]] == ["visibility", "constant"]
    assert not out.exists()


def test_passes_are_explained_and_watched() -> None:
    listed = written("opt", "--list").decode()
    assert [line.split()[0] for line in listed.splitlines()] == list(PASSES)
    assert len(written("opt", "--rules").splitlines()) == 3 * len(RULES)
    done = tileir("opt", "-O", "--time", "--print-after-all", "--verify-each", TWO)
    told = done.stderr.decode()
    assert [told.count(f"// after {name}, changes: ") for name in ("cse", "canonicalise")] == [1, 2]
    assert [line.split()[0] for line in told.splitlines()[-len(DEFAULT) :]] == list(DEFAULT)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["opt", TWO], "name passes with -p, or take those of -O; --list has all of them"),
        (["opt", "-O", "-p", "cse", TWO], "-O and -p both name the passes"),
        (
            ["opt", "-p", "cse,strip_debug", TWO],
            "no pass 'strip_debug', did you mean strip-debug?",
        ),
        (["opt", "-O"], "name a file, or - for standard input"),
        (["extract", "--function", "third", TWO], "there is no entry 'third'; the file has first"),
        (["strip", "--json", TWO], "-o is needed with --json"),
        (["strip", TWO, "-o", TWO], "is what is read; -o names another file"),
        (["strip", "nowhere"], "nowhere: No such file"),
        (["convert", "--to-version", "new", TWO], "--to-version: 'new' is not a version"),
    ],
)
def test_wrong_use(arguments: list, message: str) -> None:
    done = tileir(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr.decode()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_files_that_are_none(command: list[str], tmp_path: Path) -> None:
    newer, cut, text = (tmp_path / name for name in ("newer", "cut", "text"))
    newer.write_bytes(stated(TWO.read_bytes()))
    cut.write_bytes(TWO.read_bytes()[:-9])
    text.write_text("entry @k() {\n  %0 = nonsense\n}\n")
    for path, code in ((newer, 4), (cut, 3), (text, 3)):
        done = tileir(*command, path)
        assert (done.returncode, done.stdout) == (code, b"")
        assert path.name in done.stderr.decode()
    assert Bytecode.parse(written(*command, newer, "--assume-version", "13.5")).functions


def test_a_module_that_breaks_rules_is_not_optimised() -> None:
    path = sorted((FIXTURES / "invalid" / "rules").glob("same-type*.tileirbc"))[0]
    done = tileir("opt", "-O", path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert "the module is not valid, so no pass is run:" in done.stderr.decode()


def test_what_a_text_says_about_launches_is_told_to_be_lost() -> None:
    text = b"""module attributes {tt.num_warps = 4 : i32} {
      cuda_tile.module @m { cuda_tile.entry @first() { cuda_tile.return } }
    }"""
    done = tileir("extract", "-", "--function", "first", data=text)
    assert done.returncode == 0
    assert b"<stdin>: warning: bytecode cannot hold " in done.stderr
    assert b"tt.num_warps of the module" in done.stderr


def test_one_name_needs_no_list(two: Bytecode) -> None:
    assert [each.name for each in extract(two, "first").functions] == ["first"]
    assert opt(two, "cse").build() == opt(two, ["cse"]).build()
    assert strip(two, "names").build() == strip(two, ["names"]).build()
