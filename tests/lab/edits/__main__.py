"""`python -m tests.lab.edits`: random edit scripts on many modules."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import track

from tests.arguments import positive
from tests.corpus import VALID

from .outcome import outcome

EXAMPLES = """\
examples:
  python -m tests.lab.edits --count 20000 --corpus FOLDER     on other files than the fixtures
  python -m tests.lab.edits --count 2000 --nvidia --compile   with NVIDIA's verdict, compiled
  python -m tests.lab.edits --seed 77 --count 1               one script again

Exit code: 0 nothing found, 1 findings, 2 wrong use.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.edits",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--count", type=positive, default=1000, help="scripts (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first script")
    parser.add_argument("--corpus", type=Path, help="folder of .tileirbc files (default: fixtures)")
    parser.add_argument("--nvidia", action="store_true", help="compare with tileirdisasm")
    parser.add_argument("--compile", action="store_true", help="compile valid ones, host and sm_80")
    parser.add_argument("--largest", type=positive, default=20_000, help="bytes of a file")
    given = parser.parse_args(arguments)
    files = sorted(given.corpus.rglob("*.tileirbc")) if given.corpus else VALID
    files = [path for path in files if path.stat().st_size <= given.largest]
    console, counts, found = Console(), Counter[str](), Counter[str]()
    seeds = range(given.seed, given.seed + given.count)
    for seed in track(seeds, console=console, description="scripts"):
        path = random.Random(seed).choice(files)
        made = outcome(path.read_bytes(), seed, given.nvidia, given.compile)
        counts["valid" if made.valid else "refused"] += 1
        counts["steps"] += len(made.log)
        counts["steps refused"] += sum(": " in line for line in made.log)
        counts.update(made.asked)
        for text in made.broken[:1]:
            last = text.strip().splitlines()[-1]
            found[last[:60]] += 1
            if found[last[:60]] == 1:
                console.print(f"seed {seed}, {path}:\n  {text}\n  {made.log}", markup=False)
    console.print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    console.print(f"{sum(found.values())} findings", *found.most_common(20), sep="\n", markup=False)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
