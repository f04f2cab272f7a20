"""Programs of the lab say in one line which packages they lack."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.corpus import ROOT


@pytest.mark.parametrize(
    "name",
    ["batch", "bench", "block_mutants", "conformance", "edits", "mutants", "serve", "transforms"],
)
def test_without_packages_there_is_one_line(name: str) -> None:
    command = [sys.executable, "-S", "-m", f"tests.lab.{name}", "--help"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 1
    (line,) = said.stderr.splitlines()
    assert line.startswith("this needs ")
    assert "pip install -e '.[test]'" in line
