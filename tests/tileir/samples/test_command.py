"""`tileir samples`: what it lists and writes, and that a wheel has it all."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.corpus import ROOT
from tests.installed import build_wheel
from tests.programs import call
from tileir.__main__ import main
from tileir.samples.table import SAMPLES, in_checkout


def test_they_are_listed() -> None:
    done = call(main, "samples")
    assert [line.split("  ")[0] for line in done.stdout.splitlines()] == list(SAMPLES)
    found = json.loads(call(main, "samples", "--json").stdout)
    sizes = {name: (ROOT / in_checkout(name)).stat().st_size for name in SAMPLES}
    assert {each["name"]: each["size"] for each in found["samples"]} == sizes


def test_they_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "folder"
    for _ in range(2):  # the second time they are there
        assert call(main, "samples", "-o", folder).returncode == 0
    written = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert written == set(SAMPLES)
    for name in SAMPLES:
        assert (folder / name).read_bytes() == (ROOT / in_checkout(name)).read_bytes()


def test_nobody_loses_a_file(tmp_path: Path) -> None:
    mine = tmp_path / "saxpy.py"
    mine.write_text("mine")
    done = call(main, "samples", "-o", tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"tileir samples: {mine} is there already, with other content\n"
    assert list(tmp_path.iterdir()) == [mine]
    done = call(main, "samples", "-o", mine)
    assert done.returncode == 2
    assert "saxpy.py" in done.stderr


@pytest.mark.slow
def test_a_wheel_has_them(tmp_path: Path) -> None:
    folder = "tileir/samples/files/"
    with zipfile.ZipFile(build_wheel(tmp_path)) as wheel:
        found = {n.removeprefix(folder): wheel.read(n) for n in wheel.namelist() if folder in n}
    assert found == {name: (ROOT / in_checkout(name)).read_bytes() for name in SAMPLES}
