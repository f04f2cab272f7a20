"""What an editor is told of a text: findings, pages, completions, layout; without the protocol."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, OLDEST_AND_NEWEST, name_of
from tileir import assemble, disassemble, load, verify
from tileir.errors import TileIRError
from tileir.formats.ops import OPS
from tileir.lsp.analysis import Analysis
from tileir.lsp.completions import completions
from tileir.lsp.text_lines import Lines

BROKEN = sorted((FIXTURES / "invalid" / "rules").glob("*.tileirbc"))
TEXT = """\
// a comment above
entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
      // of the loop
  %one = constant <i32: 1> : tile<i32>   // one
  %s = for %i in (%one to %n, step %one) : tile<i32> iter_values(%x = %one) -> (tile<i32>) {
     // inside
        %y = addi %x,%i : tile<i32>
        continue %y : tile<i32>
  }
}
"""
LAID_OUT = """\
// a comment above
entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
  // of the loop
  %one = constant <i32: 1> : tile<i32>  // one
  %s = for %i in (%one to %n, step %one) : tile<i32> iter_values(%x = %one) -> (tile<i32>) {
    // inside
    %y = addi %x, %i : tile<i32>
    continue %y : tile<i32>
  }
  return
}
"""


# Findings -----------------------------------------------------------------------------------------


@pytest.mark.sampled(6)
@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_findings_are_those_of_verify_at_their_ops(path: Path) -> None:
    try:
        text = disassemble(load(path))
        expected = verify(assemble(text))
    except TileIRError:
        return  # it has no text
    found = Analysis(text).findings
    assert [each.rule for each in found] == [each.rule for each in expected]
    for each, one in zip(found, expected, strict=True):
        assert one.message in each.message
        if one.text and one.offset is not None:
            assert text[each.start : each.end].removeprefix("cuda_tile.") == one.op


def test_findings_of_the_syntax() -> None:
    text = TEXT.replace("addi", "addy").replace("<i32: 1> : tile<i32>", "<i32: 1> : tile<f33>")
    found = Analysis(text).findings
    assert [text[each.start : each.end] for each in found] == ["f33", "addy"]
    assert all((each.severity, each.rule) == ("error", "") for each in found)
    assert Analysis(" \n").findings == []


# Pages --------------------------------------------------------------------------------------------


def page(text: str, word: str) -> str:
    said = Analysis(text).hover(text.index(word) + 1)
    assert said is not None
    assert text[said[1] : said[2]].startswith(word)
    return said[0]


def test_pages() -> None:
    assert "%y : tile<i32>" in page(TEXT, "%y")
    assert "%p : tile<ptr<f32>>" in page(TEXT, "%p")
    assert "entry @k(" in page(TEXT, "@k")
    assert "Sum of each pair of elements." in page(TEXT, "addi")
    assert "Immutable array" in page(TEXT, "tile")
    text = TEXT.replace(" %x,%i ", " %x, %i overflow<no_wrap> ")
    assert "promise about overflow" in page(text, "no_wrap")
    assert Analysis(TEXT).hover(len(TEXT)) is None


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.mnemonic)
def test_every_op_has_a_page_with_all_of_its_row(op) -> None:
    said = page(f"entry @k() {{\n  {op.mnemonic} x\n}}", op.mnemonic)
    assert op.doc in said
    slots = (*op.operands, *op.attributes, *op.results, *op.regions)
    assert not [slot.name for slot in slots if slot.name not in said]


# Completion ---------------------------------------------------------------------------------------


def words(text: str, behind: str) -> set[str]:
    return {each.word for each in completions(Analysis(text), text.index(behind) + len(behind))}


def test_completions() -> None:
    ops = {op.mnemonic for op in OPS if op.in_body}
    assert words(TEXT.replace("%y = addi", "%y = ad"), "%y = ad") == ops
    assert words(TEXT.replace("addi %x", "addi %"), "addi %") == {"%p", "%n", "%one", "%i", "%x"}
    assert words(TEXT.replace("continue %y", "co"), "\n        co") == ops
    assert {"nearest_even", "flush_to_zero"} <= words("entry @k() {\n addf %a, %b ", "%b ")
    assert "tile" in words(TEXT, " : ")
    assert words("", "") == {"entry", "global", "module"}
    assert words(TEXT, "// of ") == set()
    assert words('entry @k() {\n assert %a, "x ', '"x ') == set()
    assert words("global @t <i8: 1> : tile<1xi8>\nentry @k() {\n get_global @", "l @") >= {"@t"}


# Layout -------------------------------------------------------------------------------------------


def test_layout_keeps_names_and_comments() -> None:
    assert Analysis(TEXT).formatted() == LAID_OUT
    assert Analysis(LAID_OUT).formatted() == LAID_OUT


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", OLDEST_AND_NEWEST, ids=name_of)
def test_layout_is_that_of_the_printer(path: Path) -> None:
    """A text with other names and blanks, and comments above ops, becomes what was printed."""
    chance = random.Random(str(path))
    printed = disassemble(load(path), debug=chance.random() < 0.5)
    printed = re.sub(r"%(\w+)", r"%my_\1", printed)
    lines, mangled = [], []
    for line in printed.split("\n"):
        if chance.random() < 0.2 and re.match(r" +%", line):
            lines.append(re.sub(r"\S.*", "// here: %0", line))
            mangled.append("\t// here: %0 ")
        lines.append(line)
        comment = line.startswith("//")
        mangled.append(line if comment else line.replace(", ", " ,\t").replace("  ", " ").strip())
    text = "\n".join(mangled)
    if '"' not in printed:  # in which a comma may be
        assert Analysis(text).formatted() == "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("addi", "addy"),
        TEXT.replace("entry @k", "module attributes {nv.x = 1 : i32} {\nentry @k") + "}\n",
        TEXT + "// at the end\n",
        "entry @k(%m: tile<i32>) {\n %a:2 = mmaf\n}",
    ],
    ids=["broken", "attributes", "at the end", "packs"],
)
def test_what_would_change_stays_as_it_is(text: str) -> None:
    assert Analysis(text).formatted() is None


# Places -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_places_are_those_of_the_protocol(encoding: str) -> None:
    """Beside Python's own encoders; lines end with any of the three ends that it knows."""
    text = "a\r\n// \u00e9\U0001d11ex\u2028y\rb\n\n\U0001d11e"
    lines = Lines(text, encoding)
    unit = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    rows = re.split(r"\r\n|\r|\n", text)
    start = 0
    for number, row in enumerate(rows):
        for column in range(len(row) + 1):
            before = row[:column].encode(encoding.replace("6", "6-le").replace("32", "32-le"))
            place = number, len(before) // unit
            assert lines.place(start + column) == place
            assert lines.offset(*place) == start + column
        start += len(row) + (2 if text.startswith("\r\n", start + len(row)) else 1)
    assert lines.offset(0, 99) == 1
    assert lines.offset(99, 0) == len(text)
