"""TABLES.md is fresh, whole and enough: a reader made from its text alone reads every fixture."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.corpus import PREVIEW, name_of
from tests.every_fixture import Fixture, every_fixture
from tileir.formats import codec
from tileir.formats.cursor import Slice
from tileir.formats.enums import ENUMS
from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.tables import PATH, tables
from tileir.formats.version import V13_4

from .from_tables import Document, read
from .mirrored import traced
from .test_mirror import rare


@cache
def kept() -> Document:
    """The checked-in document, read as its readers read it."""
    return Document(PATH)


@pytest.fixture
def document() -> Document:
    """`kept`, for tests."""
    return kept()


def test_the_tables_are_fresh(update: bool) -> None:
    if update:
        PATH.write_text(tables(), encoding="utf-8", newline="\n")
    assert PATH.read_text(encoding="utf-8") == tables(), "run with --update"


@every_fixture
def the_document_is_enough_to_read_a_file(fixture: Fixture) -> None:
    reader, ops = read(kept(), fixture.data), fixture.ops
    assert reader.leaves == fixture.leaves
    assert reader.results == [op.results[0].number if op.results else None for op in ops]
    assert ops


def test_the_document_is_enough_to_read_what_no_fixture_has(document: Document) -> None:
    assert read(document, rare()).leaves == traced(rare())


@pytest.mark.parametrize("path", PREVIEW, ids=name_of)
def test_the_document_is_enough_to_read_preview_content(document: Document, path: Path) -> None:
    assert read(document, path.read_bytes()).leaves == traced(path.read_bytes())


def test_every_number_is_in_the_document(document: Document) -> None:
    assert document.tags["All of them"] == {op.opcode: op.mnemonic for op in OPS}
    for enum in ENUMS:
        assert document.tags[enum.name] == {case.value: case.name for case in enum.cases}


def test_the_example_is_right() -> None:
    text = PATH.read_text()
    (example,) = re.findall(r"`([0-9a-f]{2}(?: [0-9a-f]{2}){5})` in a function of a 13.4", text)
    data = bytes.fromhex(example)
    (op,) = codec.parse_body(memoryview(data), Slice(0, data), V13_4, [])
    types, flags, rounding, flush, lhs, rhs = (10,), 0, 0, False, 26, 29
    assert op == (BY_NAME["addf"].opcode, 0, types, flags, rounding, flush, lhs, rhs)


def test_links_lead_somewhere() -> None:
    text = PATH.read_text()
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
    assert len(set(anchors)) == len(anchors)
    links = re.findall(r"\]\(#([^)]*)\)", text)
    assert len(links) > 100
    assert set(links) <= set(anchors)


def test_tables_have_as_many_cells_as_titles() -> None:
    width = 0
    for line in PATH.read_text().splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert not (cells and width) or cells == width, line
        width = cells
