"""Parse then build gives the same bytes: the whole file, each section's records, every body."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import VALID, name_of
from tests.debug_lists import list_length
from tests.rebuild import rebuilt_sections
from tileir import Bytecode


@pytest.mark.parametrize("path", VALID, ids=name_of)
def test_records_build_the_bytes_they_came_from(path: Path) -> None:
    data = path.read_bytes()
    bytecode = Bytecode.parse(data)
    assert bytecode.build() == data
    for section, built, stop in rebuilt_sections(bytecode):
        assert built == data[section.payload.offset : stop], section.name
    for function in bytecode.functions:
        assert list_length(function) in (None, 1 + sum(1 for _ in function.walk()))
