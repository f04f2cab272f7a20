"""Keys of hints, which NVIDIA's disassembler prints as they are: from bytes to text and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs import call_bytes
from tileir import AssemblyError, Bytecode, assemble, disassemble
from tileir.__main__ import main
from tileir.attributes import Hints
from tileir.builder import Module, number

KEYS = [b"latency", b"\xff\xfekey", b"\xff", b"caf\xc3\xa9", b"x y", b"a-b", b"1a", b"a:b/c", b"\0"]


def hinted(architecture: bytes, key: bytes) -> bytes:
    """A module whose one kernel has a hint, as bytecode."""
    module = Module("13.4")
    module.function("k").return_()
    bytecode = module.bytecode()
    name, inner = (text.decode("utf-8", "surrogateescape") for text in (architecture, key))
    bytecode.functions[0].hints = Hints({name: {inner: number(3, "i32")}})
    return bytecode.build()


@pytest.mark.parametrize("architecture", [b"sm_90", b"\xc3\x28"])
@pytest.mark.parametrize("key", KEYS)
def test_a_key_survives(architecture: bytes, key: bytes, tmp_path: Path) -> None:
    """In Python, and in files."""
    data = hinted(architecture, key)
    text = disassemble(data)
    assert assemble(text, "13.4").functions[0].hints == Bytecode.parse(data).functions[0].hints
    printed = call_bytes(main, "dis", "-", "-o", tmp_path / "k.tileir", data=data)
    assert (printed.returncode, printed.stdout) == (0, b"")
    assert b"<" + architecture + b" = {" + key + b" = 3}>" in (tmp_path / "k.tileir").read_bytes()
    made = call_bytes(main, "as", "--version", "13.4", tmp_path / "k.tileir")
    assert (made.returncode, made.stderr) == (0, b"")
    assert disassemble((tmp_path / "k.tileirbc").read_bytes()) == text


@pytest.mark.oracle
@pytest.mark.parametrize("key", KEYS)
def test_nvidia_prints_the_same(key: bytes, tool, tmp_path: Path) -> None:
    path = tmp_path / "k.tileirbc"
    path.write_bytes(hinted(b"sm_90", key))
    done = tool("tileirdisasm", path)
    assert done.returncode == 0
    assert done.stdout == disassemble(path.read_bytes()).encode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("hints", "problem"),
    [
        ("{occupancy 2}", "expected ',', found '2'"),
        ("{a = 1, a = 2}", "a is there twice"),
        ("{x y = 1, x y = 2}", "x y is there twice"),
        ("{= 1}", "expected a name, found '='"),
        ("{a // b = 1\n = 2, b c}", "expected ',', found 'c'"),
    ],
)
def test_what_is_no_key(hints: str, problem: str) -> None:
    text = f"entry @k() optimization_hints=<sm_90 = {hints}> {{ return }}"
    with pytest.raises(AssemblyError) as caught:
        assemble(text)
    assert problem in str(caught.value)


def test_other_dictionaries_quote_their_keys() -> None:
    with pytest.raises(AssemblyError, match="expected ','"):
        assemble("entry @k(%a: tile<i32> {a.x y = 1 : i32}) { return }")
    assert assemble('entry @k(%a: tile<i32> {"a.x y" = 1 : i32}) { return }').functions
