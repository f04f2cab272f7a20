"""Names in texts: the lexer of Pygments has the same ones, and the IR as many uses of each."""

from __future__ import annotations

from collections import Counter

import pytest
from pygments.token import Name

from tests.corpus import FIXTURES, OLDEST_AND_NEWEST
from tests.every_fixture import Fixture, every_fixture
from tileir import assemble, disassemble, load
from tileir.lsp.occurrences import occurrences
from tileir.pygments_lexer import TileIRLexer


@every_fixture(files=OLDEST_AND_NEWEST)
def all_names_are_found(fixture: Fixture) -> None:
    text = fixture.texts[0]
    found = occurrences(text)
    lexed = TileIRLexer().get_tokens_unprocessed(text)
    expected = [(at, word) for at, kind, word in lexed if kind is Name.Variable]
    values = [each for each in found.names if each.text[0] == "%"]
    assert [(each.start, each.text) for each in values] == expected
    assert all(text[each.start : each.end] == each.text for each in found.names)
    assert all(each.definition is not None for each in found.names)
    uses = Counter(
        e.definition for e in found.names if e.text[0] == "%" and e.start != e.definition
    )
    named = [each for each in found.names if each.text[0] == "%" and each.start == each.definition]
    counts: Counter[str] = Counter()
    module = assemble(text)
    for function in module.functions:
        values = [*function.parameters]
        for op in function.walk():
            values += op.results
            for region in op.regions:
                values += [value for block in region.blocks for value in block.arguments]
        counts.update(f"{value.type} {len(value.uses)}" for value in values)
    # terminators that the text leaves out have no operands, so every use is in it
    assert Counter(f"{each.type} {uses[each.start]}" for each in named) == counts


TEXT = """\
!t = !cuda_tile.tile<4xf32>
cuda_tile.module @m {
  global @table <f32: [1.0, 2.0]> : tile<2xf32>
  entry @k(%n: tile<i32>) {
    %a = constant <f32: 0.0> : tile<4xf32>
    %s = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %a) -> (tile<4xf32>) {
      %a2 = addf %x, %a : tile<4xf32>
      continue %a2 : tile<4xf32>
    }
    %t = get_global @table : tile<ptr<f32>>
    addg %s
    %u = addf %s, %gone : !t
    return
  }
}
"""


def test_scopes_symbols_and_aliases() -> None:
    found = occurrences(TEXT)
    at = TEXT.index
    assert [each.text for each in found.visible(at("continue"))] == ["%n", "%a", "%i", "%x", "%a2"]
    assert [each.text for each in found.visible(at("return"))] == ["%n", "%a", "%s", "%t", "%u"]
    table = found.name_at(at("@table :"))
    assert table is not None
    assert (table.text, table.definition) == ("@table", at("@table"))
    alias = found.name_at(at("!t\n    return"))
    assert alias is not None
    assert alias.definition == 0
    gone = found.name_at(at("%gone"))
    assert gone is not None
    assert (gone.definition, gone.type) == (None, None)
    assert [(item.word, item.symbol.text) for item in found.items] == [
        ("global", "@table"),
        ("entry", "@k"),
    ]
    (loop,) = [each for each in found.statements if each.regions]
    (region,) = loop.regions
    assert (loop.name, TEXT[region[0]], TEXT[region[1] - 6 : region[1]]) == ("for", "{", "\n    }")
    assert found.statement_at(at("addg") + 4).name == "addg"


@pytest.mark.parametrize(
    "text", ["", "entry", "entry @k(", "%", "entry @k(%a: tile<f32>) {\n %", "}"]
)
def test_no_text_is_refused(text: str) -> None:
    occurrences(text)


def test_a_part_of_a_pack_is_no_parameter() -> None:
    assert [each.text for each in occurrences("entry @f(%a#0: tile<i32>) {}").names] == ["@f"]


def test_what_is_cut_off_has_the_names_up_to_there() -> None:
    text = disassemble(load(FIXTURES / "13.4" / "softmax.tileirbc"))
    whole = occurrences(text).names
    for end in range(1, len(text), max(1, len(text) // 40)):
        names = {(each.start, each.end, each.definition) for each in occurrences(text[:end]).names}
        missing = [e for e in whole if e.end < end and (e.start, e.end, e.definition) not in names]
        assert len(missing) <= 12  # of the op that is cut off
