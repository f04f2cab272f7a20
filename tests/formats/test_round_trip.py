"""Parse then build gives the same bytes: the whole file, each section's records, every body."""

from __future__ import annotations

from tests.debug_lists import list_length
from tests.every_fixture import Fixture, every_fixture
from tests.rebuild import rebuilt_sections


@every_fixture
def records_build_the_bytes_they_came_from(fixture: Fixture) -> None:
    data, bytecode = fixture.data, fixture.parse()
    assert bytecode.build() == data
    for section, built, stop in rebuilt_sections(bytecode):
        assert built == data[section.payload.offset : stop], section.name
    for function in bytecode.functions:
        assert list_length(function) in (None, 1 + sum(1 for _ in function.walk()))
