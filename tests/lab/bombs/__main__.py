"""`python -m tests.lab.bombs`: what each bomb costs, beside a plain file of its size."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import tileir
from tests.lab.bench.modules import large_module

from . import in_bytes, in_text, newer_bytes, shared_bytes, steps, trial
from .bomb import Bomb

BOMBS = [*in_bytes.BOMBS, *shared_bytes.BOMBS, *newer_bytes.BOMBS, *in_text.BOMBS]

MOST_MIB = 64
"""MiB that a bomb may take above a plain file of its size."""

GROWTH = 4
"""The second measurement is of a bomb so many times as large."""

SLOWER = 1.7
"""How many times the growth of the size the time may grow; processes disturb each other."""

LEAST_SECONDS = 0.4
"""Times below say nothing about growth."""

PLAIN_OPS = (500, 20_000)
"""Ops of the two plain files from which the memory of any size follows."""

EXAMPLES = """\
examples:
  python -m tests.lab.bombs                    all of them, some 20 minutes
  python -m tests.lab.bombs names sharing      those kinds
  python -m tests.lab.bombs --step verify      one step
  python -m tests.lab.bombs --json out.json    every figure

A row has the worst of all steps. Exit code: 0 all are bounded, 1 some are not.
"""


class Row(NamedTuple):
    """A bomb: sizes in bytes, and the cost of each step at both."""

    bomb: Bomb
    sizes: tuple[int, int]
    costs: dict[str, tuple[trial.Cost, trial.Cost]]
    above: dict[str, float]

    @property
    def failed(self) -> list[str]:
        """The steps that are not bounded, and why."""
        return [
            f"{step}: {reason}"
            for step, (first, second) in self.costs.items()
            if (reason := self._reason(step, first, second))
        ]

    def _reason(self, step: str, first: trial.Cost, second: trial.Cost) -> str:
        for cost in (first, second):
            if not cost.sound:
                return cost.verdict
        if self.above[step] > MOST_MIB:
            return f"{self.above[step]:.0f} MiB above a plain file"
        grown = max(1.0, self.sizes[1] / self.sizes[0])
        if second.seconds > LEAST_SECONDS and second.seconds > SLOWER * grown * first.seconds:
            return f"{first.seconds:.2f} s grow to {second.seconds:.2f} s"
        return ""


class Plain:
    """What a plain file of a size takes in each step: KiB, between two that are measured."""

    def __init__(self, text: bool) -> None:
        files = [large_module(ops) for ops in PLAIN_OPS]
        given = [tileir.disassemble(file, debug=True) for file in files] if text else files
        for step in steps.of(given[0]).values():  # generated code is not meant
            steps.outcome(step, given[0])
        self._sizes = [len(one) for one in given]
        self._kib = {
            name: [trial.measure(step, one).kib for one in given]
            for name, step in steps.of(given[0]).items()
        }

    def kib(self, step: str, size: int) -> float:
        """Return what a plain file of `size` bytes takes, on the line through both."""
        (small, large), (least, most) = self._sizes, self._kib[step]
        return max(0.0, least + (most - least) * (size - small) / (large - small))


def rows(bombs: Sequence[Bomb], step: str) -> Iterator[Row]:
    """Measure bombs, one after the other."""
    plain: dict[str, Plain] = {}
    for bomb in bombs:
        given = [bomb.made(bomb.size), bomb.made(bomb.size * GROWTH)]
        if bomb.form not in plain:
            plain[bomb.form] = Plain(bomb.form == "text")
        sizes = len(given[0]), len(given[1])
        costs = {
            name: (trial.measure(taken, given[0]), trial.measure(taken, given[1]))
            for name, taken in steps.of(given[0]).items()
            if step in ("", name)
        }
        above = {
            name: (second.kib - plain[bomb.form].kib(name, sizes[1])) / 1024
            for name, (_, second) in costs.items()
        }
        yield Row(bomb, sizes, costs, above)


def shown(row: Row) -> str:
    """A line of the table."""
    slowest = max(row.costs, key=lambda step: row.costs[step][1].seconds)
    largest = max(row.above, key=row.above.get)
    first, second = row.costs[slowest]
    verdicts = sorted({cost.verdict for pair in row.costs.values() for cost in pair})
    what = f"{row.bomb.name} ({row.bomb.form})"
    return (
        f"{row.bomb.kind:<11}{what[:49]:<50}{row.sizes[1]:>9,}"
        f"{max(0.0, row.above[largest]):>7.0f}{first.seconds:>7.2f}{second.seconds:>7.2f}"
        f"  {slowest:<15} {', '.join(verdicts)}"
    )


HEAD = (
    f"{'kind':<11}{'bomb':<50}{'bytes':>9}{'MiB +':>7}{'s':>7}{'s x4':>7}  slowest step    ends in"
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.bombs",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kinds", nargs="*", metavar="kind", help="default: all")
    parser.add_argument("--name", default="", help="only bombs with this in their names")
    parser.add_argument("--step", default="", choices=["", *steps.BYTES, *steps.TEXT])
    parser.add_argument("--json", type=Path, metavar="FILE", help="all figures")
    given = parser.parse_args(arguments)
    chosen = [b for b in BOMBS if given.name in b.name and b.kind in (given.kinds or (b.kind,))]
    print(HEAD)
    kept, failed = [], 0
    for row in rows(chosen, given.step):
        if not row.costs:
            continue
        print(shown(row), flush=True)
        for reason in row.failed:
            print(f"    {reason}", flush=True)
        failed += bool(row.failed)
        kept.append({**row._asdict(), "bomb": [row.bomb.kind, row.bomb.name, row.bomb.form]})
    print(f"{len(kept)} bombs, {failed} of them not bounded")
    if given.json:
        given.json.write_text(json.dumps(kept))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
