"""`tileir smith` writes a module and its launch; `tileir run --launch` gets the same checksum."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tileir.__main__ import main
from tileir.errors import LaunchError
from tileir.launch.described import read_description

SMITH = ["smith", "--seed", "6", "--ops", "30"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module; its launch lies beside it."""
    path = tmp_path_factory.mktemp("smith") / "k.tileirbc"
    assert main([*SMITH, "-o", str(path)]) == 0
    return path


def test_processors_get_the_same_checksum(written: Path, capsys: pytest.CaptureFixture) -> None:
    run = ["run", str(written), "--launch", str(written.with_suffix(".json")), "--json"]
    assert main(run) == 0
    here = json.loads(capsys.readouterr().out)
    assert main([*run, "--emulate", "sm_90"]) == 0
    assert json.loads(capsys.readouterr().out)["checksum"] == here["checksum"]
    assert len(here["checksum"]) == 8


def test_a_folder_has_a_module_and_a_launch_for_each_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main([*SMITH, "--count", "2", "-o", str(tmp_path), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["seed"] for row in rows] == [6, 7]
    for row in rows:
        assert Path(row["module"]).exists()
        described = json.loads(Path(row["launch"]).read_text())
        assert (described["seed"], described["entry"]) == (row["seed"], "kernel")


def test_without_a_file_it_is_the_text(written: Path, capsysbinary) -> None:
    assert main(SMITH) == 0
    text = capsysbinary.readouterr().out
    assert main(["dis", str(written)]) == 0
    assert capsysbinary.readouterr().out == text


def test_standard_output_gets_the_module_alone(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*SMITH, "-o", "-"]) == 0
    assert capsysbinary.readouterr().out == written.read_bytes()
    assert not list(tmp_path.iterdir())


def test_the_checksum_is_of_what_is_determined(written: Path) -> None:
    described = read_description(written.with_suffix(".json").read_bytes())
    values = described.values()
    first = described.checksum(values)
    exact = next(row for row in described.results if not row["steps"] and not row["flushed"])
    part = values[exact["argument"]][exact["start"] :][: exact["count"]]
    part.view(np.uint8)[0] ^= 1
    assert described.checksum(values) != first
    for row in described.results:
        row["steps"] = 1
    assert described.checksum(values) == 0


def test_any_nan_is_as_good_as_another() -> None:
    rows = {"dtype": "f32", "count": 2, "data": 0}
    result = {"argument": 0, "start": 0, "count": 2, "dtype": "f32"}
    result |= {"steps": 0, "difference": 0, "flushed": False}
    text = {"schema": 1, "entry": "k", "grid": [1], "arguments": [rows], "results": [result]}
    described = read_description(json.dumps(text).encode())
    sums = []
    for pattern in (0x7FC00000, 0xFFC00001, 0x7F800000):
        array = np.array([pattern, 0], np.uint32).view(np.float32)
        sums.append(described.checksum([array]))
    assert sums[0] == sums[1] != sums[2]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"schema": 2}, "schema is not"),
        ({"grid": [1, 1, 1, 1]}, "grid is not"),
        ({"grid": None}, "grid is not"),
        ({"arguments": [{"dtype": "f31", "count": 1, "data": 0}]}, "arguments is not"),
        ({"arguments": [{"dtype": "f32", "count": 1, "data": "AAA="}]}, "2 bytes of data for 1"),
        ({"arguments": [{"dtype": "f32", "count": 1, "data": "?"}]}, "not base64"),
        ({"arguments": [{"dtype": "f32", "count": 1 << 62, "data": 0}]}, "no memory for"),
    ],
)
def test_what_describes_no_launch_is_refused(change: dict, problem: str) -> None:
    text = {"schema": 1, "entry": "k", "grid": [1], "arguments": [], "results": [], **change}
    with pytest.raises(LaunchError, match=problem):
        read_description(json.dumps(text).encode()).values()


def test_results_are_inside_of_their_arrays() -> None:
    result = {"argument": 0, "start": 7, "count": 2, "dtype": "i8"}
    result |= {"steps": 0, "difference": 0, "flushed": False}
    arguments = [{"dtype": "i8", "count": 8, "data": 1}]
    text = {"schema": 1, "entry": "k", "grid": [1], "arguments": arguments, "results": [result]}
    described = read_description(json.dumps(text).encode())
    with pytest.raises(LaunchError, match="argument 0 has no elements 7 to 8"):
        described.checksum(described.values())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--count", "3"], "-o is needed"),
        (["--count", "3", "-o", "-"], "--count takes a folder"),
        (["-o", "-", "--json"], "has standard output for itself"),
        (["--only", ""], "'' names nothing"),
        (["--features", " ,"], "' ,' names nothing"),
        (["--version", "12.9"], "version 12.9 is not one of"),
        (["--seed", "-1"], "'-1' is not a number"),
        (["--seed", "9" * 19], "a number has at most 18 digits"),
        (["--features", "vews"], "did you mean views"),
        (["-o", "k.json"], "is the name of a launch"),
    ],
)
def test_wrong_use_is_told(arguments: list, problem: str, capsys: pytest.CaptureFixture) -> None:
    assert main(["smith", *arguments]) in (2, 4)
    assert problem in capsys.readouterr().err


def test_a_launch_goes_with_nothing_else(written: Path, capsys: pytest.CaptureFixture) -> None:
    launch = ["--launch", str(written.with_suffix(".json"))]
    assert main(["run", str(written), *launch, "--grid", "2"]) == 2
    assert "give none of them beside it" in capsys.readouterr().err
    assert main(["run", str(written), "--launch", str(written)]) == 2
    assert "it is not JSON" in capsys.readouterr().err


def test_the_launch_of_another_module_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main([*SMITH, "-o", str(tmp_path / "k.tileirbc")]) == 0
    launch = tmp_path / "k.json"
    before = launch.read_bytes()
    assert main(["smith", "--seed", "7", "-o", str(tmp_path / "k.txt")]) == 2
    assert f"{launch} is there and not of {tmp_path / 'k.txt'}" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == [launch, tmp_path / "k.tileirbc"]
    assert launch.read_bytes() == before
    assert main(["smith", "--seed", "7", "-o", str(tmp_path / "k.tileirbc")]) == 0
    assert launch.read_bytes() != before
