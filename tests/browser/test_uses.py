"""The list of what users do, and the names that they are given, are as long as they say."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.browser.uses import PAGE, PLAYGROUND
from tests.tileir.report.hostile import NAMES

HERE = Path(__file__).parent


@pytest.mark.parametrize(("uses", "folder"), [(PAGE, "."), (PLAYGROUND, "playground")])
def test_each_use_is_a_test(uses: dict[str, str], folder: str) -> None:
    assert len(uses) >= 30
    assert len(set(uses.values())) == len(uses)
    for test in uses.values():
        file, _, name = test.partition("::")
        tree = ast.parse((HERE / folder / file).read_text("utf-8"))
        assert name in [item.name for item in tree.body if isinstance(item, ast.FunctionDef)]


def test_there_are_200_hostile_names() -> None:
    assert len(set(NAMES)) == len(NAMES) == 200
    for part in ("<script", "</script>", "<!--", "\u202e", "\x00", "\x1b"):
        assert [name for name in NAMES if part in name]
    assert max(map(len, NAMES)) >= 100_000
