"""The fixtures are what `fixtures/make.py` writes, and their launch data fits their entries."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, PREVIEW, ROOT, VALID, name_of
from tests.every_fixture import Fixture, every_fixture
from tileir import Bytecode
from tileir.types import Pointer

LAUNCHES = sorted((FIXTURES / "launches").glob("*.json"))


@pytest.mark.slow
def test_fixtures_are_fresh() -> None:
    pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test] but for macOS")
    done = subprocess.run(
        [sys.executable, "fixtures/make.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.parametrize("path", LAUNCHES, ids=lambda path: path.stem)
def test_launches_fit_their_entries(path: Path) -> None:
    launch = json.loads(path.read_text())
    assert len(launch["grid"]) == 3
    assert path.with_suffix(".npz").exists()
    files = [file for file in VALID if file.stem == path.stem]
    assert files
    for file in files:
        entry = Bytecode.parse(file.read_bytes()).function(launch["entry"])
        given = ["array" in parameter for parameter in launch["parameters"]]
        wanted = [isinstance(type.element, Pointer) for type in entry.type.parameters]
        assert given == wanted, name_of(file)


@every_fixture
def debug_information_names_nobody(fixture: Fixture) -> None:
    folders = [text for text in fixture.bytecode.strings if text.startswith("/")]
    assert all(folder.startswith("/tileir/") for folder in folders)


def test_the_fixtures_use_every_op() -> None:
    from tileir.formats.ops import OPS

    used = {
        op.name
        for path in (*VALID, *PREVIEW)
        for function in Bytecode.parse(path.read_bytes()).functions
        for op in function.walk()
    }
    assert used == {op.mnemonic for op in OPS if op.in_body}
