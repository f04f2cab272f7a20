"""Campaigns lose no module, go on where they were stopped, and keep what they find."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from . import findings
from .__main__ import main
from .ledger import Ledger, alone_in
from .plan import plan_of
from .running import Job, results
from .summary import summary


def examine(request: bytes) -> bytes:
    """What a child does in this test: it dies of one stage of module 1."""
    asked = json.loads(request)
    if asked["seed"] == 1 and "cpu" in asked["stages"]:
        os.kill(os.getpid(), signal.SIGSEGV)
    stages = {name: {"verdict": "right", "text": "", "s": 0.5} for name in asked["stages"]}
    return json.dumps(
        {"seed": asked["seed"], "ops": 70, "names": ["addi"], "stages": stages}
    ).encode()


HERE = f"{__name__}:examine"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_death_belongs_to_its_stage() -> None:
    jobs = [Job(seed, ("verify", "cpu")) for seed in range(3)]
    rows = {row["seed"]: row["stages"] for row in results(jobs, 1, HERE)}
    verdicts = {seed: [each["verdict"] for each in row.values()] for seed, row in rows.items()}
    assert verdicts == {0: ["right"] * 2, 1: ["right", "crashed"], 2: ["right"] * 2}
    assert "SIGSEGV" in rows[1]["cpu"]["text"]


def row(seed: int, verdict: str = "right", stage: str = "cpu") -> dict:
    found = {"verdict": verdict, "text": "", "s": 1.0}
    return {"seed": seed, "ops": 60 + seed, "names": ["addi"], "stages": {stage: found}}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such lock")
def test_one_campaign_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with alone_in(tmp_path):
        assert main([str(tmp_path), "--count", "1"]) == 2
        assert not (tmp_path / "ledger.jsonl").exists()
        assert main([str(tmp_path), "--summary"]) == 0
    said = capsys.readouterr().err
    assert said == f"python -m tests.lab.campaign: another campaign is running in {tmp_path}\n"
    with alone_in(tmp_path):  # it is free again
        pass


def test_a_ledger_goes_on_after_a_cut(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    ledger = Ledger(path)
    ledger.add(row(1))
    ledger.add(row(2, "failed"))
    path.write_text(path.read_text() + '{"seed": 3, "st')
    again = Ledger(path)
    again.begin()
    assert again.done == {(1, "cpu"): "right", (2, "cpu"): "failed"}
    again.forget({"failed"})
    assert again.done == {(1, "cpu"): "right"}
    again.add(row(2))
    figures = summary(again.rows())
    assert figures["stages"] == {"cpu": {"right": 2}}
    assert (figures["modules"], figures["median_ops"]) == (2, 61.5)
    assert figures["core_hours"] == 0.001


def test_a_finding_has_all_that_it_takes(tmp_path: Path) -> None:
    where = findings.file(tmp_path, 5, "cpu", "different", "element 0")
    assert {each.name for each in where.iterdir()} >= {
        "module.tileirbc", "module.txt", "module.json", "what.txt",
    }  # fmt: skip
    assert (where / "module.tileirbc").read_bytes() == plan_of(5).case().bytecode.build()
    findings.remove(tmp_path, 5, "cpu")
    assert not where.exists()


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    given = [str(tmp_path), "--count", "2", "--stages", "verify,cpu"]
    assert main(given) == 0
    assert "verify: 2 right" in capsys.readouterr().out
    lines = (tmp_path / "ledger.jsonl").read_text()
    assert main([*given, "--count", "1"]) == 0
    assert (tmp_path / "ledger.jsonl").read_text() == lines
    with pytest.raises(SystemExit, match="2"):
        main([*given, "--stages", "gpu"])
