"""Our verdict on a module beside that of NVIDIA's disassembler, which verifies what it reads."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import tileir
from tests.conftest import nvidia_tool
from tests.tileir.verifier.mutants import Mutant, NoMutantError, mutant
from tileir import Bytecode, BytecodeError

LONGEST_S = 60
"""Seconds that the tool may take for one file."""

CHUNK = 25
MOST = 30
"""Diagnostics of ours that are kept of one module."""

ELEMENTS = r"i1|i4|i8|i16|i32|i64|f16|bf16|f32|f64|tf32|f\dE\w+|fnv\w+"
ACCEPTED, REFUSED, UNREADABLE, BROKEN = "accepted", "refused", "unreadable", "broken"
DISAGREEMENTS = ("laxer", "stricter", "unread", "broken")


class Verdict(NamedTuple):
    """What one side says: accepted, refused, unreadable (ours) or broken; and why."""

    word: str
    text: str = ""

    @property
    def positive(self) -> bool:
        """Whether the module is valid."""
        return self.word == ACCEPTED


def ours(data: bytes) -> Verdict:
    """What this project says of a file."""
    try:
        bytecode = Bytecode.parse(data).touch()
    except BytecodeError as error:
        return Verdict(UNREADABLE, str(error))
    try:
        found = _problems(bytecode)
    except Exception as error:  # a verifier that raises anything is a finding
        return Verdict(BROKEN, f"{type(error).__name__}: {error}")
    return Verdict(REFUSED, "\n".join(found[:MOST])) if found else Verdict(ACCEPTED)


def _problems(bytecode: Bytecode) -> list[str]:
    return [item.message for item in tileir.verify(bytecode) if item.severity == "error"]


def theirs(data: bytes, tool: Path) -> Verdict:
    """What NVIDIA's disassembler says of a file."""
    folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.NamedTemporaryFile(suffix=".tileirbc", dir=folder, delete=False) as file:
        file.write(data)
    try:
        done = subprocess.run([tool, file.name], capture_output=True, timeout=LONGEST_S)
    finally:
        os.unlink(file.name)
    text = done.stderr.decode(errors="replace").strip()
    if done.returncode == 0:
        return Verdict(ACCEPTED, text)
    errors = [line for line in text.splitlines() if "error:" in line]
    first = errors[0] if errors else text or f"exit status {done.returncode}"
    word = REFUSED if 0 < done.returncode < 128 and errors else BROKEN
    return Verdict(word, re.sub(r"^.*?error: (error at offset \d+: )?", "", first))


def pattern(text: str) -> str:
    """The first message without what differs from module to module: types, numbers, names."""
    text = text.partition("\n")[0]
    text = re.sub(r"(?<=has )(%\S* = )?\"?cuda_tile\..*", "op", text)
    text = re.sub(
        r"(?<=the last operation )'cuda_tile\.\w+'|^'cuda_tile\.\w+'(?= op invalid)", "op", text
    )
    text = re.sub(r"#cuda_tile\.di_.*?>(?=\. Op|\. F| does|\.?$)", "#D", text)
    text = re.sub(r"loc\(.*\)", "loc", text)
    text = re.sub(rf"'(?:!|(?:{ELEMENTS})\b)[^']*'", "T", text)
    text = re.sub(r"\(?T(?:, T)*\)?|(?<= )\(\)", "T", text)
    text = re.sub(r"\[[-\d, ]*\]|\([-\d, ]*\)|(?<![\w.])-?\d+(?![\w.])", "N", text)
    text = re.sub(r'"[^"]*"', "S", text)
    text = re.sub(r"(?<!_)'(?!cuda_tile)[^' ]*' (?=does not reference)|named '.*'", "'S' ", text)
    return re.sub(r"@[^\s)]+", "S", text)[:200]


class Case(NamedTuple):
    """A mutant with both verdicts."""

    number: int
    mutant: Mutant
    ours: Verdict
    theirs: Verdict

    @property
    def alike(self) -> bool:
        """Whether one of our messages contains theirs, op name and what it prints of IR aside."""
        if not self.ours.word == self.theirs.word == REFUSED:
            return False
        text = self.theirs.text.partition(" op ")[2] or self.theirs.text
        return re.split(r", has |#cuda_tile", text)[0].strip() in self.ours.text

    @property
    def outcome(self) -> str:
        """agree, stricter or laxer (ours), unreadable (both refuse), unread (only we), broken
        (ours crashes), crashed (theirs does, which says nothing of the module)."""
        if self.ours.word == BROKEN:
            return "broken"
        if self.theirs.word == BROKEN:
            return "crashed"
        if self.ours.word == UNREADABLE:
            return "unread" if self.theirs.positive else "unreadable"
        if self.ours.positive == self.theirs.positive:
            return "agree"
        return "laxer" if self.ours.positive else "stricter"


@dataclass
class Group:
    """All disagreements of one message; the smallest module is the example."""

    count: int = 0
    ops: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    example: Case | None = None

    def add(self, case: Case) -> None:
        """Count a case."""
        self.count += 1
        self.ops[case.mutant.op] += 1
        self.kinds[case.mutant.kind] += 1
        if self.example is None or len(case.mutant.data) < len(self.example.mutant.data):
            self.example = case


@dataclass
class Tally:
    """What came out. `groups` are disagreements by outcome and message.

    Of the modules that both sides refuse (`both`), some get the same words (`alike`); the others
    are groups of the outcome "worded".
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    both: int = 0
    alike: int = 0
    ops: dict[str, Counter[str]] = field(default_factory=dict)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    messages: Counter[str] = field(default_factory=Counter)
    groups: dict[tuple[str, str], Group] = field(default_factory=dict)

    def add(self, case: Case) -> None:
        """Count a case."""
        outcome = case.outcome
        self.outcomes[outcome] += 1
        self.refused += not case.theirs.positive
        self.both += case.ours.word == case.theirs.word == REFUSED
        self.alike += case.alike
        self.ops.setdefault(case.mutant.op, Counter())[outcome] += 1
        self.kinds.setdefault(case.mutant.kind, Counter())[outcome] += 1
        if not case.theirs.positive:
            self.messages[pattern(case.theirs.text)] += 1
        if outcome in DISAGREEMENTS:
            strict = outcome in ("stricter", "unread") or case.ours.word == BROKEN
            self._group(outcome, case.ours if strict else case.theirs, case)
        elif case.ours.word == case.theirs.word == REFUSED and not case.alike:
            self._group("worded", case.theirs, case)

    def _group(self, outcome: str, verdict: Verdict, case: Case) -> None:
        self.groups.setdefault((outcome, pattern(verdict.text)), Group()).add(case)

    @property
    def disagreements(self) -> dict[tuple[str, str], Group]:
        """The groups where the verdicts differ, not only the words."""
        return {key: group for key, group in self.groups.items() if key[0] in DISAGREEMENTS}


class Plan(NamedTuple):
    """Which mutants to look at."""

    count: int
    seed: int = 1
    version: str = ""
    kind: str = ""
    first: int = 0


def look(plan: Plan, number: int, tool: Path) -> Case | None:
    """One mutant and both verdicts; None if there is no such mutant."""
    try:
        made = mutant(plan.seed, number, plan.version, plan.kind)
    except NoMutantError:
        return None
    return Case(number, made, ours(made.data), theirs(made.data, tool))


def _several(plan: Plan, numbers: range, tool: Path) -> list[Case]:
    return [case for number in numbers if (case := look(plan, number, tool))]


def compare(plan: Plan, jobs: int = 1) -> Iterator[Case]:
    """Both verdicts on all mutants of a plan, in order. FileNotFoundError without the tool."""
    tool = nvidia_tool("tileirdisasm")
    if tool is None:
        raise FileNotFoundError("tileirdisasm is not installed (pip install -e .[test])")
    end = plan.first + plan.count
    chunks = [range(n, min(n + CHUNK, end)) for n in range(plan.first, end, CHUNK)]
    if jobs == 1:
        for chunk in chunks:
            yield from _several(plan, chunk, tool)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for cases in pool.map(_several, *zip(*[(plan, c, tool) for c in chunks], strict=True)):
            yield from cases
