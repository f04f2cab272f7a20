"""The tables: what was tried, row by row, and what the rows come to."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.lab.bench.modules import large_module

from .asked import COMMANDS, Answer, Command, readable
from .broken import PRECIOUS, broken
from .judging import DEFECT, NO, RIGHT, UNASKED, fault, refusal, told
from .running import Ended, run
from .subjects import Subject, prepare

Try = tuple[str, Callable[[], dict[str, Any]]]
"""The key of a row, and what makes it."""

LARGE_OPS = 20_000
SMITH = "smith"


def _row(ended: Ended, verdict: str, why: str = "") -> dict[str, Any]:
    return {
        "verdict": verdict, "why": why, "code": ended.code,
        "s": round(ended.seconds, 2), "mib": round(ended.mib),
    }  # fmt: skip


def _judged(command: Command, ended: Ended, out: Path, subject: Subject) -> dict[str, Any]:
    """Return a row about an answer; what was to be written is not there where it was refused."""
    wrong = fault(ended)
    if wrong:
        return _row(ended, DEFECT, wrong)
    if ended.code in command.done:
        try:
            wrong = command.right(Answer(ended, out, subject))
        except (ValueError, KeyError, IndexError) as error:
            wrong = f"no such answer: {error!r}"
        return _row(ended, DEFECT if wrong else RIGHT, wrong)
    wrong = refusal(ended) or ("a file was written" if out.exists() else "")
    return _row(ended, DEFECT if wrong else NO, wrong or told(ended))


def _asked(command: Command, subject: Subject, large: bool = False) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.tileirbc")
        words = command.words(subject, str(subject.path), out, large)
        if words is None:
            return {"verdict": UNASKED}
        return _judged(command, run(words, Path(folder)), out, subject)


def _smith(seed: int, ops: int) -> dict[str, Any]:
    """Make a module; tileirdisasm reads it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.tileirbc")
        ended = run(["smith", "--seed", str(seed), "--ops", str(ops), "-o", str(out)], Path(folder))
        made = Subject(f"seed {seed}", out)
        return _judged(Command(SMITH, "", right=readable), ended, out, made)


def on_files(subjects: list[Subject], each: int, names: list[str]) -> Iterator[Try]:
    """Each command on the first files that it can be asked about, and smith with as many seeds."""
    for command in _chosen(names):
        for subject in subjects[:each]:
            yield (
                f"files\t{command.name}\t{subject.key}",
                lambda c=command, s=subject: _asked(c, s) | {"file": s.name},
            )
    if not names or SMITH in names:
        for seed in range(each):
            yield f"files\t{SMITH}\t{seed}", lambda seed=seed: _smith(seed, 100)


def on_large(work: Path, names: list[str]) -> Iterator[Try]:
    """Each command on one module of 20,000 ops, joined from kernels."""
    path = work / "large.tileirbc"
    path.write_bytes(large_module(LARGE_OPS))
    subject = prepare(Subject("large", path))
    for command in _chosen(names):
        yield f"large\t{command.name}\t", lambda c=command: _asked(c, subject, large=True)
    if not names or SMITH in names:
        yield f"large\t{SMITH}\t", lambda: _smith(1, LARGE_OPS)


def on_stdin(subjects: list[Subject], each: int, names: list[str]) -> Iterator[Try]:
    """Each command on a file, and on standard input: the same output, and the same bytes."""
    for command in _chosen(names):
        if command.arguments.split().count("FILE") == 1:
            for subject in subjects[:each]:
                yield (
                    f"stdin\t{command.name}\t{subject.key}",
                    lambda c=command, s=subject: _twice(c, s) | {"file": s.name},
                )


def _twice(command: Command, subject: Subject) -> dict[str, Any]:
    seen, ended = [], None
    for file, data in ((str(subject.path), b""), ("-", subject.path.read_bytes())):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "out.tileirbc")
            words = command.words(subject, file, out)
            if words is None:
                return {"verdict": UNASKED}
            ended = run(words, Path(folder), data)
            said = (ended.out.decode(errors="replace"), ended.err)
            plain = [
                text.replace(str(out), "OUT").replace(str(subject.path), "<stdin>") for text in said
            ]
            written = out.read_bytes() if out.exists() else None
            seen.append((ended.code, *map(_timeless, plain), written))
    assert ended is not None
    names = ("exit code", "output", "messages", "file")
    wrong = [n for n, one, other in zip(names, *seen, strict=True) if one != other]
    return _row(ended, DEFECT if wrong else RIGHT, f"another {wrong[0]}" if wrong else "")


def _timeless(text: str) -> str:
    """Return a text without its figures of time: lines that speak of seconds."""
    kept = [line for line in text.splitlines() if "seconds" not in line and '"time"' not in line]
    return "\n".join(kept)


def on_broken(work: Path, names: list[str]) -> Iterator[Try]:
    """Each command on input that is none: its exit code, one line, and no file lost."""
    known = Subject("", work, {"FUNCTION": "k", "OP": "addi", "MORE": "FILE", "ENTRY": "k"})
    known.options["ARRAYS"] = ["--arg", "1"]
    launch = work / "launch.json"
    launch.write_text('{"schema": 1, "entry": "k", "grid": [1], "arguments": [], "results": []}\n')
    known.words["LAUNCH"] = str(launch)
    for command in _chosen(names):
        for each in broken(work):
            yield (
                f"broken\t{command.name}\t{each.name}",
                lambda c=command, e=each: _refused(c, known, e.path, e.code) | {"file": e.name},
            )


def _refused(command: Command, known: Subject, path: str, code: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.tileirbc")
        out.write_bytes(PRECIOUS)
        words = command.words(known, path, out)
        assert words is not None
        words = [path if word == "FILE" else word for word in words if word != "--json"]
        ended = run(words, Path(folder))
        left = sorted(each.name for each in Path(folder).iterdir())
        wrong = fault(ended)
        if not wrong and ended.code != code:
            wrong = f"exit code {ended.code}, not {code}: {told(ended)}"
        if not wrong and (ended.out or not ended.err.strip()):
            wrong = f"it printed {ended.out[:80]!r}" if ended.out else "not a word"
        unlocated = [
            line
            for line in ended.err.splitlines()
            if path not in line and not line.startswith((" ", f"tileir {words[0]}: "))
        ]  # lines of source stand below what is said of them
        if not wrong and unlocated:
            wrong = f"a line of its own: {unlocated[0]}"
        if not wrong and (left != [out.name] or out.read_bytes() != PRECIOUS):
            wrong = f"the folder has {left}"
        return _row(ended, DEFECT if wrong else RIGHT, wrong or told(ended))


def _chosen(names: list[str]) -> list[Command]:
    return [each for each in COMMANDS if not names or each.name in names]


def shown(rows: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The lines of all tables."""
    tables: dict[str, dict[str, list[dict]]] = defaultdict(lambda: defaultdict(list))
    for key, row in rows.items():
        table, command, _ = key.split("\t")
        tables[table][command].append(row)
    heads = {
        "files": "files nobody here wrote", "large": f"a module of {LARGE_OPS:,} ops",
        "stdin": "standard input, beside the file", "broken": "broken input",
    }  # fmt: skip
    for table, head in heads.items():
        if table in tables:
            yield f"\n{head}"
            yield (
                f"{'command':<18}{'asked':>6}{'right':>7}{'refused':>8}{'defect':>7}"
                f"{'median s':>10}{'worst s':>9}{'worst MiB':>10}"
            )
        for command, found in tables[table].items():
            yield _line(command, [row for row in found if row["verdict"] != UNASKED])


def _line(command: str, rows: list[dict]) -> str:
    counts = Counter(row["verdict"] for row in rows)
    seconds = [row["s"] for row in rows] or [0.0]
    return (
        f"{command:<18}{len(rows):>6}{counts[RIGHT]:>7}{counts[NO]:>8}{counts[DEFECT]:>7}"
        f"{statistics.median(seconds):>10.2f}{max(seconds):>9.2f}"
        f"{max((row['mib'] for row in rows), default=0):>10}"
    )


def dumped(programs: list[Path]) -> Iterator[Try]:
    """`tileir dump` on programs: it ends as the program does, and tileirdisasm reads the files."""
    for program in programs:
        yield f"files\tdump\t{program.name}", lambda p=program: _dumped(p) | {"file": p.name}


def _dumped(program: Path) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp())
    try:
        ended = run(["dump", "--no-run", "-o", str(folder / "out"), str(program)], program.parent)
        made = sorted((folder / "out").glob("*.tileirbc"))
        wrong = fault(ended) if "tileir dump: " in ended.err else ""
        for each in made:
            wrong = wrong or readable(Answer(ended, each, Subject(each.name, each)))
        if wrong:
            return _row(ended, DEFECT, wrong)
        return _row(ended, RIGHT if made else NO, "" if made else told(ended))
    finally:
        shutil.rmtree(folder)
