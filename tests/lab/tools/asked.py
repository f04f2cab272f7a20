"""A row for each command: how it is asked about a file, and what makes its answer right.

What is right is told by others where they can: tileirdisasm reads what was written, and prints the
same text where the module may not have changed; NumPy compares the CPU with the emulator.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tileir.tools import nvidia

from .running import Ended
from .subjects import Subject

TARGET = "sm_90"


class Answer(NamedTuple):
    """What a command answered: the process, and the file that it was to write."""

    ended: Ended
    output: Path
    subject: Subject


Judge = Callable[[Answer], str]
"""Says what is wrong with the answer of a command that has ended well, "" for nothing."""


@dataclass(frozen=True)
class Command:
    """How a command is asked.

    `arguments` have FILE, the file or - for standard input; OUT, the file to write; and words that
    a subject fills in (`Subject.words` and `options`): without them it is not asked. Exit codes in
    `done` mean that it answered.
    """

    name: str
    arguments: str
    done: tuple[int, ...] = (0,)
    right: Judge = lambda answer: ""
    large: str = ""
    """Other arguments for a module of 20,000 ops: limited in time, or about one kernel of it."""

    def words(
        self, subject: Subject, file: str, out: Path, large: bool = False
    ) -> list[str] | None:
        """Return the arguments for a file, None if it lacks what they need."""
        found: list[str] = []
        for word in ((large and self.large) or self.arguments).split():
            if word in subject.options:
                found += subject.options[word]
            elif word in ("FILE", "OUT") or not (word.isalpha() and word.isupper()):
                found.append({"FILE": file, "OUT": str(out)}.get(word, word))
            elif word in subject.words:
                found.append(subject.words[word])
            else:
                return None
        return found


def theirs(path: Path) -> str:
    """Return what tileirdisasm prints of bytecode; "" if it refuses it, or is not installed."""
    tool = nvidia.find("tileirdisasm")
    if tool is None or not path.read_bytes().startswith(b"\x7fTileIR"):
        return ""
    return subprocess.run([tool, path], capture_output=True, text=True).stdout


def readable(answer: Answer) -> str:
    """tileirdisasm reads what was written, if it reads what was given."""
    if not answer.output.exists():
        return "nothing was written"
    if theirs(answer.subject.path) and not theirs(answer.output):
        return "tileirdisasm refuses what was written"
    return ""


def same_text(answer: Answer) -> str:
    """tileirdisasm prints of what was written what it prints of what was given."""
    wrong = readable(answer)
    before = theirs(answer.subject.path)
    if wrong or not before:
        return wrong
    return "" if theirs(answer.output) == before else "tileirdisasm prints another text"


def holds(answer: Answer) -> str:
    """What is left still has the op that was asked for, and is no larger."""
    wrong = readable(answer)
    if wrong:
        return wrong
    text = theirs(answer.output)
    if text and answer.subject.words["OP"] not in ("return", "yield", "continue"):
        return "" if answer.subject.words["OP"] in text else "the op is gone"
    return ""


def one_constant_more(answer: Answer) -> str:
    """The only difference is the constant that was put in."""
    rows = json.loads(answer.ended.out)["rows"]
    kinds = [(row["kind"], row["subject"]) for row in rows]
    return "" if kinds == [("inserted", "op")] else f"it tells of {kinds}"


def sizes(answer: Answer) -> str:
    """The size of the file is that of the file."""
    size = json.loads(answer.ended.out)["files"][0]["size"]
    path = answer.subject.path
    wrong = path.suffix != ".mlir" and size != path.stat().st_size
    return f"a size of {size}" if wrong else ""


def registers(answer: Answer) -> str:
    """Each kernel takes as many registers as a GPU has for a thread, and a block fits an SM."""
    for file in json.loads(answer.ended.out)["files"]:
        for kernel in file["kernels"]:
            if not 0 < kernel["registers"] < 256 or kernel["occupancy"]["blocks"] < 1:
                return f"{kernel['kernel']}: {kernel['registers']} registers"
    return ""


def document(answer: Answer, schema: int = 1) -> str:
    """What is printed is JSON."""
    return "" if json.loads(answer.ended.out)["schema"] == schema else "another schema"


COMMANDS = [
    Command("diff", "diff FILE FILE", right=lambda a: a.ended.out.decode()),
    Command("diff, one op more", "diff --json FILE MORE", (1,), one_constant_more),
    Command("stats", "stats --json FILE", right=sizes),
    Command("strip", "strip --all FILE -o OUT", right=same_text),
    Command("convert", "convert --to-version 13.5 FILE -o OUT", right=same_text),
    Command("extract", "extract --function FUNCTION FILE -o OUT", right=readable),
    Command("opt", "opt -O FILE -o OUT", right=readable),
    Command("mutate", "mutate --seed 1 FILE -o OUT", right=readable),
    Command(
        "reduce", "reduce --says OP --of dis --jobs 1 FILE -o OUT", right=holds,
        large="reduce --says OP --of dis --jobs 1 --within 60 FILE -o OUT",
    ),
    Command("bisect", f"bisect --stages --says .global --target {TARGET} FILE", (0, 1)),
    Command(
        "resources", f"resources --json --no-instructions --target {TARGET} FILE", right=registers
    ),
    Command(
        "advise", f"advise --json --target {TARGET} FILE", right=partial(document, schema=2),
        large=f"advise --json --target {TARGET} --entry FUNCTION FILE",
    ),
    Command("run --array", "run --json ARRAYS --entry ENTRY FILE", right=document),
    Command("run --count", "run --json --count --launch LAUNCH FILE", right=document),
    Command(
        "run --emulate", f"run --json --emulate {TARGET} --launch LAUNCH FILE", right=document
    ),
]  # fmt: skip
"""Commands that are given a file. smith makes files and dump runs programs: see `tables.py`."""
