"""The text of comparisons: marks, context, names and line numbers of `tileir dis`."""

from __future__ import annotations

import tileir
from tests.corpus import FIXTURES
from tileir import Bytecode
from tileir.diff import compare
from tileir.diff.printed import PrintedModule
from tileir.diff.report import stat
from tileir.diff.unified import unified

TEXT = """
cuda_tile.module @m {
  entry @f(%x: tile<f32>, %p: tile<ptr<f32>>, %c: tile<i1>) {
    %one = constant <f32: 1.0> : tile<f32>
    %a = addf %x, %one : tile<f32>
    if %c {
      %b = mulf %a, %a : tile<f32>
      %s = store_ptr_tko weak %p, %b : tile<ptr<f32>>, tile<f32> -> token
      yield
    }
    %e = exp %a : tile<f32>
    %t = store_ptr_tko weak %p, %e : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


def text(*replaced: tuple[str, str], context: int = 1) -> list[str]:
    """What is said of a text in which something was replaced, without the names of the files."""
    other = TEXT
    for before, after in replaced:
        assert before in other
        other = other.replace(before, after)
    difference = compare(tileir.assemble(TEXT), tileir.assemble(other))
    return [line.rstrip() for line in unified(difference, context)][2:]


def test_a_changed_attribute() -> None:
    assert text(("constant <f32: 1.0>", "constant <f32: 2.0>")) == [
        "@@ -1,3 +1,3 @@ @f",
        " entry @f(%arg0: tile<f32>, %arg1: tile<ptr<f32>>, %arg2: tile<i1>) {",
        "-  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>",
        "+  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>",
        "!    value: <f32: 1.000000e+00> -> <f32: 2.000000e+00>",
        "   %0 = addf %arg0, %cst_2_f32  : tile<f32>",
    ]


def test_what_uses_another_op_in_its_place_is_as_it_was() -> None:
    assert text(("%a = addf %x, %one", "%a = subf %x, %one"), context=0) == [
        "@@ -3,1 +3,1 @@ @f",
        "-  %0 = addf %arg0, %cst_1_f32  : tile<f32>",
        "+  %0 = subf %arg0, %cst_1_f32  : tile<f32>",
    ]


def test_what_uses_something_else_than_others_do_is_told() -> None:
    """One user of the op takes what replaced it, and another one does not."""
    other = ("%a = addf %x, %one", "%a = subf %x, %one"), ("= exp %a", "= exp %x")
    assert [line for line in text(*other, context=0) if line.startswith("!")] == [
        "!    lhs: %0 = addf -> %0 = subf",
        "!    rhs: %0 = addf -> %0 = subf",
        "!    source: %0 = addf -> %arg0",
    ]


def test_a_region_that_is_new() -> None:
    otherwise = "yield\n    } else {\n      %d = mulf %x, %x : tile<f32>\n      yield\n    }"
    assert text(("yield\n    }", otherwise)) == [
        "@@ -3,6 +3,8 @@ @f if",
        "   %0 = addf %arg0, %cst_1_f32  : tile<f32>",
        "*  if %arg2 {",
        "!    region elseRegion: 0 -> 1",
        "     %3 = mulf %0, %0  : tile<f32>",
        "     %4 = store_ptr_tko weak %arg1, %3 : tile<ptr<f32>>, tile<f32> -> token",
        "-  }",
        "+  } else {",
        "+    %3 = mulf %arg0, %arg0  : tile<f32>",
        "+  }",
        "   %1 = exp %0  : tile<f32>",
    ]


def test_an_op_that_moved_is_shown_where_it_is() -> None:
    line = "    %e = exp %a : tile<f32>\n"
    assert text((line, ""), ("    if %c", f"{line}    if %c"), context=0) == [
        "@@ -0,0 +4,1 @@ @f",
        "~  %1 = exp %0  : tile<f32>",
        "!    moved from line 8",
    ]


def test_what_surrounds_a_region_goes_without_its_contents() -> None:
    inner = "      %b = mulf %a, %a : tile<f32>\n"
    found = text((inner, ""), ("    if %c", f"{inner}    if %c"), context=0)
    assert found[1:] == ["~  %1 = mulf %0, %0  : tile<f32>", "!    moved from line 5, in if"]


def test_lines_are_those_of_dis() -> None:
    module = Bytecode.parse((FIXTURES / "13.1" / "branches.tileirbc").read_bytes())
    printed = PrintedModule(module)
    assert "\n".join(printed.lines) == tileir.disassemble(module)
    for function in module.functions:
        lines = printed.function[id(function)]
        assert printed.lines[lines.start].startswith(f"entry @{function.name}(")
        assert printed.lines[lines.stop - 1] == "}"
        for op in function.walk():
            if lines := printed.lines_of(op):
                assert op.name in printed.lines[lines.start]
                assert (
                    printed.name.get(op.results[0] if op.results else None, "")
                    in (printed.lines[lines.start])
                )


def test_counts_by_function() -> None:
    one, two = (
        Bytecode.parse((FIXTURES / "13.1" / f"{name}.tileirbc").read_bytes())
        for name in ("softmax", "softmax_fast")
    )
    assert list(stat(compare(one, one))) == []
    (line,) = stat(compare(one, two))
    assert line.startswith(" @softmax -> softmax_fast  34 -> 40 ops  ")
