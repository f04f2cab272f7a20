"""What Jupyter shows of objects: all ops, in balanced tags, and nothing that could do anything."""

from __future__ import annotations

import html
from html.parser import HTMLParser
from typing import Any

import pytest

import tileir
from tests.corpus import INVALID, NEWEST, VALID, name_of
from tests.tileir.report.hostile import NAMES, module

BYTECODE = tileir.load(NEWEST["matmul"])


class Shown(HTMLParser):
    """The tags of some HTML, which have to match, and the texts between them."""

    def __init__(self, thing: Any) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""
        self.feed(thing._repr_html_())
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.sampled(20)
@pytest.mark.parametrize("path", VALID, ids=name_of)
def test_everything_is_shown_and_nothing_runs(path: Any) -> None:
    bytecode = tileir.load(path)
    shown = Shown(bytecode)
    assert shown.seen <= {"details", "summary", "code", "pre"}
    for function in bytecode.functions:
        assert repr(next(function.walk())) in Shown(function).text
        for op in function.walk():
            text = Shown(op).text
            assert text.startswith(repr(op))
            assert op.location_text in text


def test_long_things_are_cut() -> None:
    (function,) = BYTECODE.functions
    assert len([*function.walk()]) < 200
    assert "more" not in Shown(function).text
    large = tileir.Bytecode.parse(module())
    assert len(large._repr_html_()) < 100_000
    assert "the first 20 of 200 functions" in Shown(large).text


def test_names_of_files_are_texts() -> None:
    for function, name in zip(tileir.Bytecode.parse(module()).functions, NAMES, strict=True):
        shown = Shown(function)
        assert shown.seen <= {"details", "summary", "code", "pre"}
        assert shown.text.replace("\n", "").isprintable()
        if name.isprintable() and len(name) < 200:
            assert html.escape(name) in function._repr_html_()


def test_what_cannot_be_read_says_so() -> None:
    path = next(path for path in INVALID if path.stem == "body_cut_short")
    bytecode = tileir.Bytecode.parse(path.read_bytes())
    with pytest.raises(tileir.BytecodeError) as raised:
        bytecode.touch()
    assert str(raised.value) in Shown(bytecode).text


def test_a_compilation_shows_its_code() -> None:
    compiled = tileir.compile(tileir.load(NEWEST["vector_add"]), target="sm_90")
    shown = Shown(compiled)
    assert shown.text.startswith("compiled for sm_90: vector_add")
    assert ".visible .entry vector_add(" in shown.text


def test_ptx_is_indented_as_in_its_file() -> None:
    compiled = tileir.compile(BYTECODE, "sm_80")
    assert compiled.ptx is not None
    assert "\t" in compiled.ptx
    shown = Shown(compiled).text
    assert "\\t" not in shown
    lines = [line.split() for line in compiled.ptx.splitlines()]
    assert [line.split() for line in shown.splitlines()[1:90]] == lines[1:90]
