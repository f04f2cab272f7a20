"""Outputs that cannot be written, in all commands: told before the work, and never exit code 0."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.programs import call
from tileir.__main__ import main
from tileir.command_line.command_table import COMMANDS

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
FULL = Path("/dev/full")
NOTHING = ["--only", "no_such_op"]

FILES = {
    "as": ["as", "IN", "-o"],
    "batch report, a page": ["batch", "report", "IN", "--html"],
    "batch report, a table": ["batch", "report", "IN", "--parquet"],
    "compile": ["compile", "IN", "-o"],
    "convert": ["convert", "--to-version", "13.1", "IN", "-o"],
    "dis": ["dis", "IN", "-o"],
    "extract": ["extract", "--function", "k", "IN", "-o"],
    "inspect": ["inspect", "--html", "IN", "-o"],
    "mutate": ["mutate", "IN", "-o"],
    "opt": ["opt", "-O", "IN", "-o"],
    "package": ["package", "--target", "sm_90", "IN", "-o"],
    "reduce": ["reduce", "--test", "true", "IN", "-o"],
    "report": ["report", "IN", "-o"],
    "resources": ["resources", "--target", "sm_90", "--update", "IN", "--baseline"],
    "smith": ["smith", *NOTHING, "-o"],
    "strip": ["strip", "IN", "-o"],
}
"""What writes to the file that is named next; IN is one that none of them takes."""

FOLDERS = {
    "batch": ["batch", "dis", "IN", "-o"],
    "mutate": ["mutate", "IN", "--count", "2", "-o"],
    "playground": ["playground", "--pyodide", "IN", "-o"],
    "smith": ["smith", "--count", "2", *NOTHING, "-o"],
}
"""The same for folders, which are made with all those above them."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file IN, and a folder."""
    monkeypatch.chdir(tmp_path)
    Path("IN").write_text("no module")
    Path("folder").mkdir()
    return tmp_path


def told(given: list[str], output: str, problem: str) -> None:
    """A command says what is wrong with its output, and of its input nothing."""
    before = sorted(Path().rglob("*"))
    done = call(main, *given, output)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"tileir {given[0]}: {output}: {problem}\n"
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("given", FILES.values(), ids=FILES)
def test_a_file_that_cannot_be_written_is_told_before_the_work(given: list, here: Path) -> None:
    told(given, "none/out", "No such file or directory")
    told(given, "IN/out", "Not a directory")
    if given[0] not in ("mutate", "smith"):  # which write into a folder
        told(given, "folder", "Is a directory")


@pytest.mark.parametrize("given", [*FILES.values(), *FOLDERS.values()], ids=[*FILES, *FOLDERS])
def test_an_empty_name_is_no_output(given: list, here: Path) -> None:
    before = sorted(Path().rglob("*"))
    done = call(main, *given, "")
    assert (done.returncode, done.stdout) == (2, "")
    kind = "folder" if given in FOLDERS.values() else "file"
    assert done.stderr == f"tileir {given[0]}: the name of the output {kind} is empty\n"
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("given", FOLDERS.values(), ids=FOLDERS)
def test_a_folder_that_cannot_be_made_is_told_before_the_work(given: list, here: Path) -> None:
    told(given, "IN", "Not a directory")
    told(given, "IN/out/side", "Not a directory")


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may write anywhere")
def test_what_may_not_be_written_is_told_before_the_work(here: Path) -> None:
    Path("folder/kept").write_text("precious")
    Path("folder").chmod(0o555)
    try:
        for name in ("folder/new", "folder/kept"):
            told(FILES["compile"], name, "Permission denied")
        told(FOLDERS["smith"], "folder/new", "Permission denied")
    finally:
        Path("folder").chmod(0o755)


def test_an_array_that_cannot_be_saved_is_told_before_the_launch(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiles(*given, **options) -> None:
        raise AssertionError("the kernel is compiled")

    monkeypatch.setattr(tileir, "compile", compiles)
    arrays = ["--array", "zeros:8:f32"] * 3
    given = ["run", str(VECTOR_ADD), *arrays, "--save"]
    done = call(main, *given, "6=none/y.npy")
    assert (done.returncode, done.stderr) == (
        2,
        "tileir run: none/y.npy: No such file or directory\n",
    )


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize(
    "given", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]
)
def test_what_cannot_be_printed_is_a_failure(
    given: list, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FULL.open("w") as out:
        monkeypatch.setattr("sys.stdout", out)
        assert main(given) == 2
    assert capsys.readouterr().err.endswith(": No space left on device\n")
