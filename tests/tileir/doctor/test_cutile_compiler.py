"""Which tileiras cuTile would use: its own search is asked, and made-up machines are looked at."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.tileir.cutile.programs import ROOT, python
from tileir.commands.doctor import _cutile
from tileir.doctor import cutile_compiler, packages
from tileir.doctor.packages import Package
from tileir.tools import launchers

pytestmark = pytest.mark.skipif(os.name == "nt", reason="made-up tools are shell scripts")

ONE_RELEASE = {
    "nvidia-cuda-tileiras": "13.4.12",
    "nvidia-cuda-nvcc": "13.4.9",
    "nvidia-nvvm": "13.4.1",
}
CUTILES_OWN = """\
from cuda.tile._compile import _find_compiler_bin
try:
    print(_find_compiler_bin().path)
except FileNotFoundError:
    print("none")
"""


def tool(folder: Path, release: str) -> Path:
    """A made-up tileiras that says its release."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tileiras"
    path.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, V{release}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A machine with a tileiras wherever cuTile looks, each of another release."""
    made = {
        "package": tool(tmp_path / "site" / "nvidia" / "cu13" / "bin", "13.4.12"),
        "PATH": tool(tmp_path / "bin", "13.5.37"),
        "CUDA_HOME": tool(tmp_path / "toolkit" / "bin", "13.3.5"),
        "newer": tool(tmp_path / "local" / "cuda-13.2" / "bin", "13.2.7"),
        "older": tool(tmp_path / "local" / "cuda-13.1" / "bin", "13.1.3"),
    }
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    monkeypatch.setattr(cutile_compiler, "TOOLKITS", tmp_path / "local")
    monkeypatch.setattr(
        cutile_compiler, "_package_folders", lambda: [tmp_path / "site" / "nvidia/cu13/bin"]
    )
    install(monkeypatch, ONE_RELEASE | {"cuda-tile": "1.7.0"})
    return made


def install(monkeypatch: pytest.MonkeyPatch, versions: dict[str, str]) -> None:
    monkeypatch.setattr(cutile_compiler, "_installed", versions.get)


def used(found: dict) -> list[tuple[str, str]]:
    return [(one["path"], one["release"]) for one in found["tileiras"]]


def test_the_package_comes_before_the_path(machine: dict[str, Path]) -> None:
    found = cutile_compiler.look()
    releases = ("13.4.12", "13.5.37", "13.3.5", "13.2.7", "13.1.3")
    assert used(found) == list(zip(map(str, machine.values()), releases, strict=True))
    assert found["problem"] is None
    rows = _cutile(found)
    assert rows[0] == (
        "used",
        "13.4.12",
        f"{machine['package']}, from the package nvidia-cuda-tileiras",
    )
    assert [row[0] for row in rows] == ["used", *["not used"] * 4, "packages", *_asked(found)]
    assert rows[5][2] == "nvidia-cuda-tileiras 13.4.12, nvidia-cuda-nvcc 13.4.9, nvidia-nvvm 13.4.1"


def _asked(found: dict) -> list[str]:
    return ["asked for"] if found["asks_for"] else []


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        (ONE_RELEASE | {"nvidia-nvvm": "13.5.37"}, "nvidia-nvvm 13.5.37"),
        ({"nvidia-cuda-tileiras": "13.4.12"}, "nvidia-cuda-nvcc not installed"),
    ],
)
def test_packages_of_several_releases_are_passed_over(
    versions: dict[str, str],
    said: str,
    machine: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch, versions)
    found = cutile_compiler.look()
    assert used(found)[0] == (str(machine["PATH"]), "13.5.37")
    assert "which are not of one release" in found["problem"]
    assert said in found["problem"]
    assert _cutile(found)[-1] == ("note", "", found["problem"])


def test_a_launcher_of_ours_is_called_so(machine: dict[str, Path], monkeypatch) -> None:
    """cuTile takes it for NVIDIA's where it comes first."""
    install(monkeypatch, {"cuda-tile": "1.7.0"})
    machine["PATH"].write_text(launchers.text(sys.executable, str(ROOT), {}))
    found = cutile_compiler.look()
    assert [one["ours"] for one in found["tileiras"]] == [True, *[False] * 3]
    assert _cutile(found)[0][2] == f"{machine['PATH']}, from PATH, tileir in its place"


def test_without_any(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setattr(cutile_compiler, "TOOLKITS", tmp_path / "none")
    install(monkeypatch, {})
    found = cutile_compiler.look()
    assert found["tileiras"] == []
    assert found["problem"] is None
    assert _cutile(found)[0] == ("used", "-", "there is none")
    assert _cutile(found)[1] == ("packages", "", "none")


def test_cutile_itself_finds_the_same() -> None:
    pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")
    done = python("-c", CUTILES_OWN)
    first = next(cutile_compiler.candidates(), None)
    assert done.stdout.strip() == ("none" if first is None else str(first[1])), done.stderr


def test_what_cuda_tile_asks_for_is_pips_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [
        "typing-extensions",
        'cuda-toolkit[nvcc,nvvm,tileiras]<13.5,>=13.2; extra == "tileiras"',
    ]
    monkeypatch.setattr(cutile_compiler.importlib.metadata, "requires", lambda name: asked)
    assert cutile_compiler.asked_for() == "cuda-toolkit[nvcc,nvvm,tileiras]<13.5,>=13.2"


def test_a_release_of_cutile_that_has_all_that_is_used_will_do() -> None:
    fits = Package("x", "", exact=("1.5.0",), tried=lambda: True)
    assert fits.supports("1.8.0")
    assert not Package("x", "", exact=("1.5.0",), tried=lambda: False).supports("1.8.0")
    (cutile,) = [each for each in packages.packages() if each.name == "cuda-tile"]
    assert cutile.tried is not None
