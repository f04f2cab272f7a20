"""Each function of a module apart: what `extract` gives of it, or the module that has it alone."""

from __future__ import annotations

from tests.corpus import FIXTURES
from tileir import load
from tileir.rewrite.extract import apart, extract


def test_each_function_apart_is_what_extract_gives() -> None:
    whole = load(FIXTURES / "13.4" / "two_entries.tileirbc").touch()
    names = [function.name for function in whole.functions]
    assert len(names) > 1
    found = [*apart(whole, names)]
    assert [name for name, _ in found] == names
    for name, part in found:
        assert bytes(part.data) == bytes(extract(whole, [name]).data)
        assert part.launch_attributes is whole.launch_attributes


def test_the_only_function_is_apart_already() -> None:
    whole = load(FIXTURES / "13.4" / "vector_add.tileirbc")
    ((name, part),) = apart(whole, ["vector_add"])
    assert name == "vector_add"
    assert part is whole
