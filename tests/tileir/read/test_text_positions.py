"""Findings about a module that was assembled from a text have lines and columns of the text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import tileir
from tests.corpus import FIXTURES
from tileir.__main__ import main
from tileir.errors import KernelError, TextPlace

TEXT = """\
module attributes { tt.num_warps = 4 : i32, nv_tileaa.compute_capability = 90 : i32 } {
  // nothing
  global @table alignment = 3 <i32: [1, 2]> : tile<2xi32>
  entry @first(%p: tile<ptr<f32>>) {
    %flag = constant <i1: 1> : tile<i1>
    if %flag {
    }
  }
  entry @second(%p: tile<ptr<f32>>, %n: tile<i32>) attributes {
      nvvm.maxnreg = 64 : i32 } {
    %0 = constant <i32: 0> : tile<i32>
    %1 = iota : tile<4xi32>   %2 = divi %n, %0 signed : tile<i32>
    for %i in (%0 to %n, step %n) : tile<i32> {
      %b = constant <f32: 1.0> : tile<f32>  // é: columns count characters
      %x, %tx = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
      %y = addf %x, %b : tile<f32>
      %tk = store_ptr_tko weak %p, %y : tile<ptr<f32>>, tile<f32> -> token
    }
  }
}
"""


MNEMONIC = re.compile(r"(?:^|=) *(\w+) |(?<=  )(})$")
"""Where an op begins, or the end of a region, which its terminator may be left out of."""


def place(needle: str, text: str = TEXT, name: str = "k.mlir") -> TextPlace:
    """Line and column of the only place that has something."""
    assert text.count(needle) == 1, needle
    lines = text[: text.index(needle)].split("\n")
    return TextPlace(name, len(lines), len(lines[-1]) + 1)


def replaced(before: str, after: str) -> str:
    assert TEXT.count(before) == 1, before
    return TEXT.replace(before, after)


@pytest.mark.parametrize("text", [TEXT, "\ufeff" + TEXT.replace("\n", "\r\n")])
def test_what_verify_finds(text: str) -> None:
    found = tileir.verify(tileir.assemble(text, name="k.mlir"))
    assert {one.kind: one.text for one in found} == {
        "global-alignment": place("@table"),
        "division-by-zero": place("divi"),
    }
    assert str(found[-1]).startswith("k.mlir:12:36: warning: divi: divides by a constant zero")


def test_places_of_an_edited_module_are_those_it_had() -> None:
    bytecode = tileir.assemble(TEXT, name="k.mlir")
    del bytecode.functions[1].body.block.ops[1]
    assert place("divi") in [one.text for one in tileir.verify(bytecode)]
    assert not any(one.text for one in tileir.verify(bytecode.build()))


UNSUPPORTED = [
    (
        "an op that a GPU cannot have",
        replaced("constant <f32: 1.0> : tile<f32>", "constant <f32: 1.0> : tile<f32>\n"
                 "%big = constant <f32: 1.0> : tile<4096x4096xf32>"),
        "constant <f32: 1.0> : tile<4096x", {},
    ),
    (
        "an attribute of an entry",
        replaced("nvvm.maxnreg = 64", "nvvm.maxnreg = 3"), "nvvm.maxnreg", {},
    ),
    ("one of the module", replaced("tt.num_warps = 4", "tt.num_warps = 5"), "tt.num_warps", {}),
    (
        "a GPU that is none",
        replaced("ability = 90", "ability = 70"), "nv_tileaa.compute_capability", {"target": None},
    ),
    (
        "what only an option says is about the entry",
        TEXT.replace("tt.num_warps = 4 : i32, ", ""), "@first",
        {"num_warps": 32, "minnctapersm": 32, "symbols": "first"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "needle", "how"), [row[1:] for row in UNSUPPORTED], ids=[row[0] for row in UNSUPPORTED]
)
def test_what_cannot_be_compiled(text: str, needle: str, how: dict) -> None:
    with pytest.raises(tileir.UnsupportedError) as caught:
        tileir.compile(tileir.assemble(text, name="k.mlir"), **{"target": "sm_90", **how})
    assert caught.value.diagnostics[0].text == place(needle, text)


def test_what_breaks_a_rule(tmp_path: Path) -> None:
    bytecode = tileir.assemble(TEXT, name="k.mlir")
    ops = [op for op in bytecode.functions[1].walk() if op.name == "addf"]
    ops[0].attributes["rounding_mode"] = "approx"
    with pytest.raises(tileir.VerifyError) as caught:
        tileir.compile(bytecode, "sm_90")
    assert [one.text for one in caught.value.diagnostics] == [place("addf")]


def test_lines_for_ptxas() -> None:
    """What becomes instructions is there, at its own place; nothing is at a place without an op."""
    ptx = tileir.compile(
        tileir.assemble(TEXT, name="a b.mlir"), "sm_90", symbols="second", lineinfo=True
    ).ptx
    assert re.findall(r"\.file\t1 (.*)", ptx) == ['"a b.mlir"']
    lines = {tuple(map(int, match)) for match in re.findall(r"\.loc\t1 (\d+) (\d+)\n", ptx)}
    for op in ("load_ptr_tko", "addf", "store_ptr_tko"):
        assert place(op)[1:] in lines, op
    starts = {(place("@second").line, 0)}
    for number, line in enumerate(TEXT.split("\n"), 1):
        starts |= {(number, match.start(match.lastindex) + 1) for match in MNEMONIC.finditer(line)}
    assert lines <= starts


def test_a_text_that_names_another_source_keeps_it() -> None:
    data = (FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes()
    text = tileir.disassemble(data, debug=True)
    ptx = tileir.compile(tileir.assemble(text, name="k.mlir"), "sm_90", lineinfo=True).ptx
    assert ptx == tileir.compile(data, "sm_90", lineinfo=True).ptx
    assert "k.mlir" not in ptx


def test_written_bytes_have_no_lines_of_the_text() -> None:
    bytecode = tileir.assemble(TEXT, name="k.mlir")
    before = bytes(bytecode.data)
    tileir.compile(bytecode, "sm_90", lineinfo=True)
    assert bytecode.build() == before == tileir.assemble(TEXT, name="other.mlir").build()
    assert bytecode.debug is None


def test_what_a_kernel_does_wrong_while_it_runs() -> None:
    text = replaced("divi %n, %0 signed : tile<i32>", "subi %n, %n : tile<i32>")
    bytecode = tileir.assemble(text, name="k.mlir")
    kernel = tileir.compile(bytecode, "host", check="memory")["second"]
    with pytest.raises(KernelError) as caught:
        kernel.launch(1, [np.zeros(0, np.float32), 1])
    assert caught.value.location == str(place("load_ptr_tko", text))


# Commands ---------------------------------------------------------------------------------------


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.mlir"
    path.write_text(TEXT)
    return path


def test_verify_takes_texts(source: Path, capsys) -> None:
    assert main(["verify", str(source)]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = place("divi", name=str(source))
    assert f"{at}: warning: divi: divides by a constant zero [division-by-zero]" in lines
    assert lines[-1] == f"{source}: valid, 2 warnings"
    assert main(["verify", "--json", str(source)]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (found,) = [one for one in file["diagnostics"] if one["op"] == "divi"]
    assert (found["line"], found["column"]) == at[1:]


def test_verify_refuses_what_is_no_text(source: Path, capsys) -> None:
    source.write_text(TEXT.replace("addf", "adf"))
    assert main(["verify", str(source), str(FIXTURES / "13.4" / "vector_add.tileirbc")]) == 3
    said = capsys.readouterr()
    assert said.out.endswith("vector_add.tileirbc: valid\n")
    at = place("adf", source.read_text(), str(source))
    assert said.err.startswith(f"tileir verify: {at}: error: there is no op 'adf'")
    assert main(["verify", "--json", str(source)]) == 3
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (found,) = file["diagnostics"]
    assert (found["rule"], found["line"], found["column"]) == ("syntax", *at[1:])
    assert file["valid"] is False
    assert "there is no op 'adf'" in file["unreadable"]


def test_compile_says_where(source: Path, capsys) -> None:
    source.write_text(replaced("tt.num_warps = 4", "tt.num_warps = 5"))
    assert main(["compile", str(source)]) == 4
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert first == f"tileir compile: {source}: the kernel cannot be launched as asked for:"
    at = place("tt.num_warps", source.read_text(), str(source))
    assert second.startswith(f"  {at}: error: attribute tt.num_warps is 5, not a power of two")


@pytest.mark.filterwarnings("always")
def test_compile_warns_where_there_are_no_lines(source: Path, capsys) -> None:
    bare = str(FIXTURES / "13.4" / "no_debug.tileirbc")
    assert main(["compile", "--target", "sm_90", "--lineinfo", bare]) == 0
    (warning,) = capsys.readouterr().err.splitlines()
    assert warning.startswith("tileir compile: warning: no line information: ")
    assert main(["compile", "--lineinfo", str(source)]) == 0
    said = capsys.readouterr()
    assert not said.err
    assert f'"{source}"' in said.out
