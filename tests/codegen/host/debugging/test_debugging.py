"""Breakpoints, the variables of source, and the values that a second run finds."""

from __future__ import annotations

import io
import re
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import tileir
from tileir.codegen import compile
from tileir.codegen.analysis.source_names import source_names
from tileir.codegen.host.debugging import frames
from tileir.codegen.host.debugging.break_on import BreakOn
from tileir.codegen.host.debugging.frames import Place
from tileir.codegen.host.running import breakpoints
from tileir.errors import KernelAssertionError, KernelError

SOURCE = """\
def twice(a):
    b = a + a
    return b * 1
def kernel(x):
    first = x + 1
    for i in range(3):
        first += 2
    y, z = first * 2, twice(first)
    assert z < 9
"""
COUNTED = """\
entry @k(%n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32> at 7:8
  %zero = constant <i32: 0> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %f = addi %n, %one : tile<i32> at 5:12
  %l = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%c = %f) -> (tile<i32>) {
    %d = addi %c, %two : tile<i32> at 7:8
    continue %d : tile<i32>
  } at 6:4
  %t = print_tko "tileir.breakpoint()\\0A" -> token at 1:0, 8:4
  %y = muli %l, %two : tile<i32> at 8:11
  %b = addi %l, %l : tile<i32> at 2:8, 8:22
  %z = muli %b, %one : tile<i32> at 3:11, 8:22
  %s = cmpi less_than %z, %n, signed : tile<i32> -> tile<i1>
  assert %s, "large" : tile<i1> at 9:4
  return
} at 4:0
#file = #cuda_tile.di_file<"NAME" in "FOLDER">
#unit = #cuda_tile.di_compile_unit<file = #file>
#scope = #cuda_tile.di_subprogram<file = #file, line = 4, name = "kernel", linkageName = "k",
  compileUnit = #unit, scopeLine = 4>
"""
"""`at` and a line and a column, or those of an inlined op and of the call, stand for locations."""


def counted(source: Path) -> tileir.Bytecode:
    """The kernel, compiled from that file."""

    def located(match: re.Match[str]) -> str:
        inner, outer = (place and f"#at{place.replace(':', '_')}" for place in match.groups())
        return f"loc(callsite({inner} at {outer}))" if outer else f"loc({inner})"

    text = re.sub(r"at (\d+:\d+)(?:, (\d+:\d+))?$", located, COUNTED, flags=re.MULTILINE)
    text = text.replace("NAME", source.name).replace("FOLDER", str(source.parent))
    for alias in sorted(set(re.findall(r"#at\d+_\d+", text))):
        line, column = alias.removeprefix("#at").split("_")
        text += f'{alias} = #cuda_tile.di_loc<loc("{source}":{line}:{column}) in #scope>\n'
    return tileir.assemble(text)


@pytest.fixture
def module(tmp_path: Path) -> tileir.Bytecode:
    source = tmp_path / "kernel.py"
    source.write_text(SOURCE)
    return counted(source)


def test_variables_of_source(module: tileir.Bytecode) -> None:
    names = source_names(module.functions[0])
    named = sorted(
        (name, getattr(value.owner, "name", "argument")) for value, name in names.items()
    )
    assert named == [
        ("b", "addi"), ("first", "addi"), ("first", "addi"), ("first", "argument"),
        ("first", "for"), ("i", "argument"), ("y", "muli"), ("z", "muli"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["missing.py", "kernel.txt", "wrong.py"])
def test_what_is_no_python_has_no_variables(name: str, tmp_path: Path) -> None:
    (tmp_path / "kernel.txt").write_text(SOURCE)
    (tmp_path / "wrong.py").write_text("def (")
    assert source_names(counted(tmp_path / name).functions[0]) == {}


def test_a_breakpoint_shows_what_it_sees(module: tileir.Bytecode, capsys, tmp_path: Path) -> None:
    with pytest.raises(KernelAssertionError):
        compile(module)["k"].launch(1, [4], print_assertions=False)
    assert capsys.readouterr().out.splitlines() == [
        f"breakpoint at {tmp_path}/kernel.py:8 in kernel, block (0, 0, 0)", "  first = 11",
    ]  # fmt: skip


def test_a_variable_can_be_traced(module: tileir.Bytecode) -> None:
    seen = []
    with pytest.raises(KernelAssertionError):
        compile(module, trace="first")["k"].launch(
            1, [4], on_trace=lambda name, tile, _: seen.append((name, int(tile)))
        )
    assert seen == [("first", n) for n in (5, 7, 9, 11)], "each value that is assigned, once"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_pdb_opens_at_a_terminal(module: tileir.Bytecode, monkeypatch) -> None:
    out = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal("p int(first) + 1\nl\nw\nc\n"))
    monkeypatch.setattr(sys, "stdout", out)
    with pytest.raises(KernelAssertionError):
        compile(module)["k"].launch(1, [4], print_assertions=False)
    text = out.getvalue()
    assert "kernel.py(8)kernel()\n-> y, z = first * 2, twice(first)\n" in text
    assert "(Pdb) 12\n" in text
    assert text.count("(8)kernel()") == 2, "`where` shows the kernel"
    assert not re.search(r"frames\.py|reports\.py|breakpoints\.py", text), "and nothing of ours"


def test_pdb_knows_the_arguments(module: tileir.Bytecode, monkeypatch) -> None:
    """A frontend says what they are; the variables hide them."""
    out = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal("p x, int(first)\nc\n"))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(breakpoints, "ARGUMENTS", [lambda: {"x": 4, "first": 0}])
    with pytest.raises(KernelAssertionError):
        compile(module)["k"].launch(1, [4], print_assertions=False)
    assert "(Pdb) (4, 11)\n" in out.getvalue()


def test_leaving_pdb_ends_the_program(module: tileir.Bytecode, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("q\n"))
    monkeypatch.setattr(sys, "stdout", Terminal())
    with pytest.raises(SystemExit, match=r"^tileir: ended at a breakpoint$"):
        compile(module)["k"].launch(1, [4])


def test_the_variables_of_an_assertion(module: tileir.Bytecode) -> None:
    kernel = compile(module)["k"]
    stop = BreakOn(["assert"], module, "k", [])
    with pytest.raises(KernelAssertionError) as found, stop.launch(kernel, 1, [4], []):
        kernel.launch(1, [4], print_assertions=False)
    variables = found.value.variables
    assert {name: int(tile) for name, tile in variables.items()} == {
        "i": 2, "first": 11, "y": 22, "b": 22, "z": 22,
    }  # fmt: skip
    error = found.value
    place = Place.of(error.location, "kernel", error.block)
    shown = frames.traceback_at(place, error, variables)
    (frame,) = traceback.extract_tb(shown)
    assert (frame.lineno, frame.name, frame.line) == (9, "kernel", "assert z < 9")
    assert shown.tb_frame.f_locals["z"] == 22


VIEW = "partition_view<tile=(1), tensor_view<4xi32, strides=[1]>>"
HALVES = f"""\
entry @k(%p: tile<ptr<i32>>) {{
  %x, %y, %z = get_tile_block_id : tile<i32>
  %t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>
  %v = make_partition_view %t : {VIEW}
  %zero = constant <i32: 0> : tile<i32>
  %a, %b = load_view_tko weak %v[%zero] : {VIEW}, tile<i32> -> tile<1xi32>, token
  %c = reshape %a : tile<1xi32> -> tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %d = subi %two, %c : tile<i32>
  %e = divi %two, %d signed : tile<i32>
  %n = constant <i32: 1> : tile<1xi32>
  %f = addi %a, %n : tile<1xi32>
  %s = store_view_tko weak %f, %v[%zero] : tile<1xi32>, {VIEW}, tile<i32> -> token
  %w = print_tko "%d", %e : tile<i32> -> token
  return
}}"""


def test_blocks_before_run_again_and_memory_stays(capsys) -> None:
    """Each block counts up the first element; the third divides by zero."""
    module = tileir.assemble(HALVES)
    kernel = compile(module, check="undefined")["k"]
    array = np.zeros(4, np.int32)
    memory = [(array.ctypes.data, array.nbytes)]
    stop = BreakOn(["finding"], module, "k", ["undefined"])
    with pytest.raises(KernelError) as found, stop.launch(kernel, 4, [array], memory):
        kernel.launch(4, [array], threads=1)
    assert found.value.block == (2, 0, 0)
    assert found.value.variables["%0"] == 0
    assert found.value.variables["%tile"] == [2]
    assert array[0] in (3, 4), "the launch went on or not; the second run is undone"
    assert capsys.readouterr().out == "12", "printed once"


def test_places() -> None:
    place = Place.of("/x/cuda/tile/_stub.py:6:7, inlined at /a b/k.py:12:3", "k", (1, 2, 3))
    assert str(place) == "/a b/k.py:12 in k, block (1, 2, 3)"
    assert Place.of("", "k", None) == Place("<kernel>", 1, "k", ())
