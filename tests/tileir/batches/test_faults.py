"""Children and workers that crash, hang, eat memory or are killed: each is told once, all else is
done."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from tests.corpus import ROOT
from tests.programs import call
from tileir.__main__ import main
from tileir.batches.executors import Place
from tileir.batches.manifest import read_manifest
from tileir.batches.worker import SchedulerLost

from . import planted
from .inline import Forgetful, Inline

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory, signals")

INNOCENT = 40


def modules(folder: Path, **deeds: str) -> Path:
    """A folder of innocent modules, and of those that do something, which come in between."""
    folder.mkdir()
    for number in range(INNOCENT):
        (folder / f"{number:02}.mlir").write_text("x" * number)
    for name, deed in deeds.items():
        (folder / f"{name[1:]}.mlir").write_text(deed)
    return folder


def records(manifest: Path) -> dict[str, dict]:
    """The records by the names of files; there must be one for each."""
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    assert not [name for name, times in Counter(x["file"] for x in lines).items() if times > 1]
    return {Path(each["file"]).stem: each for each in lines}


def innocent(found: dict[str, dict]) -> list[int]:
    return sorted(each["result"]["size"] for name, each in found.items() if name.isdecimal())


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All modules of a batch are one chunk."""
    monkeypatch.setattr("tileir.batches.jobs.Pace.jobs", lambda _: 1000)


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_what_happens_to_children_is_told_once(tmp_path: Path, monkeypatch) -> None:
    """One that segfaults, one that takes for ever, one that eats memory, one killed by somebody."""
    folder = modules(
        tmp_path / "k",
        _05a_crash="crash",
        _11a_hang="sleep-in-c",
        _17a_eat=f"eat {1 << 33}",
        _23a_fail="fail it cannot be",
        _29a_killed=f"kill-me-once {tmp_path / 'killed'}",
    )
    planted.plant(monkeypatch)
    manifest = tmp_path / "m.jsonl"
    limits = "--seconds", 4, "--memory", 1024
    arguments = "batch", "verify", "-j", 2, *limits, "-m", manifest, folder
    done = call(main, *arguments)
    assert done.stdout == f"{INNOCENT + 5} done (4 of them failed)\n"
    assert done.returncode == 1
    found = records(manifest)
    assert innocent(found) == list(range(INNOCENT))
    assert found["29a_killed"]["ok"]
    told = {name: (each["failure"], each["message"]) for name, each in found.items()}
    assert {name: each for name, each in told.items() if each[0]} == {
        "05a_crash": ("crash", "the process that worked on it was killed by SIGSEGV"),
        "11a_hang": ("time", "it took more than 4 s, the limit of time"),
        "17a_eat": ("memory", "it needed more than 1024 MiB of memory, the limit"),
        "23a_fail": ("defect", "ValueError: it cannot be"),
    }
    name = str(folder).lstrip("/")
    assert sorted(done.stderr.splitlines()) == [
        f"tileir batch: {name}/{each}.mlir: {message}"
        for each, (failure, message) in sorted(told.items())
        if failure
    ]
    again = call(main, *arguments)
    before = f"{INNOCENT + 5} done before (4 of them failed)"
    assert again.stdout == f"0 done, {before}\n"


@pytest.mark.slow
def test_a_batch_that_is_killed_goes_on(tmp_path: Path) -> None:
    """Its children end with it, and what it has written is not done again."""
    folder = modules(tmp_path / "k", _20a_killed=f"kill-parent-once {tmp_path / 'killed'}")
    manifest = tmp_path / "m.jsonl"
    program = [sys.executable, "-m", "tests.tileir.batches.planted", "verify", "-j", "1"]
    program += ["-m", str(manifest), str(folder)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (-9, "")
    before = len(list(read_manifest(str(manifest))))
    assert before < INNOCENT
    manifest.write_bytes(manifest.read_bytes() + b'{"schema":1,"file":"')  # as if in the middle
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True)
    told = [f"{INNOCENT + 1 - before} done", f"{before} done before"]
    assert done.stdout == ", ".join(told if before else told[:1]) + "\n"
    assert innocent(records(manifest)) == list(range(INNOCENT))


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_a_process_of_a_pool_that_is_killed_is_replaced(tmp_path: Path, monkeypatch) -> None:
    folder = modules(tmp_path / "k", _20a_killed=f"kill-parent-once {tmp_path / 'killed'}")
    planted.plant(monkeypatch)
    manifest = tmp_path / "m.jsonl"
    processes = "--executor", "processes", "-j", 1
    done = call(main, "batch", "verify", *processes, "-m", manifest, folder)
    assert (done.stdout, done.stderr) == (f"{INNOCENT + 1} done\n", "")
    assert innocent(records(manifest)) == list(range(INNOCENT))


@pytest.mark.usefixtures("at_once")
def test_ctrl_c_keeps_what_is_done(tmp_path: Path, monkeypatch) -> None:
    """Also that of the chunk that was under way."""
    folder = modules(tmp_path / "k", _39a_interrupt=f"interrupt-parent {tmp_path / 'done'}")
    planted.plant(monkeypatch)
    manifest = tmp_path / "m.jsonl"
    done = call(main, "batch", "verify", "-j", 1, "-m", manifest, folder)
    assert done.returncode == 130
    assert done.stdout == f"{INNOCENT} done\n"
    assert done.stderr == f"tileir batch: interrupted; {manifest} has what is done\n"
    assert innocent(records(manifest)) == list(range(INNOCENT))


@pytest.mark.usefixtures("at_once")
def test_ctrl_c_where_standard_output_is_the_manifest(tmp_path: Path, monkeypatch) -> None:
    folder = modules(tmp_path / "k", _39a_interrupt=f"interrupt-parent {tmp_path / 'done'}")
    planted.plant(monkeypatch)
    done = call(main, "batch", "verify", "-j", 1, "-m", "-", folder)
    assert (done.returncode, done.stderr) == (130, "tileir batch: interrupted\n")


def test_who_loses_every_worker_is_told_once(tmp_path: Path, monkeypatch) -> None:
    """What was under way with it is done, and nothing twice."""
    folder = modules(tmp_path / "k", _20a_killer="", _20b_killer="")
    name = str(folder).lstrip("/")
    made: list[Inline] = []
    killers = [f"{name}/20a_killer.mlir"]
    place = Place(lambda: Inline(killers, made), lambda: 2)
    monkeypatch.setattr("tileir.batches.command.place_of", lambda *_: place)
    manifest = tmp_path / "m.jsonl"
    call(main, "batch", "verify", "-m", manifest, folder)
    found = records(manifest)
    assert len(found) == INNOCENT + 2
    lost = [each for each in found.values() if each["failure"] == "lost"]
    assert [(each["file"], each["code"]) for each in lost] == [(killers[0], 5)]
    assert "three times: BrokenProcessPool: a worker ended" in lost[0]["message"]
    alone = [chunk for executor in made for chunk in executor.chunks if len(chunk) == 1]
    assert killers in alone
    assert all(each.ended for each in made)
    submitted = Counter(name for each in made for chunk in each.chunks for name in chunk)
    assert submitted[killers[0]] == 3


def test_an_executor_that_is_good_for_nothing_ends_the_batch(tmp_path: Path, monkeypatch) -> None:
    folder = modules(tmp_path / "k")

    class All:
        def __contains__(self, name: object) -> bool:
            return True

    place = Place(lambda: Inline(All()), lambda: 1)
    monkeypatch.setattr("tileir.batches.command.place_of", lambda *_: place)
    done = call(main, "batch", "verify", "-m", tmp_path / "m.jsonl", folder)
    assert done.returncode == 5
    told = "tileir batch: the executor: it loses whatever is submitted: BrokenProcessPool: "
    assert done.stderr.splitlines()[-1].startswith(told)


@pytest.mark.filterwarnings("default")
def test_who_loses_every_scheduler_is_told_once(tmp_path: Path, monkeypatch) -> None:
    """Though the scheduler comes back each time, and others answer; each loss is told."""
    folder = modules(tmp_path / "k", _20a_killer="")
    monkeypatch.setattr("tileir.batches.jobs.Pace.jobs", lambda _: 1)
    killers = [f"{str(folder).lstrip('/')}/20a_killer.mlir"]
    made: list[Inline] = []
    place = Place(lambda: Inline(killers, made, partial(SchedulerLost, "tcp://there")), lambda: 1)
    monkeypatch.setattr("tileir.batches.command.place_of", lambda *_: place)
    manifest = tmp_path / "m.jsonl"
    done = call(main, "batch", "verify", "-m", manifest, folder)
    found = records(manifest)
    assert len(found) == INNOCENT + 1
    (lost,) = [each for each in found.values() if each["failure"] == "lost"]
    assert lost["file"] == killers[0]
    assert "was lost, 6 times: SchedulerLost: tcp://there: the scheduler" in lost["message"]
    assert done.stderr.count("warning: tcp://there: the scheduler was lost") == 6
    assert [killers in each.chunks for each in made] == [True] * 6 + [False]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("number", [1, INNOCENT], ids=["one chunk", "many"])
def test_no_chunk_is_to_blame_for_a_scheduler(number: int, tmp_path: Path, monkeypatch) -> None:
    """It is lost three times, with all that was under way, and comes back without any worker."""
    folder = modules(tmp_path / "k")
    monkeypatch.setattr("tileir.batches.jobs.Pace.jobs", lambda _: INNOCENT // number)
    made: list[Inline] = []

    def make() -> Inline:
        return Inline(made=made) if len(made) == 3 else Forgetful(number, made)

    place = Place(make, lambda: INNOCENT if len(made) < 4 else 1)
    monkeypatch.setattr("tileir.batches.command.place_of", lambda *_: place)
    manifest = tmp_path / "m.jsonl"
    done = call(main, "batch", "verify", "-m", manifest, folder)
    told = (
        "tileir batch: warning: tcp://there: the scheduler was lost, or restarted; what was under"
        " way is done again when a scheduler answers there"
    )
    assert [line for line in done.stderr.splitlines() if "warning" in line] == [told] * 3
    assert len(records(manifest)) == INNOCENT
    assert [len(executor.chunks) for executor in made] == [number] * 4
    assert {len(chunk) for each in made for chunk in each.chunks} == {INNOCENT // number}
