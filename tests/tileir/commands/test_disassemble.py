"""`tileir dis`: exact bytes, several files, terminals, what cannot be printed; once a program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, INVALID, ROOT
from tests.programs import call_bytes
from tests.tileir.text.printer.test_disassembly import golden
from tileir import Bytecode, disassemble
from tileir.__main__ import main
from tileir.builder import Module
from tileir.commands.colour import escaped

SOFTMAX = FIXTURES / "13.4" / "softmax.tileirbc"
TWO = FIXTURES / "13.4" / "two_entries.tileirbc"
SCOPES = FIXTURES / "13.4" / "debug_scopes.tileirbc"
BROKEN = FIXTURES / "invalid" / "type_index_out_of_range.tileirbc"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def dis(*arguments: object, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return call_bytes(main, "dis", *arguments, data=data)


def complaint(done: subprocess.CompletedProcess, code: int) -> str:
    """The one line on standard error; nothing may be on standard output."""
    assert (done.returncode, done.stdout) == (code, b"")
    (line,) = done.stderr.decode().splitlines()
    return line


@pytest.mark.parametrize("path", [SOFTMAX, TWO, SCOPES], ids=lambda path: path.stem)
def test_the_bytes_are_those_of_nvidia(path: Path) -> None:
    assert dis(path).stdout == golden(path).read_bytes()
    assert dis("-g", path).stdout == golden(path, debug=True).read_bytes()
    assert dis("--debug", "-", data=path.read_bytes()).stdout == dis("-g", path).stdout


def test_a_program_writes_the_same_bytes() -> None:
    program = [sys.executable, "-m", "tileir", "dis", "-g", "-", str(TWO)]
    done = subprocess.run(program, cwd=ROOT, input=SCOPES.read_bytes(), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == dis("-g", "-", TWO, data=SCOPES.read_bytes()).stdout


def test_an_output_file(tmp_path: Path) -> None:
    out = tmp_path / "k.tileir"
    done = dis(SOFTMAX, "-o", out)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert out.read_bytes() == golden(SOFTMAX).read_bytes()
    assert "at 0x17 in Func" in complaint(dis(BROKEN, "-o", out), 3)
    assert dis(SOFTMAX, BROKEN, "-o", out).returncode == 3
    assert out.read_bytes() == golden(SOFTMAX).read_bytes()
    assert list(tmp_path.iterdir()) == [out]


def test_several_files_have_headings() -> None:
    done = dis(SOFTMAX, "-", TWO, data=SCOPES.read_bytes())
    parts = [(SOFTMAX, SOFTMAX), ("-", SCOPES), (TWO, TWO)]
    shown = [f"// {name}\n".encode() + golden(path).read_bytes() for name, path in parts]
    assert done.stdout == b"".join(shown)


def test_one_broken_file_does_not_hide_the_others(tmp_path: Path) -> None:
    done = dis(BROKEN, tmp_path / "missing", SOFTMAX)
    assert done.returncode == 3
    assert done.stdout == f"// {SOFTMAX}\n".encode() + golden(SOFTMAX).read_bytes()
    first, second = done.stderr.decode().splitlines()
    assert first.startswith(f"tileir dis: {BROKEN}: at 0x17 in Func")
    assert second == f"tileir dis: {tmp_path / 'missing'}: No such file or directory"


def test_every_invalid_file_is_an_error_or_a_text() -> None:
    done = dis(*INVALID)
    assert done.returncode == 3
    lines = done.stderr.decode().splitlines()
    assert not [line for line in lines if "defect" in line or "Traceback" in line]
    named = {line.split(": ")[1] for line in lines}
    assert named | set(re.findall(r"^// (.*)$", done.stdout.decode(), re.MULTILINE)) == {
        str(path) for path in INVALID
    }


def test_other_errors(tmp_path: Path) -> None:
    assert "No such file" in complaint(dis(tmp_path / "missing"), 2)
    assert "header.magic" in complaint(dis("-", data=b"entry @k() {\n  return\n}\n"), 3)
    older = bytearray(SOFTMAX.read_bytes())
    older[9] = 0
    assert "13.0" in complaint(dis("-", data=bytes(older)), 4)
    assert "required: FILE" in complaint(dis(), 2)


def test_one_kernel() -> None:
    names = [function.name for function in Bytecode.parse(TWO.read_bytes()).functions]
    texts = [dis("--function", name, TWO).stdout for name in names]
    assert len(texts) == 2
    assert b"".join(texts) == golden(TWO).read_bytes()
    line = complaint(dis("--function", "nobody", TWO), 2)
    assert line.endswith(f"there is no function 'nobody'; the file has {', '.join(names)}")
    alone = dis("-g", "--function", names[1], TWO).stdout.decode()
    used = set(re.findall(r"#(?!cuda_tile)\w+", alone))
    assert used
    assert used == set(re.findall(r"^(#\w+) = ", alone, re.MULTILINE))


def odd_module() -> bytes:
    """A module whose names are neither UTF-8 nor fit for a terminal."""
    module = Module("13.4")
    kernel = module.function("name\udcff\x1b[2J")
    kernel.return_()
    return module.build()


def test_odd_names_are_escaped_as_nvidia_does() -> None:
    assert rb'@"name\FF\1B[2J"' in dis("-", data=odd_module()).stdout


def test_what_is_odd_is_warned_of() -> None:
    data = bytearray(SOFTMAX.read_bytes())
    position = len(data) - 1
    data[position:position] = bytes([6, 4, 0, 1, 2, 3])  # a Global section: no globals, then bytes
    done = dis("-", data=bytes(data))
    assert (done.returncode, done.stdout) == (0, golden(SOFTMAX).read_bytes())
    assert "unused" in done.stderr.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_colour_on_a_terminal(tmp_path: Path) -> None:
    coloured = on_terminal("dis", "-g", SCOPES)
    plain = golden(SCOPES, debug=True).read_text()
    assert COLOUR.sub("", coloured) == plain
    assert len(COLOUR.findall(coloured)) > 10
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        assert on_terminal("dis", "-g", SCOPES, **{name: value}) == plain


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_file_cannot_talk_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "odd.tileirbc"
    module = Module("13.4", producer="me\x1b[2J\udcff")
    module.function("k").return_()
    path.write_bytes(module.build())
    assert dis(path).stdout.startswith(b"// Producer: me\x1b[2J\xff\n")
    for environment in ({}, {"NO_COLOR": "1"}):
        shown = COLOUR.sub("", on_terminal("dis", path, **environment))
        assert shown.startswith("// Producer: me\\x1b[2J\\udcff\n")


def on_terminal(
    *arguments: object, program: Sequence[str] = ("-m", "tileir"), **environment: str
) -> str:
    """What a command writes to a terminal."""
    import pty

    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    ours, theirs = pty.openpty()
    command = [sys.executable, *program, *map(str, arguments)]
    options = {"cwd": ROOT, "env": {**kept, "TERM": "xterm", **environment}}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, **options):
        os.close(theirs)
        pieces = []
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:  # how Linux says that the other end is closed
                break
            if not piece:
                break
            pieces.append(piece)
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def test_json_is_a_line_for_each_file() -> None:
    done = dis("--json", TWO, SOFTMAX)
    two, softmax = map(json.loads, done.stdout.decode().splitlines())
    assert (two["file"], softmax["file"]) == (str(TWO), str(SOFTMAX))
    assert [kernel["name"] for kernel in softmax["functions"]] == ["softmax"]
    assert {two["schema"], softmax["schema"]} == {1}
    (kernel,) = json.loads(dis("--json", "--function", "softmax", SOFTMAX).stdout)["functions"]
    assert [kernel] == softmax["functions"]
    odd = json.loads(dis("--json", "-", data=odd_module()).stdout)
    assert odd["functions"][0]["name"] == "name\udcff\x1b[2J"
    assert "at 0x17 in Func" in complaint(dis("--json", BROKEN), 3)


def test_lines_for_a_terminal() -> None:
    assert escaped("a\tb\nc\x1b\udc80é\n") == "a\\tb\nc\\x1b\\udc80é\n"


def test_the_public_function() -> None:
    assert disassemble(SOFTMAX.read_bytes()).encode() == golden(SOFTMAX).read_bytes()
    with pytest.raises(KeyError, match="no function 'nobody'; there are: softmax"):
        disassemble(SOFTMAX.read_bytes(), function="nobody")
    with pytest.raises(TypeError, match=r"expected a Bytecode or bytes, got NoneType$"):
        disassemble(None)
