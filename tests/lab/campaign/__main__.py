"""`python -m tests.lab.campaign FOLDER`: random programs through everything there is."""

from __future__ import annotations

import argparse
import json
import sys
import time

from tests.arguments import directory, positive

from . import findings
from .ledger import BusyError, Ledger, alone_in
from .reducing import kind
from .running import Job, results
from .stages import STAGES
from .summary import BAD, summary, told

SPARSE = ("emulator", "tileiras")
"""Stages that see each fifth module."""

EXAMPLES = """\
examples:
  python -m tests.lab.campaign /tmp/c --count 20000 --jobs 2     goes on where it was stopped
  python -m tests.lab.campaign /tmp/c --count 200 --stages verify,cpu
  python -m tests.lab.campaign /tmp/c --count 20000 --again      what was found before, too
  python -m tests.lab.campaign /tmp/c --count 20000 --reduce 300
  python -m tests.lab.campaign /tmp/c --summary                  what the ledger says

FOLDER has ledger.jsonl, a line for each module; findings/SEED-STAGE/, with module.tileirbc, its
text, its launch, and what.txt, with --reduce also reduced.tileirbc and reduced.txt; summary.json.
Emulator and tileiras see each fifth module.

Exit code: 0 nothing found, 1 findings, 2 wrong use, or another campaign is running in FOLDER.
"""

SAYING_S = 60
"""Seconds between two lines about how far it is."""


def main(given: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    arguments = _parser().parse_args(given)
    if arguments.summary:
        return _campaign(arguments)
    try:
        with alone_in(arguments.folder):
            return _campaign(arguments)
    except BusyError as error:
        print(f"python -m tests.lab.campaign: {error}", file=sys.stderr)
        return 2


def _campaign(arguments: argparse.Namespace) -> int:
    ledger = Ledger(arguments.folder / "ledger.jsonl")
    if arguments.again:
        ledger.forget(BAD)
    if not arguments.summary:
        ledger.begin()
        _run(arguments, ledger)
    figures = summary(ledger.rows())
    (arguments.folder / "summary.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(told(figures))
    return int(any(BAD & counts.keys() for counts in figures["stages"].values()))


def _run(arguments: argparse.Namespace, ledger: Ledger) -> None:
    jobs = []
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        stages = [
            name
            for name in arguments.stages
            if (seed, name) not in ledger.done
            and (name not in SPARSE or seed % arguments.sparse == 0)
        ]
        if stages:
            jobs.append(Job(seed, tuple(stages)))
    said, kinds = time.monotonic(), set()
    for number, row in enumerate(results(jobs, arguments.jobs)):
        for stage, found in row["stages"].items():
            folder = arguments.folder / "findings"
            if arguments.again:
                findings.remove(folder, row["seed"], stage)
            if found["verdict"] in BAD:
                where = findings.file(folder, row["seed"], stage, found["verdict"], found["text"])
                first = found["text"].partition("\n")[0]
                print(f"{where}: {found['verdict']}: {first[:200]}", flush=True)
                what = kind(stage, found["verdict"], found["text"])
                if arguments.reduce and what not in kinds:
                    kinds.add(what)
                    findings.reduce(where, row["seed"], stage, what, arguments.reduce)
        ledger.add(row)
        if time.monotonic() - said > SAYING_S:
            said = time.monotonic()
            print(f"{number + 1:,} of {len(jobs):,}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.campaign",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("folder", type=directory, metavar="FOLDER", help="of ledger and findings")
    add("--count", type=positive, default=100, help="modules (100)")
    add("--seed", type=int, default=0, help="of the first module (0)")
    add("--stages", type=_stages, default=[*STAGES], help=f"some of {','.join(STAGES)} (all)")
    add("--sparse", type=positive, default=5, help="emulator and tileiras see each N-th (5)")
    add("--jobs", type=positive, default=1, help="modules at a time (1)")
    add("--again", action="store_true", help="try what was a finding again, to see it mended")
    add(
        "--reduce", type=float, default=0.0, metavar="SECONDS",
        help="make the first finding of each kind small, for so long at most",
    )  # fmt: skip
    add("--summary", action="store_true", help="only say what the ledger has")
    return parser


def _stages(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in STAGES:
            raise argparse.ArgumentTypeError(f"there is no stage {name!r}")
    return [name for name in STAGES if name in names]


if __name__ == "__main__":
    raise SystemExit(main())
