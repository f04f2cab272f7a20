"""`python -m tests.lab.cache`: processes that share a folder and are killed; what is saved."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.arguments import positive
from tests.corpus import FIXTURES

from .crowd import Crowd
from .jobs import jobs
from .saving import Round, machines, rounds

EXAMPLES = """\
examples:
  python -m tests.lab.cache crowd                           8 processes, 500 compilations each
  python -m tests.lab.cache crowd --size 2M --damages 200   a folder that is full, and a bad disk
  python -m tests.lab.cache saving --target sm_90           the first compilation and later ones
  python -m tests.lab.cache shared --url s3://bucket/store  the first machine and later ones

crowd says how often a result differed from that without the cache, and which entries were told as
written and are not there (with --size they may be evicted). Exit code: 0 nothing found, 1 findings,
2 wrong use. shared: exit code 1 if a later machine has compiled anything, or took more than a tenth
of the first by the clock.
"""

_MOST = 0.1
"""What a machine may take of the time of the first, by the clock."""


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
    shared = verbs.add_parser("shared", help="the fixtures on machines that share a store")
    shared.add_argument("--target", default="sm_90")
    shared.add_argument("--rounds", type=positive, default=3, help="machines (default: 3)")
    shared.add_argument("--url", default="", help="an empty store (default: a folder)")
    shared.add_argument("--key", default="", metavar="FILE", help="a file with a key")
    given = parser.parse_args(arguments)
    files = sorted((FIXTURES / "13.4").glob("*.tileirbc"))
    if given.verb == "saving":
        first, *later = rounds(given.target, files, given.rounds)
        _say(f"{len(files)} fixtures for {given.target}", "in a new process", first, later)
        return 0
    if given.verb == "shared":
        first, *later = machines(given.target, files, given.rounds, given.url, given.key)
        _say(f"{len(files)} fixtures for {given.target}", "on another machine", first, later)
        fast = all(each.clock <= _MOST * first.clock for each in later)
        return 0 if fast and not any(each.compiled for each in later) else 1
    with tempfile.TemporaryDirectory() as folder:
        made = Crowd(Path(folder, "cache"), given.size, given.jobs, given.seed)
        found = made.run(given.processes, given.compilations, given.kills, given.damages)
    print(", ".join(f"{count:,} {name}" for name, count in found.counts.items()))
    for name in ("wrong", "lost", "failed"):
        print(f"{name}: {len(getattr(found, name))}", *getattr(found, name)[:10], sep="\n  ")
    return 0 if found.ok else 1


def _say(what: str, where: str, first: Round, later: list[Round]) -> None:
    """Print what rounds took, and what that is of the first one."""
    print(f"{what}, first: {_round(first)}")
    for each in later:
        parts = f"{each.cpu / first.cpu:.3f} and {each.clock / first.clock:.3f} of the first"
        print(f"again {where}: {_round(each)}, {parts}")


def _round(each: Round) -> str:
    return (
        f"{each.compiled} compiled, {each.cpu:.3f} s of CPU time, {each.clock:.3f} s by the clock"
    )


if __name__ == "__main__":
    raise SystemExit(main())
