"""Manifests: what is done is not done again, whoever did it and however that ended."""

from __future__ import annotations

import json
import os
import signal
import sys
from itertools import zip_longest
from pathlib import Path

import pytest

import tileir
from tests.programs import call
from tileir.__main__ import main
from tileir.batches import versions
from tileir.batches.jobs import Limits
from tileir.batches.manifest import read_manifest
from tileir.batches.records import is_final, line_of
from tileir.command_line.exit_codes import UsageError

from .inline import Inline, make

INLINE = "--executor", f"{make.__module__}:{make.__name__}"
MODULES = 40


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with texts in `k`, of which every tenth is not valid."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k").mkdir()
    for number in range(MODULES):
        text = "cuda_tile.module @m {}\n" if number % 10 else "cuda_tile.modul @m {}\n"
        (tmp_path / "k" / f"{number:02}.mlir").write_text(text + f"// {number}")
    return tmp_path


def batch(*arguments: str) -> str:
    done = call(main, "batch", "verify", *INLINE, "-m", "m.jsonl", *arguments)
    assert done.returncode in (0, 1)
    return done.stdout.strip()


def test_what_is_unchanged_is_not_done_again(folder: Path) -> None:
    assert batch("k") == "40 done (4 of them failed)"
    lines = Path("m.jsonl").read_bytes()
    assert batch("k") == "0 done, 40 done before (4 of them failed)"
    assert Path("m.jsonl").read_bytes() == lines
    Path("k/07.mlir").write_text("cuda_tile.module @changed {}")
    assert batch("k") == "1 done, 39 done before (4 of them failed)"
    assert batch("--strict", "k/07.mlir") == "1 done"
    assert batch("--target", "sm_90", "k/07.mlir") == "1 done"
    assert batch("--again", "k") == "40 done (4 of them failed)"
    records = list(read_manifest("m.jsonl"))
    assert len(records) == MODULES + 2  # two more jobs for 07
    assert [x["file"] for x in records if not x["ok"]] == [f"k/{n}0.mlir" for n in range(4)]


def test_another_release_does_it_again(folder: Path, monkeypatch) -> None:
    assert batch("k") == "40 done (4 of them failed)"
    newer = versions.here()._replace(source="another")
    monkeypatch.setattr("tileir.batches.jobs.here", lambda: newer)
    monkeypatch.setattr("tileir.batches.worker.here", lambda: newer)
    assert batch("k") == "40 done (4 of them failed)"


@pytest.mark.parametrize("torn", [1, 30, 400])
def test_a_torn_last_line_is_done_again(folder: Path, torn: int) -> None:
    batch("k")
    whole = Path("m.jsonl").read_bytes()
    Path("m.jsonl").write_bytes(whole[:-torn])
    redone = whole[-torn:-1].count(b"\n") + 1
    before = MODULES - redone
    assert batch("k").endswith(f", {before} done before (4 of them failed)")
    assert len(Path("m.jsonl").read_bytes().splitlines()) == MODULES
    assert {x["file"] for x in read_manifest("m.jsonl")} == {
        f"k/{number:02}.mlir" for number in range(MODULES)
    }


def test_two_batches_share_a_manifest(folder: Path) -> None:
    """They run in turns, and end with one line for each job: neither does what the other has."""
    made: list[Inline] = []
    runs = [
        tileir.batch(["k"], manifest="m.jsonl", executor=lambda: Inline((), made), workers=1)
        for _ in range(2)
    ]
    # Each has all of it under way before it hears of the other.
    turns = list(zip_longest(*runs))
    assert len(turns) == MODULES
    lines = [json.loads(line) for line in Path("m.jsonl").read_bytes().splitlines()]
    assert sorted(line["file"] for line in lines) == sorted({line["file"] for line in lines})
    assert len(lines) == MODULES
    assert list(tileir.batch(["k"], manifest="m.jsonl", executor=make)) == []


def test_what_another_batch_has_done_is_not_begun(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr("tileir.batches.jobs.CHUNK_JOBS", 4)
    first = tileir.batch(["k/*[0-4].mlir"], manifest="m.jsonl", executor=make)
    second = tileir.batch(["k/*[5-9].mlir", "k"], manifest="m.jsonl", executor=make, workers=1)
    assert next(second).record["file"] == "k/05.mlir"  # it has opened the manifest
    assert len(list(first)) == MODULES // 2
    assert len(list(second)) == MODULES // 2 - 1


@pytest.mark.parametrize(
    "contents", [b"\x7fTileIR", b"{}\n", b'{"schema":2,"file":"a"}\n', b'{"schema":1,"tool":"t"}']
)
def test_other_files_are_left_alone(folder: Path, contents: bytes) -> None:
    Path("m.jsonl").write_bytes(contents)
    done = call(main, "batch", "verify", "-m", "m.jsonl", "k")
    problem = "m.jsonl is no manifest of this release's tileir batch"
    assert (done.returncode, done.stderr) == (2, f"tileir batch: {problem}\n")
    assert Path("m.jsonl").read_bytes() == contents
    with pytest.raises(UsageError, match="is no manifest"):
        list(read_manifest("m.jsonl"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_no_manifest(folder: Path) -> None:
    """Opening one waits for whoever writes to it."""
    os.mkfifo("pipe")
    problem = "tileir batch: pipe is no file; a manifest is read and added to\n"
    for arguments in (("verify", "-m", "pipe", "k"), ("report", "pipe")):
        done = call(main, "batch", *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", problem)


def test_a_damaged_line_is_named(folder: Path) -> None:
    batch("k")
    data = Path("m.jsonl").read_bytes()
    second = data.index(b"\n") + 1
    Path("m.jsonl").write_bytes(data[:second] + b"?" + data[second:])
    done = call(main, "batch", "verify", "-m", "m.jsonl", "k")
    problem = f"m.jsonl: line 2, at byte {second}, is no record"
    assert (done.returncode, done.stderr) == (2, f"tileir batch: {problem}\n")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("failure", 1),
        ("files", []),
        ("files", {"sm_90.ptx": 1}),
        ("files", {"sm_90.ptx": {"bytes": 1}}),
        ("key", 2),
        ("options", None),
        ("limits", None),
        ("limits", {"seconds": "1"}),
        ("ok", True),
        ("code", 1 << 40),
        ("seconds", 1 << 70),
        ("seconds", -1),
        ("warnings", [1]),
    ],
)
def test_a_record_with_other_types_is_none(folder: Path, name: str, value: object) -> None:
    batch("k/01.mlir")
    record = json.loads(Path("m.jsonl").read_bytes()) | {"ok": False, "failure": "time"}
    record["limits"] = {"seconds": 1.0, "memory": None}
    Path("m.jsonl").write_bytes(line_of(record))
    assert len(list(read_manifest("m.jsonl"))) == 1
    Path("m.jsonl").write_bytes(line_of(record | {name: value}))
    with pytest.raises(UsageError, match="line 1, at byte 0, is no record"):
        list(read_manifest("m.jsonl"))


def test_what_is_no_number_of_json_is_no_record(folder: Path) -> None:
    """RFC 8259, section 6: numbers such as Infinity and NaN are not permitted."""
    batch("k/01.mlir")
    record = json.loads(Path("m.jsonl").read_bytes())
    for number in (b"NaN", b"-Infinity", b"1e999"):
        line = line_of(record | {"seconds": 0.25}).replace(b"0.25", number)
        Path("m.jsonl").write_bytes(line)
        done = call(main, "batch", "report", "m.jsonl", "--json")
        problem = "tileir batch: m.jsonl: line 1, at byte 0, is no record\n"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", problem)


def test_limits_that_were_raised_are_tried() -> None:
    record = {"key": "k", "failure": "time", "limits": {"seconds": 10.0, "memory": 5}}
    assert is_final(record, Limits(10, 9))
    assert not is_final(record, Limits(11, 5))
    assert not is_final(record, Limits(None, 5))
    record["failure"] = "memory"
    assert is_final(record, Limits(None, 4))
    assert not is_final(record, Limits(1, 6))
    for failure, final in {"invalid": True, "crash": True, "lost": False, "start": False}.items():
        assert is_final({"key": "k", "failure": failure}, Limits(1, 1)) is final


@pytest.mark.skipif(sys.platform == "win32", reason="of POSIX")
def test_a_line_that_has_no_room_is_taken_back(folder: Path) -> None:
    """The system takes a part of it, and refuses the rest; who has the file next finds it whole."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    batch("k/01.mlir", "k/02.mlir")
    lines = Path("m.jsonl").read_bytes()
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(lines) + 20, before[1]))
    try:
        done = call(main, "batch", "verify", *INLINE, "-m", "m.jsonl", "k/03.mlir")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (done.returncode, done.stderr) == (2, "tileir batch: m.jsonl: File too large\n")
    assert Path("m.jsonl").read_bytes() == lines
