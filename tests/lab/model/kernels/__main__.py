"""`python -m tests.lab.model.kernels`: random kernels on this CPU, compared with the model."""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests.arguments import positive
from tileir.smith.recipes import RECIPES

from .campaign import Job, Result, run

EXAMPLES = """\
examples:
  python -m tests.lab.model.kernels --count 1000             programs of many ops
  python -m tests.lab.model.kernels --op divf --count 100    kernels of one op
  python -m tests.lab.model.kernels --op all --count 20      of every op
  python -m tests.lab.model.kernels --seed 77 --count 1      one of them again

Exit code: 0 all that could be compiled gave the same, 1 findings, 2 wrong use.
"""

SHOWN = 6
"""Lines of what a finding says."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    given = _parser().parse_args(arguments)
    ops = sorted(RECIPES) if given.op == "all" else [given.op]
    jobs = [Job(op, given.seed + at) for op in ops for at in range(given.count)]
    verdicts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    start = time.monotonic()
    for result in run(jobs):
        verdicts[result.verdict] += 1
        if result.verdict == "unsupported":
            reasons.update(set(_reasons(result.text)))
        elif result.verdict != "same":
            print(_finding(result), flush=True)
    for reason, number in reasons.most_common():
        print(f"unsupported in {number}: {reason}")
    figures = ", ".join(f"{number:,} {verdict}" for verdict, number in verdicts.most_common())
    print(f"{len(jobs):,} kernels: {figures}; {time.monotonic() - start:.0f} s")
    return int(any(verdicts[name] for name in ("different", "failed", "crashed")))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.model.kernels",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--count", type=positive, default=100, help="kernels (100)")
    parser.add_argument("--seed", type=int, default=0, help="of the first kernel (0)")
    parser.add_argument(
        "--op", choices=["all", *sorted(RECIPES)], default="", metavar="OP",
        help="kernels of that op, or of all, instead of programs",
    )  # fmt: skip
    return parser


def _reasons(text: str) -> list[str]:
    """What an UnsupportedError lists, without the places."""
    found = [line.partition("error: ")[2] for line in text.splitlines()[1:]]
    return [line.partition(" in kernel")[0] for line in found if line] or [text]


def _finding(result: Result) -> str:
    op = f"--op {result.job.op} " if result.job.op else ""
    lines = result.text.splitlines()[:SHOWN]
    return f"{op}--seed {result.job.seed}: {result.verdict}\n" + "\n".join(
        f"  {line}" for line in lines
    )


if __name__ == "__main__":
    raise SystemExit(main())
