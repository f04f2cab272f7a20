"""The command runs a folder of tests on the emulator, and counts honestly."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from tests.codegen.device import standin
from tests.tileir.cutile.programs import WITHOUT_TORCH, output, python

from .__main__ import main
from .plugin import pytest_collection_modifyitems, read

TESTS = """
import os, subprocess, sys, time
import cuda.tile as ct
import numpy as np
from tests.lab.conformance import counting

@ct.kernel
def double(x, y, tile: ct.Constant[int]):
    index = (ct.bid(0),)
    ct.store(y, index, 2 * ct.load(x, index, (tile,)))

@ct.kernel
def for_ever(x):
    while True:
        ct.store(x, (0,), 1 + ct.load(x, (0,), (32,)))

def launched():
    x, y = np.arange(100, dtype="i4"), np.zeros(100, "i4")
    ct.launch(0, (4,), double, (x, y, 32))
    return (2 * x == y).all() and counting.launches

def test_right(): assert launched() == 1
def test_wrong(): assert launched() > 5, "too few"
def test_host(): pass
def test_slow(): ct.launch(0, (1,), for_ever, (np.zeros(32, "i4"),))
def test_child():
    code = "import test_it; print(test_it.launched())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "1\\n", found.stderr
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


def run(folder: Path, *options: object) -> list[str]:
    results = folder / "found.jsonl"
    program = ("-m", "tests.lab.conformance")
    done = python(*program, folder, "--limit", 2, "--results", results, *options,
                  path=WITHOUT_TORCH)  # fmt: skip
    return output(done)


@pytest.mark.slow
def test_results(folder: Path) -> None:
    lines = run(folder, "--target", "sm_80")
    assert not [line for line in lines if "cannot be run" in line]
    found = read(folder / "found.jsonl")
    outcomes = {name.partition("::")[2]: each["outcome"] for name, each in found.items()}
    assert outcomes == {
        "test_right": "passed", "test_wrong": "failed", "test_host": "passed",
        "test_slow": "slow", "test_child": "passed",
    }  # fmt: skip
    assert [each["launches"] for each in found.values()] == [1, 1, 0, 1, 0]
    assert "of those that launched kernels, 1 of 3 passed" in lines


@pytest.mark.slow
def test_in_place(folder: Path) -> None:
    """Launches count where the driver runs a kernel."""
    if reason := standin.why_not():
        pytest.skip(reason)
    (folder / "test_it.py").write_text(TESTS.partition("def test_wrong")[0])
    lines = run(folder, "--target", "sm_90", "--in-place")
    assert lines[-1] == "of those that launched kernels, 1 of 1 passed"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (["nowhere"], "argument tests: there is no folder nowhere"),
        (["."], "there is no test_*.py in ."),
        (["full", "test_that.py"], "there is no file test_that.py in full"),
        (["full", "--target", "sm_70"], "argument --target: invalid choice: 'sm_70'"),
        (["full", "--check", "memory"], "--check is for --target host"),
        (["full", "--in-place", "--target", "host"], "--in-place is for a GPU as --target"),
        (["full", "--sample", "0"], "argument --sample: "),
        ([], "the following arguments are required: tests"),
    ],
)
def test_wrong_use(
    given: list[str], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "test_this.py").touch()
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    assert f"error: {problem}" in capsys.readouterr().err


def test_no_launch_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    (tmp_path / "test_it.py").touch()
    (tmp_path / "found").write_text(json.dumps({"test": "x", "outcome": "passed", "launches": 0}))
    done = SimpleNamespace(returncode=4, stdout="", stderr="first\nno module named x")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: done)
    assert main([str(tmp_path), "--results", str(tmp_path / "found")]) == 2
    said = capsys.readouterr()
    assert said.out == "test_it.py cannot be run: no module named x\n"
    assert said.err == "none of 1 tests launched a kernel: nothing is known\n"


@pytest.mark.parametrize("sample", [1, 10])
def test_samples(sample: int, tmp_path: Path) -> None:
    names = [f"test_it.py::test[{number}]" for number in range(1000)]
    (tmp_path / "found").write_text(json.dumps({"test": names[7]}) + "\n")
    items, hooks = [SimpleNamespace(nodeid=name) for name in names], Mock()
    option = SimpleNamespace(sample=sample, results=tmp_path / "found")
    pytest_collection_modifyitems(SimpleNamespace(option=option, hook=hooks), items)
    chosen = [item.nodeid for item in items]
    assert names[7] not in chosen
    assert abs(len(chosen) - 1000 / sample) < 40
    assert len(chosen) + len(hooks.pytest_deselected.call_args.kwargs["items"]) == 1000
