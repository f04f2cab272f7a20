"""`python -m tests.lab.planted`: planted defects, and what is left of their modules."""

from __future__ import annotations

import argparse
import time

import tileir
from tests.arguments import positive
from tileir.reduce import reduce

from .defects import DEFECTS, made

MOST_OPS = 10
EXAMPLES = """\
examples:
  python -m tests.lab.planted                 all of them
  python -m tests.lab.planted --kind value    those of a kind: crash, program, value, verdict
  python -m tests.lab.planted --text          what is left, too

Exit code: 0 all were reduced to 10 ops or less, 1 not all, 2 wrong use.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.planted",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ops", type=positive, default=2000, help="of a module, about (2000)")
    parser.add_argument("--jobs", type=positive, default=1, help="trials at a time (1)")
    parser.add_argument("--kind", choices=sorted({each.kind for each in DEFECTS}))
    parser.add_argument("--name", help="the defect of this name")
    parser.add_argument("--text", action="store_true", help="print what is left")
    given = parser.parse_args(arguments)
    worst = count = 0
    start = time.monotonic()
    print(f"{'kind':<8} {'defect':<34} {'ops':>6} {'left':>4} {'bytes':>7} {'left':>4}"
          f" {'trials':>6} {'seconds':>7}")  # fmt: skip
    for defect in DEFECTS:
        if given.kind not in (None, defect.kind) or given.name not in (None, defect.name):
            continue
        data, predicate = made(defect, given.ops)
        found = reduce(data, predicate, jobs=given.jobs)
        before, after = found.before, found.after
        print(
            f"{defect.kind:<8} {defect.name:<34} {before.all_ops:>6,} {after.all_ops:>4}"
            f" {before.size:>7,} {after.size:>4} {found.trials:>6} {found.seconds:>7.1f}"
            f"{'' if found.stable else '  UNSTABLE'}",
            flush=True,
        )
        if given.text:
            print(tileir.disassemble(found.data) if defect.kind != "verdict" else found.data.hex())
        worst, count = max(worst, after.all_ops), count + 1
    seconds = time.monotonic() - start
    print(f"{count} defects, at most {worst} ops left, {seconds:.0f} s with making the modules")
    return int(worst > MOST_OPS)


if __name__ == "__main__":
    raise SystemExit(main())
