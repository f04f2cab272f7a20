"""`tileir as`: text in, bytecode out; every error with its place; once a program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, ROOT
from tests.programs import call_bytes
from tests.tileir.commands.test_disassemble import COLOUR, on_terminal
from tests.tileir.text.printer.test_disassembly import golden
from tileir import Bytecode, disassemble
from tileir.__main__ import main
from tileir.formats.version import LATEST

SOFTMAX = FIXTURES / "13.4" / "softmax.tileirbc"
SCOPES = FIXTURES / "13.4" / "debug_scopes.tileirbc"

SHELL = """\
module attributes { nv_tileaa.compute_capability = 90 : i32, tt.num_warps = 4 : i32 } {
  cuda_tile.module @m { cuda_tile.entry @noop() { cuda_tile.return } }
}
"""

WRONG = """\
entry @sum(%arg0: tile<f32>) {
  %0 = addf %arg0, %arg1 : tile<f32>
  %1 = addd %arg0, %arg0 : tile<f32>
  return
}
"""


def assemble(*arguments: object, text: bytes | str | None = None):
    data = text.encode() if isinstance(text, str) else text
    return call_bytes(main, "as", *arguments, data=data)


def test_a_program_writes_the_same_bytes() -> None:
    program = [sys.executable, "-m", "tileir", "as", "-"]
    text = golden(SOFTMAX).read_bytes()
    done = subprocess.run(program, cwd=ROOT, input=text, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == assemble("-", text=text).stdout
    assert disassemble(done.stdout).encode() == text


def complaint(done: subprocess.CompletedProcess, code: int) -> str:
    """The one line on standard error; nothing may be on standard output."""
    assert (done.returncode, done.stdout) == (code, b"")
    (line,) = done.stderr.decode().splitlines()
    return line


def test_what_dis_prints(tmp_path: Path) -> None:
    source = tmp_path / "kernel.v1.tileir"
    for text in (golden(SOFTMAX), golden(SCOPES, debug=True)):
        source.write_bytes(text.read_bytes())
        done = assemble(source)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        written = (tmp_path / "kernel.v1.tileirbc").read_bytes()
        assert disassemble(written, debug=text.suffixes == [".g", ".txt"]).encode() == (
            text.read_bytes()
        )
        piped = assemble("-", text=text.read_bytes())
        assert (piped.returncode, piped.stdout) == (0, written)
    assert {path.name for path in tmp_path.iterdir()} == {"kernel.v1.tileir", "kernel.v1.tileirbc"}


def test_the_version(tmp_path: Path) -> None:
    out = tmp_path / "k.tileirbc"
    for version in ("13.1", "13.5"):
        assert assemble(golden(SOFTMAX), "--version", version, "-o", out).returncode == 0
        assert str(Bytecode.parse(out.read_bytes()).version) == version
    latest = assemble("-", text="entry @k() { return }").stdout
    assert Bytecode.parse(latest).version == LATEST
    assert "13.9 is not one of 13.1" in complaint(assemble("-", "--version", "13.9", text=""), 4)
    assert "is not a version" in complaint(assemble("-", "--version", "new", text=""), 2)
    gather = golden(FIXTURES / "13.4" / "gather_rows.tileirbc")
    done = assemble(gather, "--version", "13.1", "-o", out)
    assert done.returncode == 3
    assert b"13.3" in done.stderr


def test_every_error_with_its_place(tmp_path: Path) -> None:
    out, source = tmp_path / "k.tileirbc", tmp_path / "k.tileir"
    out.write_text("precious")
    source.write_text(WRONG)
    done = assemble(source)
    assert (done.returncode, done.stdout) == (3, b"")
    lines = done.stderr.decode().splitlines()
    heads = [line for line in lines if "error: " in line]
    assert [head.partition(" error: ")[0] for head in heads] == [
        f"{source}:2:20:",
        f"{source}:3:8:",
    ]
    for head, column in zip(heads, (20, 8), strict=True):
        shown, caret = lines[lines.index(head) + 1 :][:2]
        assert shown.strip() in WRONG
        assert shown[caret.index("^") :][:1] == shown.strip()[column - 3]
    assert out.read_text() == "precious"
    assert b"<stdin>:2:20: error: " in assemble("-", text=WRONG).stderr


def test_errors_as_json(tmp_path: Path) -> None:
    done = assemble("-", "--json", "-o", tmp_path / "k.tileirbc", text=WRONG)
    assert (done.returncode, done.stderr) == (3, b"")
    errors = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert [(error["line"], error["column"], error["length"]) for error in errors] == [
        (2, 20, 5),
        (3, 8, 4),
    ]
    for error in errors:
        assert (error["file"], error["severity"], error["schema"]) == ("<stdin>", "error", 1)
        assert error["source"] == WRONG.splitlines()[error["line"] - 1]
    assert "'addd'" in errors[1]["message"]


def test_all_that_goes_wrong_is_json(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    for arguments, code, message in (
        ((missing,), 2, "No such file"),
        ((SOFTMAX,), 3, "bytecode already"),
        (("-",), 2, "-o is needed with --json"),
        (("-", "--version", "13.9"), 4, "13.9 is not one of"),
        (("-", "-o", tmp_path / "out"), 3, "<stdin>: the text is empty"),
    ):
        done = assemble("--json", *arguments, text="")
        assert (done.returncode, done.stderr) == (code, b"")
        (line,) = done.stdout.decode().splitlines()
        told = json.loads(line)
        assert message in told["message"]
        assert (told["severity"], told["line"], told["schema"]) == ("error", None, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_an_output_that_is_full_is_named() -> None:
    line = complaint(assemble("-", "-o", "/dev/full", text="entry @k() {}"), 2)
    assert line == "tileir as: /dev/full: No space left on device"


def test_the_example_of_help_works(tmp_path: Path) -> None:
    """The editor in it, on the fixture whose size it changes."""
    text = golden(FIXTURES / "13.4" / "vector_add.tileirbc").read_text()
    assert "| sed s/1024/2048/g |" in assemble("--help").stdout.decode()
    out = tmp_path / "k2.tileirbc"
    done = assemble("-", "-o", out, text=text.replace("1024", "2048"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert "tile<2048xf32>" in disassemble(out.read_bytes())


def test_what_bytecode_cannot_hold_is_named(tmp_path: Path) -> None:
    out = tmp_path / "k.tileirbc"
    done = assemble("-", "-o", out, text=SHELL)
    line = complaint(done, 0)
    assert line.startswith("<stdin>: warning: ")
    assert "tt.num_warps" in line
    assert "nv_tileaa.compute_capability" in line
    assert "the name of module @m" in line
    assert disassemble(out.read_bytes()) == "entry @noop() {\n  return\n}\n"
    told = assemble("-", "--json", "-o", out, text=SHELL).stdout.decode().splitlines()
    assert {json.loads(line)["severity"] for line in told} == {"warning"}
    assert len(told) == 3
    named = "module @kernels { entry @k() {} }"
    assert assemble("-", "-o", out, text=named).stderr == b""


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_an_empty_text_is_no_module(text: str, tmp_path: Path) -> None:
    """It comes of a pipe whose first program failed; of an empty module something is written."""
    out = tmp_path / "out"
    said = complaint(assemble("-", "-o", out, text=text), 3)
    assert said == "tileir as: <stdin>: the text is empty; module {} is a module without kernels"
    assert not out.exists()
    assert assemble("-", "-o", out, text="module {}").returncode == 0
    assert Bytecode.parse(out.read_bytes()).functions == []


def test_wrong_use(tmp_path: Path) -> None:
    assert "No such file" in complaint(assemble(tmp_path / "missing"), 2)
    assert "bytecode already; tileir dis" in complaint(assemble(SOFTMAX), 3)
    text = tmp_path / "k.tileirbc"
    text.write_text("return")
    assert "-o is needed" in complaint(assemble(text), 2)
    assert text.read_text() == "return"
    assert "is what is read" in complaint(assemble(text, "-o", tmp_path / "." / text.name), 2)
    assert text.read_text() == "return"
    assert assemble("-", text=b"\xff\x00 entry").returncode == 3


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_gets_colour_but_no_bytecode(tmp_path: Path) -> None:
    source = tmp_path / "k.tileir"
    source.write_text(WRONG)
    coloured = on_terminal("as", source)
    plain = on_terminal("as", source, NO_COLOR="1")
    assert COLOUR.sub("", coloured) == plain == assemble(source).stderr.decode()
    assert "\x1b" in coloured
    assert "nothing for a terminal" in on_terminal("as", golden(SOFTMAX), "-o", "-")
