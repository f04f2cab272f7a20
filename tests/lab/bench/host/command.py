"""``python -m tests.lab.bench host``: the table of kernels on this CPU.

It needs torch and cuda-tile, and says so without them. With --save, rows are appended to a file as
they are made, and a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import statistics
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tests.arguments import positive

ROOMS = ("norms", "reductions", "elementwise", "movement", "products", "attention")
"""Modules of races, in the order of the table."""

_SHOWN = 160
"""Characters of a line where the output is no terminal."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--only", nargs="+", metavar="KERNEL", help="these kernels alone")
    parser.add_argument(
        "--threads",
        nargs="+",
        type=positive,
        default=[1, 2],
        metavar="N",
        help="numbers of threads (default: 1 2)",
    )
    parser.add_argument(
        "--repeat",
        type=positive,
        default=5,
        metavar="N",
        help="the median of so many turns counts (default: %(default)s)",
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="append rows to a file of JSON lines, and measure only what it lacks",
    )
    parser.add_argument("--json", action="store_true", help="rows as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    missing = missing_packages()
    if missing:
        print(
            f"The kernels need {' and '.join(missing)}, installed beside tileir.", file=sys.stderr
        )
        return 2
    races = known_races()
    unknown = [name for name in arguments.only or () if name not in races]
    if unknown:
        print(f"no kernel {unknown[0]!r}; there are {', '.join(races)}", file=sys.stderr)
        return 2
    rows = _measured(arguments, [name for name in races if name in (arguments.only or races)])
    if arguments.json:
        print(json.dumps({"machine": platform.machine(), "rows": rows, "summary": summary(rows)}))
    else:
        show(rows)
    return 0


def missing_packages() -> list[str]:
    """Return which of the packages that are needed are not installed."""
    needed = {"torch": "torch", "cuda": "cuda-tile", "ml_dtypes": "ml_dtypes"}
    return [
        package
        for module, package in needed.items()
        if find_spec(module) is None or (module == "cuda" and find_spec("cuda.tile") is None)
    ]


def known_races() -> Mapping[str, Any]:
    """Return all races, by name."""
    for room in ROOMS:
        importlib.import_module(f".races.{room}", __package__)
    from .race import RACES

    return RACES


def _measured(arguments: argparse.Namespace, names: list[str]) -> list[dict[str, Any]]:
    known = _saved(arguments.save)
    missing = {
        name: [count for count in arguments.threads if (name, count) not in known] for name in names
    }
    for row in _rows({name: counts for name, counts in missing.items() if counts}, arguments):
        known[row["name"], row["threads"]] = row
        if arguments.save:
            with arguments.save.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
    return [known[name, count] for name in names for count in arguments.threads]


def _rows(
    wanted: Mapping[str, list[int]], arguments: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    if not wanted:
        return
    from tileir.codegen.host import compiling  # noqa: F401  the import is no part of compiling

    from . import turns

    turns.keep_memory()
    machine = turns.Machine()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=len(wanted))
        for name, threads in wanted.items():
            progress.update(bar, description=name)
            for row in turns.measure(name, threads, arguments.repeat, machine):
                yield turns.plain(row)
            progress.advance(bar)


def _saved(path: Path | None) -> dict[tuple[str, int], dict[str, Any]]:
    if path is None or not path.exists():
        return {}
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {(row["name"], row["threads"]): row for row in rows}


def summary(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return worst, median and geometric mean of our time over torch's, by number of threads."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        ratios.setdefault(str(row["threads"]), []).append(row["ratio"])
    return {
        threads: {
            "kernels": len(each),
            "worst": max(each),
            "median": statistics.median(each),
            "geometric mean": statistics.geometric_mean(each),
        }
        for threads, each in ratios.items()
    }


def show(rows: list[dict[str, Any]]) -> None:
    """Print the table and what it comes to."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _SHOWN)
    table = Table(title="kernels on this CPU: CPU time, the median", title_justify="left")
    columns = [
        "kernel",
        "what is compared",
        "torch by",
        "threads",
        "ours, ms",
        "torch, ms",
        "ours / torch",
        "best",
        "by the clock",
        "/ NumPy",
        "bandwidth",
        "peak",
        "compile, ms",
    ]
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < 3 else "right")
    for row in rows:
        by = row["formulation"] + (" (both allocate)" if row["allocates"] else "")
        table.add_row(
            row["name"],
            row["compared"],
            by,
            str(row["threads"]),
            f"{row['ours'] * 1e3:.2f}",
            f"{row['torch'] * 1e3:.2f}",
            f"{row['ratio']:.2f}",
            _quotient(row["best"]),
            _quotient(row["wall"]),
            _quotient((row["ours"], row["numpy"])),
            _share(row["bandwidth"]),
            _share(row["peak"]),
            f"{row['compiling'] * 1e3:.0f}",
        )
    console.print(table)
    for threads, found in summary(rows).items():
        facts = ", ".join(
            f"{name} {value:.2f}" for name, value in found.items() if name != "kernels"
        )
        console.print(f"ours / torch of {found['kernels']} kernels, threads {threads}: {facts}")
    console.print(
        "Bandwidth is what has to be read and written, over a copy's in this run; peak is that of "
        "a vector instruction of the type, one after the other."
    )


def _quotient(pair: Iterable[float | None]) -> str:
    ours, theirs = pair
    return f"{ours / theirs:.2f}" if ours and theirs else ""


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"
