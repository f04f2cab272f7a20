"""`tileir.compile` as a library: many at once are as one by one, and nothing else is touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import ROOT

from . import threads_program


@pytest.mark.slow
def test_compilations_at_once_are_those_made_one_by_one(tmp_path: Path) -> None:
    """In a process whose first ones they are; it prints nothing, and is left as it was."""
    out = tmp_path / "results.json"
    done = subprocess.run(
        [sys.executable, threads_program.__file__, out],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    told = json.loads(out.read_text())
    one_by_one = {
        f"{name} {target}": threads_program.made(module, target)
        for name, module in threads_program.modules().items()
        for target in threads_program.TARGETS
    }
    assert told["results"].keys() == one_by_one.keys()
    assert [pair for pair in one_by_one if told["results"][pair] != one_by_one[pair]] == []
    assert told["changed"] == []
