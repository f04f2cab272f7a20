"""One walk over the fixtures: each is read once, and every property of it that fails is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.codegen import test_pipeline
from tests.corpus import NEWEST, VALID, name_of
from tests.every_fixture import PROPERTIES, Fixture
from tests.formats import test_deferred, test_round_trip, test_specialised
from tests.formats.schema import test_announced, test_mirror, test_tables
from tests.lab.bench import test_bench
from tests.lab.transforms import test_transforms
from tests.tileir import test_pygments_lexer
from tests.tileir.explain import test_annotate, test_op_tree
from tests.tileir.lsp import test_names
from tests.tileir.read import test_renamed_functions
from tests.tileir.rewrite import test_parts
from tests.tileir.text.assembler import test_assembly
from tests.tileir.text.printer import test_disassembly
from tests.tileir.verifier import test_rules
from tests.tileir.write import test_body, test_changes, test_removed

from . import test_fixtures

MODULES = (
    test_annotate,
    test_announced,
    test_assembly,
    test_bench,
    test_body,
    test_changes,
    test_removed,
    test_renamed_functions,
    test_deferred,
    test_disassembly,
    test_fixtures,
    test_mirror,
    test_names,
    test_op_tree,
    test_parts,
    test_pipeline,
    test_pygments_lexer,
    test_round_trip,
    test_rules,
    test_specialised,
    test_tables,
    test_transforms,
)
"""Where properties are."""


def walk(fixture: Fixture, oracle: bool, named: Callable) -> None:
    """Ask for all properties of a fixture."""
    for property in PROPERTIES:
        if property.oracle == oracle and fixture.path in property.files:
            with named(property.name):
                property.ask(fixture)


LATEST = sorted(NEWEST.values())
"""Each kernel in the last version that there is of it."""
OLDER = sorted({*VALID} - {*LATEST})


@pytest.mark.parametrize("path", LATEST, ids=name_of)
def test_properties(path: Path, named: Callable) -> None:
    walk(Fixture(path), False, named)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", OLDER, ids=name_of)
def test_properties_of_older_versions(path: Path, named: Callable) -> None:
    walk(Fixture(path), False, named)


def ask_nvidia(path: Path, tool: Callable, folder: Path, update: bool, named: Callable) -> None:
    fixture = Fixture(path)
    fixture.tool, fixture.update, fixture.folder = tool, update, folder
    walk(fixture, True, named)


@pytest.mark.oracle
@pytest.mark.parametrize("path", LATEST, ids=name_of)
def test_nvidia_agrees(
    path: Path, tool: Callable, tmp_path: Path, update: bool, named: Callable
) -> None:
    ask_nvidia(path, tool, tmp_path, update, named)


@pytest.mark.oracle
@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", OLDER, ids=name_of)
def test_nvidia_agrees_on_older_versions(
    path: Path, tool: Callable, tmp_path: Path, update: bool, named: Callable
) -> None:
    ask_nvidia(path, tool, tmp_path, update, named)


def test_every_property_is_asked() -> None:
    """Whatever tests are chosen: a module with properties is one of those imported here."""
    asked = {module.__name__ for module in MODULES}
    marked = {
        f"tests.{'.'.join(path.relative_to(Path(__file__).parent).with_suffix('').parts)}"
        for path in Path(__file__).parent.rglob("test_*.py")
        if "\n@every_fixture" in path.read_text()
    }
    assert marked == asked == {property.ask.__module__ for property in PROPERTIES}
