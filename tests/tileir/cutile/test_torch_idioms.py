"""How public programs use torch's device "cuda", each idiom a test; they share one process."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path

import pytest

from tests.tileir.cutile.idioms import SUBJECTS
from tests.tileir.cutile.programs import cutile, output, python

HERE = Path(__file__).parent
pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed"),
]


def idioms() -> dict[str, str]:
    """Name -> a part of the line that refuses it, or nothing; read, as torch may be missing."""
    found = {}
    for subject in SUBJECTS:
        for node in ast.parse((HERE / "idioms" / f"{subject}.py").read_text()).body:
            if isinstance(node, ast.FunctionDef):
                (mark,) = node.decorator_list
                assert node.name not in found
                found[node.name] = mark.args[0].value if isinstance(mark, ast.Call) else ""
    return found


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    """Name -> exception, or an empty text."""
    return dict(map(json.loads, output(cutile(HERE / "run_idioms.py"))))


@pytest.mark.parametrize(("name", "refused"), idioms().items(), ids=idioms())
def test_idiom(name: str, refused: str, outcomes: dict[str, str]) -> None:
    if refused:
        assert refused in outcomes[name]
        assert "\n" not in outcomes[name].partition("\n\nSet TORCHDYNAMO_VERBOSE=1")[0]
    else:
        assert outcomes[name] == ""


def test_numbers(outcomes: dict[str, str]) -> None:
    """All that there are have been run, and nearly all work."""
    assert list(outcomes) == list(idioms())
    assert sum(not refused for refused in idioms().values()) >= 190


def test_a_torch_without_a_name() -> None:
    assert output(python(HERE / "unfit" / "torch_program.py")) == ["2.0"]
