"""The CPU's benchmark: what it says, what it keeps, and that its kernels are cuTile's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab.bench.__main__ import main
from tests.lab.bench.host import command

SAVED = {
    "name": "relu",
    "compared": "2^23 f32",
    "threads": 1,
    "ours": 0.004,
    "torch": 0.002,
    "best": [0.003, 0.002],
    "wall": [0.004, 0.004],
    "formulation": "clamp_min",
    "allocates": True,
    "numpy": 0.008,
    "bandwidth": 0.5,
    "peak": None,
    "compiling": 0.04,
    "ratio": 2.0,
}


def test_what_is_missing_is_said_in_a_sentence(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "missing_packages", lambda: ["torch", "cuda-tile"])
    assert main(["host"]) == 2
    shown = capsys.readouterr()
    assert shown.err == "The kernels need torch and cuda-tile, installed beside tileir.\n"
    assert shown.out == ""


def test_the_table_says_what_is_compared(capsys: pytest.CaptureFixture) -> None:
    command.show([SAVED, SAVED | {"threads": 2, "ratio": 0.5, "allocates": False, "peak": 0.25}])
    shown = " ".join(capsys.readouterr().out.split())
    assert "2.00" in shown
    assert "threads 1: worst 2.00, median 2.00, geometric mean 2.00" in shown
    assert "threads 2: worst 0.50, median 0.50, geometric mean 0.50" in shown
    for each in ("4.00", "2^23", "allocate", "0.50", "50%", "25%", "40"):
        assert each in shown


def test_a_summary_is_of_each_number_of_threads() -> None:
    rows = [SAVED | {"ratio": ratio} for ratio in (1.0, 2.0, 4.0)]
    found = command.summary([*rows, SAVED | {"threads": 2, "ratio": 8.0}])
    assert found["1"] == {
        "kernels": 3, "worst": 4.0, "median": 2.0, "geometric mean": pytest.approx(2.0)
    }  # fmt: skip
    assert found["2"]["worst"] == 8.0


def test_an_interrupted_run_goes_on(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rows of the file are not measured again, and without torch they can be shown."""
    path = tmp_path / "rows"
    path.write_text(json.dumps(SAVED) + "\n")
    monkeypatch.setattr(command, "missing_packages", list)
    monkeypatch.setattr(command, "known_races", lambda: {"relu": None, "gelu": None})
    assert main(["host", "--only", "relu", "--threads", "1", "--save", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [SAVED]
    assert main(["host", "--only", "relus"]) == 2
    assert capsys.readouterr().err == "no kernel 'relus'; there are relu, gelu\n"


def test_there_are_forty_kernels() -> None:
    if command.missing_packages():
        pytest.skip("torch and cuda-tile make the races")
    assert len(command.known_races()) == 40


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["relu", "softmax_gather", "layer_norm_backward", "matmul_batched"]
)
def test_results_are_compared_before_they_are_measured(name: str) -> None:
    if command.missing_packages():
        pytest.skip("torch and cuda-tile make the races")
    from tests.lab.bench.host import turns
    from tests.lab.bench.host.launching import Side

    made = command.known_races()[name]()
    turns.check(name, made, Side(made))
    wrong = [each + 1 for each in made.results]
    with pytest.raises(AssertionError, match=name):
        turns.compare(name, made, wrong)
