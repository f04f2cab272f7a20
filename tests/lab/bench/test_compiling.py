"""Compile times of two checkouts, and what grows with what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab.bench import compiling, generated
from tests.lab.bench.__main__ import main
from tests.lab.bench.machine_code import figures
from tests.lab.bench.timing import ROOT
from tileir import assemble, verify


def test_two_checkouts_take_turns(capsys: pytest.CaptureFixture) -> None:
    given = ["compile", "--only", "histogram", "--target", "sm_80", "--repeat", "1", "--json"]
    main([*given, "--other", str(ROOT)])
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["kernel"], row["target"]) == ("histogram", "sm_80")
    assert row["here"] > 0
    assert row["ratio"] == row["here"] / row["other"]
    assert main(given) == 0
    (alone,) = json.loads(capsys.readouterr().out)
    assert (alone["other"], alone["ratio"]) == (None, None)


def test_what_is_slower_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def measure(*_: object) -> list[compiling.Time]:
        return [compiling.Time("a", "sm_80", 1.2, 1.0), compiling.Time("b", "sm_80", 1.1, 1.0)]

    monkeypatch.setattr(compiling, "measure", measure)
    assert main(["compile"]) == 1
    shown = capsys.readouterr().out
    assert "SLOWER a sm_80: 1.20" in shown
    assert "SLOWER b" not in shown


def test_a_folder_without_tileir_is_none_to_compare_with(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit):
        main(["compile", "--other", str(tmp_path)])
    assert "no checkout of tileir" in capsys.readouterr().err


def test_a_kernel_that_is_refused_has_no_time() -> None:
    sources = {"multimem": figures.SETS["fixtures"]["multimem"], "chain": generated.chain(4)}
    (found,) = compiling.measure(sources, ["sm_80"], 1)
    assert found.kernel == "chain"


def test_a_line_is_found() -> None:
    found = compiling.fit("ops", [1, 2, 4, 8], [5.0, 7.0, 11.0, 19.0])
    assert (found.fixed, found.each, found.explained) == pytest.approx((3, 2, 1))
    assert compiling.fit("ops", [1, 2, 4], [1.0, 4.0, 16.0]).exponent == pytest.approx(2)


def test_what_grows_is_valid_and_grows() -> None:
    for texts in compiling.GROWING.values():
        assert list(texts) == sorted(texts)
        verify(assemble(texts[min(texts)]))
    assert generated.chain(100).count("addf") == 50
