"""The words of the text: none is lost, none is unknown, and ops and types are called so."""

from __future__ import annotations

import importlib
import re
import tomllib

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, String

from tests.corpus import OLDEST_AND_NEWEST, ROOT
from tests.every_fixture import Fixture, every_fixture
from tileir import Bytecode, disassemble
from tileir.formats.ops import BY_NAME
from tileir.formats.version import SUPPORTED
from tileir.pygments_lexer import TileIRLexer
from tileir.sampler import sample
from tileir.text.printer.structured import shown

SAMPLES = [(seed, version) for version in SUPPORTED for seed in range(4)]


def words(text: str) -> list[tuple[object, str]]:
    """Kind and text of each word; together they are the text."""
    found = [(kind, word) for _, kind, word in TileIRLexer().get_tokens_unprocessed(text)]
    assert "".join(word for _, word in found) == text
    return found


def of_kind(found: list[tuple[object, str]], *kinds: object) -> list[str]:
    return [word for kind, word in found if kind in kinds]


def printed_ops(block, owner=None):
    """The mnemonics of a block in the order of the text, those left out left out."""
    for op in shown(owner, block):
        yield op.name
        for region in op.regions:
            for inner in region.blocks:
                yield from printed_ops(inner, op)


def check_words(bytecode: Bytecode, *texts: str) -> None:
    """The words of a module's texts are those of the module."""
    expected = ["global"] * len(bytecode.globals)
    for function in bytecode.functions:
        expected += ["entry", *printed_ops(function.body.block)]
    for text in texts:
        found = words(text)
        assert not of_kind(found, Error)
        assert of_kind(found, Keyword) == expected
        symbols = [*bytecode.globals, *bytecode.functions]
        assert len(re.findall(r"@", "".join(of_kind(found, Name.Function)))) >= len(symbols)


@every_fixture(files=OLDEST_AND_NEWEST)
def the_words_are_those_of_the_module(fixture: Fixture) -> None:
    check_words(fixture.bytecode, *fixture.texts)


@pytest.mark.parametrize(("seed", "version"), SAMPLES, ids=str)
def test_random_modules(seed: int, version) -> None:
    bytecode = Bytecode.parse(sample(seed, version).build())
    check_words(bytecode, disassemble(bytecode), disassemble(bytecode, debug=True))


def test_every_mnemonic_is_an_op_where_one_may_start() -> None:
    for op in BY_NAME.values():
        for name in (op.mnemonic, *op.aliases):
            for text in (f"  {name} x", f"%a:2 = {name}", f"{{ cuda_tile.{name}", f"}} {name}\n"):
                (found,) = of_kind(words(text), Keyword)
                assert found.removeprefix("cuda_tile.") == name


def test_a_mnemonic_elsewhere_is_a_word() -> None:
    found = words("%0 = atomic_rmw_tko relaxed device %1, addf, %2 global\n%1 = addf %a, %b\n")
    assert of_kind(found, Keyword) == ["atomic_rmw_tko", "addf"]
    assert of_kind(found, Name.Attribute) == ["relaxed", "device", "addf", "global"]


def test_the_kinds_of_words() -> None:
    text = (
        "// Producer: me\n"
        '%5:2 = op "a \\22b\\0A" : tensor_view<0x4x?xf32, strides=[?,1]> loc(#loc3)\n'
        'entry @"odd name"(%a#1: !cuda_tile.tile<2x!cuda_tile.ptr<i8, <unicast>>>, -0x1F, -1.5e-3)'
    )
    found = words(text)
    assert not of_kind(found, Error)
    assert of_kind(found, Comment.Single) == ["// Producer: me"]
    assert of_kind(found, String.Escape) == [r"\22", r"\0A"]
    types = ["tensor_view", "f32", "!cuda_tile.tile", "!cuda_tile.ptr", "i8"]
    assert of_kind(found, Keyword.Type) == types
    assert of_kind(found, Number.Integer) == ["2", "0", "4", "?", "?", "1", "2"]
    assert of_kind(found, Number.Hex, Number.Float) == ["-0x1F", "-1.5e-3"]
    assert of_kind(found, Name.Variable) == ["%5", "%a#1"]
    assert "".join(of_kind(found, Name.Function)) == '@"odd name"'
    assert of_kind(found, Name.Label) == ["#loc3"]


@pytest.mark.parametrize(
    "text",
    [
        '"never closed\naddf',
        "tile<4xf32\n%0 = addf",
        "\x00\udc80 é;",
        "@",
        "%",
        "tile<" * 500,
        "\\",
    ],
)
def test_no_text_is_refused(text: str) -> None:
    words(text)


def test_what_was_left_open_does_not_spoil_what_follows() -> None:
    found = words('%0 = constant "abc\n%1 = iota : tile<4xf32\n%2 = addf %0, %1\n')
    assert of_kind(found, Keyword) == ["constant", "iota", "addf"]


def test_pygments_finds_it_by_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["pygments.lexers"]["tileir"].partition(":")
    lexer = getattr(importlib.import_module(module), name)
    assert {"tileir", "cuda-tile"} <= set(lexer.aliases)
    assert "*.tileir" in lexer.filenames
    assert "pygments" in project["optional-dependencies"]["colour"]
