"""``python -m tests.lab.bench launch``: what a launch costs besides the kernel's own work.

The kernel adds vectors of 1024 elements, as one block. Under cuTile a second measurement has a
driver whose launches do nothing; the difference is our share. Times are CPU time of one thread, the
least of several rounds. A first launch, in a new process and from the cache, is measured as well.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tests.arguments import positive

from .host.command import missing_packages
from .timing import ROOT

WORKER = ROOT / "tests" / "lab" / "bench" / "launching_worker.py"

WAYS = {
    "torch": "cuTile, tensors on device cuda",
    "torch-cpu": "cuTile, tensors on the CPU",
    "numpy": "cuTile, NumPy arrays",
    "kernel": "tileir.compile(...)[...].launch, NumPy arrays",
}
"""Way to launch -> what that is."""


class Cost(NamedTuple):
    """Microseconds of a launch: in all, and with a driver that does nothing, if there is one."""

    way: str
    whole: float
    empty: float | None

    @property
    def ours(self) -> float:
        return self.whole - (self.empty or 0.0)


def measure(repeat: int, launches: int) -> Iterator[Cost]:
    """The cost of each way to launch."""
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS:
            found = _worker(folder, way, str(repeat), str(launches))
            yield Cost(way, found["whole"], found.get("empty"))


def first_launch(repeat: int) -> Mapping[str, float]:
    """Milliseconds of what a new process does to launch a kernel that is in the cache."""
    with tempfile.TemporaryDirectory() as folder:
        _worker(folder, "first")
        found = [_worker(folder, "first") for _ in range(repeat + 1)][1:]
    return {step: min(each[step] for each in found) for step in found[0]}


def _worker(folder: str, *arguments: str) -> dict[str, float]:
    kept = {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(Path(folder, "compiled")),
        "PYTHONPATH": str(ROOT),
        "TILEIR_CACHE_DIR": str(Path(folder, "cache")),
    }
    done = subprocess.run(
        [sys.executable, str(WORKER), *arguments],
        cwd=ROOT,
        env=os.environ | kept,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the measured program failed:\n{done.stderr}")
    return json.loads(done.stdout)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.add_argument(
        "--repeat",
        type=positive,
        default=7,
        metavar="N",
        help="the least of so many rounds counts (default: %(default)s)",
    )
    parser.add_argument(
        "--launches",
        type=positive,
        default=2000,
        metavar="N",
        help="launches of a round (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    missing = missing_packages()
    if missing:
        print(f"This needs {' and '.join(missing)}, installed beside tileir.", file=sys.stderr)
        return 2
    costs = list(measure(arguments.repeat, arguments.launches))
    first = first_launch(arguments.repeat)
    if arguments.json:
        print(json.dumps({"launch": [cost._asdict() for cost in costs], "first": first}))
        return 0
    table = Table(title="a launch, microseconds of CPU time", title_justify="left")
    for column in ("way", "in all", "with an empty driver", "ours"):
        table.add_column(column, justify="left" if column == "way" else "right")
    for cost in costs:
        empty = "" if cost.empty is None else f"{cost.empty:.1f}"
        table.add_row(WAYS[cost.way], f"{cost.whole:.1f}", empty, f"{cost.ours:.1f}")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(table)
    steps = ", ".join(f"{step} {time:.1f}" for step, time in first.items())
    console.print(f"first launch in a new process, from the cache, ms of CPU time: {steps}")
    return 0
