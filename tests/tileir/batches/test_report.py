"""`tileir batch report`: what a manifest says, counted again here, and the gate."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tileir import errors
from tileir.__main__ import main
from tileir.batches.jobs import Limits, Work
from tileir.batches.protocol import Response
from tileir.batches.records import line_of, result_of
from tileir.batches.reporting import parquet
from tileir.batches.reporting.kinds import in_words

from .test_manifest import INLINE, folder  # noqa: F401

KERNEL: dict[str, Any] = {
    "kernel": "k", "registers": 40, "static_shared": 0, "dynamic_shared": 64, "spill_stores": 8,
    "spill_loads": None, "stack": 8, "barriers": 1, "code_bytes": 100, "occupancy": {"warps": 32},
}  # fmt: skip
NASTY = "<img src=x onerror=alert(1)>&\"'\x1b[31m\ud800.mlir"


def record(file: str, failure: str = "", **more: Any) -> dict[str, Any]:
    """The record of a job, of `resources` for a GPU unless said otherwise."""
    verb, target = more.pop("verb", "resources"), more.pop("target", "sm_90")
    work = Work(verb, more.pop("options", {}))
    kernel = {**KERNEL, **more.pop("kernel", {})}
    response = Response(int(bool(failure)), failure, failure and f"it is {failure}\nmore")
    response.result = more.pop("result", {"kernels": [kernel]})
    response.seconds = more.pop("seconds", 0.5)
    assert not more
    return result_of(work, Limits(None, None), file, target, f"{file} {kernel}", response).record


def write(path: str, *records: dict[str, Any]) -> str:
    Path(path).write_bytes(b"".join(map(line_of, records)))
    return path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_a_batch_has_done(folder: Path) -> None:  # noqa: F811
    call(main, "batch", "verify", *INLINE, "-m", "m.jsonl", "k")
    call(main, "batch", "stats", *INLINE, "-m", "m.jsonl", "k")
    lines = [json.loads(line) for line in Path("m.jsonl").read_bytes().splitlines()]
    done = call(main, "batch", "report", "m.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout.splitlines()
    assert shown[0] == "m.jsonl: 80 jobs, 8 failed"
    known = json.loads(call(main, "batch", "report", "--json", "m.jsonl").stdout)
    for verb in ("verify", "stats"):
        mine = [line for line in lines if line["verb"] == verb]
        bad = Counter(line["failure"] for line in mine if not line["ok"])
        (group,) = [each for each in known["groups"] if each["verb"] == verb]
        assert (group["jobs"], group["ok"], group["failures"]) == (40, 36, bad)
        times = sorted(line["seconds"] for line in mine)
        assert group["longest"] == times[-1]
        assert group["median"] == pytest.approx((times[19] + times[20]) / 2, abs=1e-6)
        assert group["seconds"] == pytest.approx(sum(times), abs=1e-4)
        (row,) = [line for line in shown if line.startswith(verb)]
        assert row.split()[1:4] == ["40", "36", "4"]
        assert row.endswith("4 not readable")
    slowest = sorted((line["seconds"] for line in lines), reverse=True)[:10]
    assert [each["seconds"] for each in known["slowest"]] == slowest
    told = {(each["file"], each["verb"], each["message"]) for each in known["failures"]}
    bad = [line for line in lines if not line["ok"]]
    assert told == {(line["file"], line["verb"], line["message"]) for line in bad}
    data = Path("m.jsonl").read_bytes()
    piped = json.loads(call(main, "batch", "report", "--json", "-", data=data).stdout)
    assert piped == {**known, "manifest": "<stdin>"}


def test_the_gate() -> None:
    before = write(
        "before.jsonl", record("same"), record("broken"), record("mended", "time"),
        record("still", "invalid"), record("other", "invalid"), record("gone"),
        record("figures"), record("shared", kernel={"dynamic_shared": None}, result={}),
    )  # fmt: skip
    changed = {"registers": 41, "spill_loads": 4, "dynamic_shared": 32, "occupancy": {"warps": 31}}
    now = write(
        "now.jsonl", record("same", seconds=99.0), record("broken", "crash"), record("mended"),
        record("still", "invalid"), record("other", "crash"), record("fresh", "memory"),
        record("figures", kernel=changed), record("shared"), record("well"),
    )  # fmt: skip
    done = call(main, "batch", "report", now, "--baseline", before, "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)["baseline"]
    numbers = {name: found[name] for name in ("holds", "compared", "added", "absent")}
    assert numbers == {"holds": False, "compared": 7, "added": 2, "absent": 1}
    assert [(each["file"], each["failure"], each["before"]) for each in found["new_failures"]] == [
        ("broken", "crash", None), ("other", "crash", "invalid"), ("fresh", "memory", None),
    ]  # fmt: skip
    assert [(each["file"], each["before"]) for each in found["mended"]] == [("mended", "time")]
    worse = [(each["figure"], each["before"], each["after"]) for each in found["worse"]]
    assert worse == [("registers", 40, 41), ("resident_warps", 32, 31)]
    (better,) = found["better"]
    assert (better["file"], better["figure"], better["after"]) == ("figures", "shared", 32)
    said = call(main, "batch", "report", now, "--baseline", before).stdout
    for line in (
        "3 new failures, 2 figures worse, 1 better, 1 mended, 7 compared, 2 only now, 1 only",
        "  other (resources sm_90): crash (before: invalid): it is crash\n    more\n",
        "  figures (resources sm_90): k: registers of a thread 40 -> 41 (+1)\n",
    ):
        assert line in said
    assert call(main, "batch", "report", before, "--baseline", before).returncode == 0
    better_only = write("better.jsonl", record("figures", kernel={"registers": 1}))
    assert call(main, "batch", "report", better_only, "--baseline", before).returncode == 0


def test_jobs_are_told_apart_by_what_is_done() -> None:
    """Another target, verb or option is another job; what is in the file does not matter."""
    one = record("a", kernel={"registers": 1})
    before = write("before.jsonl", one, record("a", verb="verify", target=None, result={}))
    others = (
        record("a", target="sm_80", kernel={"registers": 9}),
        record("a", options={"portable": True}, kernel={"registers": 9}),
    )
    now = write("now.jsonl", one, *others)
    assert call(main, "batch", "report", now, "--baseline", before).returncode == 0
    strangers = write("strangers.jsonl", *others)
    done = call(main, "batch", "report", strangers, "--baseline", before)
    assert (done.returncode, done.stderr) == (1, "")
    assert "nothing was compared: no job is in the manifest and in its baseline" in done.stdout


def test_classes_of_errors_are_words_for_people() -> None:
    """All that a record may name; those of one word are counted together, and --json has each."""
    public = [each for each in vars(errors).values() if isinstance(each, type)]
    names = [each.__name__ for each in public if issubclass(each, errors.TileIRError)]
    assert {"BytecodeError", "ToolError"} < set(names)
    kinds = [name for name in names if not name.startswith("_")]
    pytest.importorskip("llvmlite")
    from tileir.codegen.emulator import errors as of_emulator

    own = [name for name, each in vars(of_emulator).items() if isinstance(each, type)]
    assert {"UnsupportedPtxError", "EmulatedLaunchError"} <= set(own)
    kinds += ["OSError", *(name for name in own if name.endswith("Error"))]
    assert not [name for name in kinds if in_words(name) == name]
    now = write("now.jsonl", *(record(name, name) for name in ("AssemblyError", "BytecodeError")))
    before = write("before.jsonl", *(record(name, "ToolError") for name in ("AssemblyError",)))
    others = (record("AssemblyError", "BytecodeError"), record("BytecodeError", "AssemblyError"))
    again = call(main, "batch", "report", now, "--baseline", write("others.jsonl", *others))
    assert again.returncode == 0, "what is one word for people is no other failure"
    done = call(main, "batch", "report", now, "--baseline", before).stdout.splitlines()
    assert done[3].endswith("  2 not readable")
    told = "AssemblyError (resources sm_90): not readable (before: tool failed): it is AssemblyErr"
    assert [line for line in done if line.strip().startswith(told)]
    found = json.loads(call(main, "batch", "report", "--json", now).stdout)
    assert found["groups"][0]["failures"] == {"AssemblyError": 1, "BytecodeError": 1}


def test_a_reason_has_all_its_lines_up_to_some() -> None:
    told = record("a", "invalid")
    told["message"] = "\n".join(f"line {number}" for number in range(1, 13))
    said = call(main, "batch", "report", write("m.jsonl", told)).stdout.splitlines()
    start = said.index("  a (resources sm_90): invalid: line 1")
    assert said[start + 1 :] == [*(f"    line {n}" for n in range(2, 11)), "    and 2 lines more"]


def test_names_forge_no_lines() -> None:
    """Of files and kernels: they may come from archives of anybody."""
    forged = "a\n    b.mlir (verify): well.mlir"
    before = write("old.jsonl", record(forged), record("c", kernel={"kernel": "k\n  forged"}))
    worse = {"kernel": "k\n  forged", "registers": 41}
    now = write("new.jsonl", record(forged, "invalid"), record("c", kernel=worse))
    for given in ([now], [now, "--baseline", before], [before, "--baseline", now]):
        said = call(main, "batch", "report", *given).stdout
        assert "\\n    b.mlir" in said
        assert not re.search(r"^ *(b\.mlir|forged)", said, re.M)


class Seen(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_runs_and_fetches_nothing() -> None:
    bad = record(NASTY, "invalid", target="</td><script>alert(1)</script>")
    now = write("now.jsonl", bad, record("well"))
    before = write("before.jsonl", record("well", kernel={"kernel": "<b>"}))
    done = call(main, "batch", "report", now, "--baseline", before, "--html", "out.html")
    assert (done.returncode, done.stderr) == (1, "")
    page = Path("out.html").read_text("utf-8")
    seen = Seen(page)
    assert seen.tags.keys() == {
        "html", "meta", "title", "style", "h1", "h2", "p", "ul", "li", "div", "table", "thead",
        "tbody", "tr", "th", "td", "br",
    }  # fmt: skip
    assert seen.attributes <= {"lang", "charset", "http-equiv", "content", "name", "class"}
    assert "<img src=x onerror=alert(1)>&\"'\\x1b[31m\\ud800.mlir" in seen.text
    assert seen.tags["li"] == 2  # as a new failure, and as a failure
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy == (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src 'sha256-{digest}'"
    )  # fmt: skip


def test_records_as_parquet() -> None:
    """Read back by the library that defines the format; lone surrogates are spelled."""
    reader = pytest.importorskip("pyarrow.parquet", reason="pyarrow is part of tileir[batch]")
    made = [record("a"), record("b", "time", options={"set": [1]}), record(NASTY, seconds=None)]
    done = call(main, "batch", "report", write("m.jsonl", *made), "--parquet", "m.parquet")
    assert (done.returncode, done.stderr) == (0, "")
    rows = reader.read_table("m.parquet").to_pylist()
    for row in rows:
        for name in ("options", "result", "files"):
            row[name] = json.loads(row[name])
    wanted = [{key: each[key] for key in rows[0]} for each in made]
    spelled = NASTY.replace("\ud800", "\\ud800")
    wanted[2]["file"], wanted[2]["key"] = spelled, wanted[2]["key"].replace("\ud800", "\\ud800")
    assert rows == wanted
    assert set(made[0]) - set(rows[0]) == {"schema"}


def test_a_table_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """The old one stays whole, and is named."""
    pytest.importorskip("pyarrow", reason="pyarrow is part of tileir[batch]")

    def full(record: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(parquet, "_row", full)
    Path("old").write_text("precious")
    done = call(main, "batch", "report", write("m.jsonl", record("a")), "--parquet", "old")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "tileir batch: old: No space left on device\n"
    assert Path("old").read_text() == "precious"
    assert not list(Path().glob(".old*"))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["none.jsonl"], "none.jsonl: No such file or directory"),
        (["-", "--baseline", "-"], "standard input is one manifest; name a file for the other"),
        (["m.jsonl", "--html", "m.jsonl"], "m.jsonl is what is read; --html names another file"),
        (["m.jsonl", "--html", "-"], "--html and --parquet write a file, and standard output has"),
        (["odd.jsonl"], "odd.jsonl: line 1, at byte 0, is no record"),
        (
            ["twisted.jsonl", "--baseline", "twisted.jsonl"],
            "twisted: its result in the manifest is not",
        ),
        (["m.jsonl", "--baseline", "text.jsonl"], "a: its result in the manifest is not"),
    ],
)
def test_wrong_use(arguments: list[str], problem: str) -> None:
    write("m.jsonl", record("a"))
    Path("odd.jsonl").write_bytes(b'{"schema":1,"file":"x"}\n')
    write("text.jsonl", record("a", kernel={"registers": "40"}))
    write("twisted.jsonl", record("twisted", result={"kernels": [{"kernel": "k"}]}))
    done = call(main, "batch", "report", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"tileir batch: {problem}")
    assert len(done.stderr.splitlines()) == 1


def test_a_baseline_of_which_nothing_is_left_does_not_hold(tmp_path: Path) -> None:
    before, now = tmp_path / "before.jsonl", tmp_path / "now.jsonl"
    modules = FIXTURES / "13.5"
    assert call(main, "batch", "verify", *INLINE, "-m", before, modules).returncode == 0
    now.write_text("")
    for manifests in ((now, before), (before, now)):
        done = call(main, "batch", "report", manifests[0], "--baseline", manifests[1])
        assert done.returncode == 1
        assert "nothing was compared: no job is in" in done.stdout
    lines = before.read_text().splitlines(keepends=True)
    now.write_text(lines[0])
    done = call(main, "batch", "report", now, "--baseline", before)
    assert done.returncode == 0
    assert f"{len(lines) - 1} of {len(lines)} jobs of the baseline are missing now" in done.stdout
