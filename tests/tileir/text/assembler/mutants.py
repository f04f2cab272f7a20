"""Texts that were damaged: whatever is done to one, the assembler says what is wrong with it.

`python -m tests.tileir.text.assembler.mutants --count 50000` tries many; the tests try some.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
from collections import Counter

import tileir

from .texts import TEXTS, version_of

WORDS = re.compile(r'"[^"\n]*"|[%#!@]?[\w$.]+|\s+|.', re.DOTALL)
ODD = (
    "}", "{", "(", ")", "<", ">", "[", "]", ",", ":", "=", "->", '"', "\\", "//", "\n", "%", "#",
    "!", "@", "?", "-", "%0", "%arg0", "#loc", "!t", "loc(", "loc(unknown)", "token", "0x", "0xFF",
    "1e999", "-1", "99999999999999999999", "1.5", "true", "unit", "dense<", "tile<8xf32>", "ptr<",
    "partition_view<", "module", "entry", "global", "yield", "continue", "attributes {a = 1}",
    "\x00", "\u00e9", "\udc80", "cuda_tile.", "!cuda_tile.", "#cuda_tile.", "%0#1", "%0:2", "0",
)  # fmt: skip
"""Things to put where they do not belong."""


def mutant(text: str, random: random.Random) -> str:
    """The text with a few of its words gone, doubled, swapped or replaced."""
    words = WORDS.findall(text)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(words) or 1)
        other = random.randrange(len(words) or 1)
        kind = random.randrange(7)
        if not words or kind == 0:
            words.insert(place, random.choice(ODD))
        elif kind == 1:
            del words[place : place + random.choice((1, 1, 2, 5, 40))]
        elif kind == 2:
            words[place] = words[other]
        elif kind == 3:
            words[place], words[other] = words[other], words[place]
        elif kind == 4:
            words[place] = random.choice(ODD)
        elif kind == 5:
            words.insert(place, words[other])
        else:
            word = words[place]
            at = random.randrange(len(word) + 1)
            words[place] = word[:at] + random.choice(ODD)[:1] + word[at + random.randrange(2) :]
    return "".join(words)


def check(error: tileir.AssemblyError, text: str) -> None:
    """Every problem is at a place that is there."""
    lines = text.split("\n")
    assert error.problems
    for problem in error.problems:
        assert problem.source == lines[problem.line - 1], problem
        assert 1 <= problem.column <= len(problem.source) + 1, problem
        assert problem.length >= 1, problem
    assert str(error)


def outcome(text: str, version: str) -> str:
    """What became of a text: ``accepted`` or ``refused``; anything else is a defect and raises."""
    try:
        bytecode = tileir.assemble(text, version)
    except tileir.AssemblyError as error:
        check(error, text)
        return "refused"
    bytecode.touch(strict=True)
    assert bytecode.build() == bytes(bytecode.data)
    return "accepted"


def cases(count: int, seed: int):
    """That many mutants, each with the version it is for."""
    chance = random.Random(seed)
    for _ in range(count):
        path = chance.choice(TEXTS)
        yield mutant(path.read_text("utf-8", "surrogateescape"), chance), version_of(path)


def main() -> int:
    """Try many; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.tileir.text.assembler.mutants")
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found: Counter[str] = Counter()
    slowest = 0.0
    for text, version in cases(given.count, given.seed):
        start = time.monotonic()
        try:
            found[outcome(text, version)] += 1
        except Exception:
            last = traceback.format_exc().strip().split("\n")
            key = " | ".join(line.strip() for line in last[-5:])[:600]
            if key not in found:
                print(f"-- defect\n{text[:3000]}\n{key}", file=sys.stderr)
            found[key] += 1
        slowest = max(slowest, time.monotonic() - start)
    print(f"{given.count} mutants: {dict(found)}, the slowest took {slowest:.2f} s")
    return int(set(found) - {"accepted", "refused"} != set())


if __name__ == "__main__":
    raise SystemExit(main())
