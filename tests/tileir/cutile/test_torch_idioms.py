"""How public programs use torch's device "cuda", each idiom a test; they share one process."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.tileir.cutile.programs import cutile, output
from tests.tileir.cutile.torch_idioms import IDIOMS

pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("torch") is None, reason="torch is not installed"
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    """Name -> exception, or an empty text."""
    lines = output(cutile(Path(__file__).parent / "run_idioms.py"))
    return {name: outcome for name, outcome, _ in map(json.loads, lines)}


@pytest.mark.parametrize("row", IDIOMS, ids=lambda row: row[0].replace(" ", "-"))
def test_idiom(row: tuple[str, ...], outcomes: dict[str, str]) -> None:
    name, _, *refused = row
    if refused:
        assert refused[0] in outcomes[name]
        assert "\n" not in outcomes[name].partition("\n\nSet TORCHDYNAMO_VERBOSE=1")[0]
    else:
        assert outcomes[name] == ""


def test_names_are_distinct() -> None:
    assert len({name for name, *_ in IDIOMS}) == len(IDIOMS)
    assert sum(len(row) == 2 for row in IDIOMS) >= 190
