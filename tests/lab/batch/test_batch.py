"""The lab of batches: modules are distinct and valid, a line is a line, a table is printed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.programs import call

from . import children, once
from .__main__ import main
from .modules import make
from .tables import fit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two kernels, and a file that is none."""
    folder = tmp_path_factory.mktemp("kernels")
    for path in sorted((FIXTURES / "13.4").glob("*.tileirbc"))[:2]:
        shutil.copy(path, folder)
    (folder / "broken.tileirbc").write_bytes(b"nonsense")
    return folder


def test_modules_are_distinct_and_valid(folder: Path, tmp_path: Path) -> None:
    assert make(folder, 5, tmp_path) == 5
    made = [path.read_bytes() for path in sorted(tmp_path.rglob("*.tileirbc"))]
    assert len(set(made)) == 5
    for data in made:
        assert tileir.verify(tileir.Bytecode.parse(data)) == []
    first = next(iter(tileir.Bytecode.parse(made[2]).functions[0].walk()))
    assert first.name == "constant"
    assert [len(made[0]), len(made[1])] == [len(made[2]), len(made[3])]


def test_the_line_is_that_of_numpy() -> None:
    np = pytest.importorskip("numpy")
    points = [(100.0, 1.3), (200.0, 2.1), (400.0, 4.4), (800.0, 8.2)]
    line = fit(points)
    slope, start = np.polyfit(*zip(*points, strict=True), 1)
    assert (line.each, line.start) == pytest.approx((slope, start))
    assert line.r2 == pytest.approx(np.corrcoef(*zip(*points, strict=True))[0, 1] ** 2)


@pytest.mark.slow
def test_what_a_batch_took_is_told(folder: Path) -> None:
    took = once.run([str(folder)], "verify", 1)
    assert (took.jobs, took.failed, took.skipped) == (3, 1, 0)
    assert 0 < took.work < took.clock
    assert took.looks
    assert once.run([str(folder)], "verify", 1, function=children.NOTHING).work == 0


@pytest.mark.slow
def test_a_warm_store_compiles_nothing(folder: Path) -> None:
    done = call(main, "warm", "--number", 2, folder)
    rows = [line.split()[:3] for line in done.stdout.splitlines()[-3:-1]]
    assert rows == [["1", "2", "2"], ["2", "2", "0"]]
