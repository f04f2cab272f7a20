"""`python -m tests.lab.fuzz`: try the readers on many mutants, keep what goes wrong, made small."""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.arguments import directory, positive, readable
from tileir.formats.errors import shorten
from tileir.formats.version import SUPPORTED

from .campaign import Plan, Tally, checks, run
from .finding import signature
from .mutations import NEWER, seeds

LONGEST = 400
"""Characters of what a finding says."""

SHOWN = 100
"""Bytes of an input that are shown in full."""

EXAMPLES = """\
properties:
  agreement    the fast decoder and the reference say the same
  rejection    only a BytecodeError escapes, from any way of reading
  round_trip   what is read is written back
  cost         reading takes little time and memory

examples:
  python -m tests.lab.fuzz --count 20000                      all properties
  python -m tests.lab.fuzz agreement --count 200000 --jobs 2  one of them, longer
  python -m tests.lab.fuzz --version 13.4 --seed 7            other mutants, of one version's files
  python -m tests.lab.fuzz --version 13.6          a version that is newer than any that is known
  python -m tests.lab.fuzz cost --save /tmp/found    findings and the dearest inputs go there
  python -m tests.lab.fuzz rejection --input case.bin         one input again, with its traceback

Exit code: 0 nothing found, 1 findings, 2 wrong use, 130 interrupted (what there is is shown).
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    given = _parser().parse_args(arguments)
    known = checks()
    wanted = tuple(dict.fromkeys(given.properties or known))
    if given.input is not None:
        return _again(given.input, wanted)
    console = Console()
    start = time.monotonic()
    plan = Plan(wanted, given.count, given.seed, given.jobs, given.version)
    with _progress(console, plan) as show:
        told: set[tuple[str, str]] = set()

        def report(tallies: dict[str, Tally]) -> None:
            show(tallies)
            for name, tally in tallies.items():
                for what in [what for what in tally.failures if (name, what) not in told]:
                    told.add((name, what))
                    console.out(finding(name, tally, what, given.save), highlight=False)

        tallies = run(plan, seeds(given.version), report)
    for name, tally in tallies.items():
        print(summary(name, tally))
        for line in highest(name, tally, given.save):
            print(line)
    print(f"{time.monotonic() - start:.0f} s with {plan.jobs} jobs, seed {plan.seed}")
    if any(tally.failures for tally in tallies.values()):
        return 1
    return 0 if all(tally.done == plan.count for tally in tallies.values()) else 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.fuzz",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "properties", nargs="*", metavar="property", type=_property, help="default: all"
    )
    parser.add_argument("--count", type=positive, default=20_000, help="mutants (20000)")
    parser.add_argument("--seed", type=int, default=1, help="other seeds give other mutants (1)")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count() or 1, help="processes")
    versions = [*map(str, SUPPORTED), NEWER]
    parser.add_argument("--version", default="", choices=versions, metavar="13.x")
    parser.add_argument("--save", type=directory, metavar="DIR", help="where inputs are kept")
    parser.add_argument(
        "--input", type=readable, metavar="FILE", help="try this one input, no mutants"
    )
    return parser


def _property(text: str) -> str:
    if text not in checks():
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(checks())}")
    return text


def _again(path: Path, wanted: tuple[str, ...]) -> int:
    """Try one input; a finding shows its traceback."""
    data, failed = path.read_bytes(), False
    for name in wanted:
        try:
            outcome = checks()[name](data)
        except Exception as error:
            failed = True
            print(f"{name}: {signature(error)}")
            Console(stderr=True).print_exception()
        else:
            figures = "".join(f", {value:.1f} {key}" for key, value in outcome.figures.items())
            print(f"{name}: {outcome.verdict}{figures}")
    return int(failed)


def summary(name: str, tally: Tally) -> str:
    """One line: how many, and what became of them."""
    refused = [item for item in tally.verdicts.most_common() if item[0] != "accepted"]
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in refused)
    return (
        f"{name}: {tally.done:,} mutants, {tally.verdicts['accepted']:,} accepted, "
        f"{sum(number for _, number in refused):,} refused ({kinds}), "
        f"{sum(tally.repeats.values()):,} findings of {len(tally.failures)} kinds"
    )


def finding(name: str, tally: Tally, what: str, folder: Path | None) -> str:
    """What is wrong, and the input that shows it, which goes to the folder."""
    failure = tally.failures[what]
    stem = f"{name}-{list(tally.failures).index(what) + 1}"
    place = _save(folder, stem, failure.data)
    _save(folder, f"{stem}-whole", failure.original)
    shown = failure.data.hex() if len(failure.data) <= SHOWN else f"{len(failure.data)} bytes"
    return (
        f"{name}: {what}: {shorten(failure.text, LONGEST)}\n"
        f"  mutant {failure.number} of {failure.source}, shrunk: {shown}{place}"
    )


def highest(name: str, tally: Tally, folder: Path | None) -> Iterator[str]:
    """A line for each highest figure; the inputs go to the folder."""
    for figure, worst in tally.worst.items():
        place = _save(folder, f"{name}-highest-{figure.replace(' ', '-')}", worst.data)
        size, made_from = len(worst.data), f"mutant {worst.number} of {worst.source}"
        yield f"  highest {figure}: {worst.value:.1f} for {size:,} bytes, {made_from}{place}"


def _save(folder: Path | None, stem: str, data: bytes) -> str:
    """Keep an input; returns where it is, for the end of a line."""
    if folder is None:
        return ""
    path = folder / f"{stem}.tileirbc"
    path.write_bytes(data)
    return f", {path}"


@contextlib.contextmanager
def _progress(console: Console, plan: Plan) -> Iterator[Callable[[dict[str, Tally]], None]]:
    """What shows the tallies as they grow: bars on a terminal, nothing elsewhere."""
    if not console.is_terminal:
        yield lambda tallies: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    ending = (TimeElapsedColumn(), TextColumn("{task.fields[found]}"))
    with Progress(*columns, *ending, console=console, transient=True) as progress:
        tasks = {
            name: progress.add_task(name, total=plan.count, found="") for name in plan.properties
        }

        def report(tallies: dict[str, Tally]) -> None:
            for name, tally in tallies.items():
                found = f"{len(tally.failures)} kinds of findings" if tally.failures else ""
                progress.update(tasks[name], completed=tally.done, found=found)

        yield report


if __name__ == "__main__":
    raise SystemExit(main())
