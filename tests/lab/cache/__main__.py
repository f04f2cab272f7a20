"""`python -m tests.lab.cache`: processes that share a folder and are killed; what it saves."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.arguments import positive
from tests.corpus import FIXTURES

from .crowd import Crowd
from .jobs import jobs
from .saving import rounds

EXAMPLES = """\
examples:
  python -m tests.lab.cache crowd                           8 processes, 500 compilations each
  python -m tests.lab.cache crowd --size 2M --damages 200   a folder that is full, and a bad disk
  python -m tests.lab.cache saving --target sm_90           the first compilation and later ones

crowd says how often a result differed from that without the cache, and which entries were told as
written and are not there (with --size they may be evicted). Exit code: 0 nothing found, 1 findings,
2 wrong use.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.cache",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    crowd = verbs.add_parser("crowd", help="processes that share a folder")
    crowd.add_argument("--processes", type=positive, default=8)
    crowd.add_argument("--compilations", type=positive, default=500, help="of each process")
    crowd.add_argument("--kills", type=int, default=60, help="processes that are killed")
    crowd.add_argument("--damages", type=int, default=0, help="files that are damaged meanwhile")
    crowd.add_argument("--size", default="", help="limit of the cache, as in 2M (default: none)")
    crowd.add_argument("--jobs", type=positive, default=len(list(jobs())), help="to choose from")
    crowd.add_argument("--seed", type=int, default=0)
    saving = verbs.add_parser("saving", help="CPU time of the fixtures, without and with entries")
    saving.add_argument("--target", default="sm_90")
    saving.add_argument("--rounds", type=positive, default=3, help="processes (default: 3)")
    given = parser.parse_args(arguments)
    if given.verb == "saving":
        files = sorted((FIXTURES / "13.4").glob("*.tileirbc"))
        first, *later = rounds(given.target, files, given.rounds)
        print(f"{len(files)} fixtures for {given.target}, first: {first:.2f} s of CPU time")
        for seconds in later:
            print(f"again in a new process: {seconds:.3f} s, {seconds / first:.3f} of the first")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        made = Crowd(Path(folder, "cache"), given.size, given.jobs, given.seed)
        found = made.run(given.processes, given.compilations, given.kills, given.damages)
    print(", ".join(f"{count:,} {name}" for name, count in found.counts.items()))
    for name in ("wrong", "lost", "failed"):
        print(f"{name}: {len(getattr(found, name))}", *getattr(found, name)[:10], sep="\n  ")
    return 0 if found.ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
