"""``python -m tests.lab.bench compile``: how long bytecode takes to become PTX, kernel by kernel.

Times are CPU seconds, the least of several. Two checkouts are compared in one run: each has a
process of its own, which lives on, and the two take turns with every kernel; so whatever disturbs
one disturbs the other. Fits say how the time grows with tiles and with ops.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from tests.arguments import positive
from tileir.gpus import GPUS

from . import generated
from .machine_code import against, figure_tables, figures
from .timing import ROOT

WORKER = """
import gc, json, sys, time
sys.path.insert(0, sys.argv[1])
import tileir
from pathlib import Path
print(json.dumps(str(Path(tileir.__file__).resolve())), flush=True)
gc.disable()
for line in sys.stdin:
    path, target = json.loads(line)
    data = Path(path).read_bytes()
    gc.collect()
    start = time.process_time()
    try:
        tileir.compile(tileir.Bytecode.parse(data), target=target, cache=False).ptx
        took = time.process_time() - start
    except tileir.TileIRError:
        took = None
    print(json.dumps(took), flush=True)
"""
"""Compiles what it is told to, with the tileir of a folder."""

MOST = 1.15
"""The ratio of times above which a kernel is named."""
ENOUGH = 0.5
"""Seconds of all rounds of a kernel after which there may be an end."""


class Checkout:
    """A process that compiles with the tileir of a folder."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(folder)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder), "TILEIR_VERIFY": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        used = Path(json.loads(self.process.stdout.readline() or '""'))
        if folder.resolve() not in used.parents:
            self.close()
            raise ValueError(f"{folder} has no tileir of its own")

    def seconds(self, path: Path, target: str) -> float | None:
        """CPU seconds to compile a file once; None if it is refused."""
        self.process.stdin.write(json.dumps([str(path), target]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


class Time(NamedTuple):
    """The least seconds of a kernel: here, and in the other checkout if there is one."""

    kernel: str
    target: str
    here: float
    other: float | None

    @property
    def ratio(self) -> float | None:
        return self.here / self.other if self.other else None


class Fit(NamedTuple):
    """How time grows with a size: seconds = fixed + each * size.

    `exponent` is that of the last doubling: 1 is linear. `explained` is the part of the variance
    that the line explains.
    """

    what: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    fixed: float
    each: float
    explained: float
    exponent: float


GROWING: Mapping[str, Mapping[int, str]] = {
    "product of f16, elements of a square tile": {
        side * side: generated.product("f16", side, side, 64) for side in (32, 64, 128, 256)
    },
    "product of f32, elements of a square tile": {
        side * side: generated.product("f32", side, side, 32) for side in (32, 64, 128)
    },
    "64 ops, elements of a tile": {
        size: generated.chain(64, size) for size in (1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16)
    },
    "tiles of 1024, ops": {
        ops: generated.chain(ops) for ops in (256, 512, 1024, 2048, 4096)
    },
    "row sums, one after the other": {
        sums: generated.row_sums(sums) for sums in (100, 200, 400, 800)
    },
    "loops of a row sum, one after the other": {
        loops: generated.row_sums(loops, depth=1) for loops in (16, 32, 64)
    },
    "a row sum, loops around it": {
        depth: generated.row_sums(1, depth) for depth in (2, 4, 8)
    },
}  # fmt: skip
"""What grows -> its size -> the text of a kernel of that size."""


def measure(
    sources: Mapping[str, Path | str],
    targets: Sequence[str],
    repeat: int,
    other: Path | None = None,
) -> Iterable[Time]:
    """The times of kernels that both checkouts compile, one kernel after the other."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        checkouts = [Checkout(each) for each in (ROOT, other) if each is not None]
        for checkout in checkouts:
            stack.callback(checkout.close)
        for number, (name, source) in enumerate(sources.items()):
            path = folder / f"{number}.tileirbc"
            path.write_bytes(figures.bytecode_of(source).build())
            for target in targets:
                least = _least(checkouts, path, target, repeat)
                if None not in least:
                    yield Time(name, target, least[0], least[1] if other else None)


def _least(
    checkouts: Sequence[Checkout], path: Path, target: str, repeat: int
) -> list[float | None]:
    """The least of at least `repeat` rounds; short ones are repeated until they add up."""
    rounds = []
    while len(rounds) <= repeat or (len(rounds) < 10 * repeat and _sum(rounds) < ENOUGH):
        rounds.append([checkout.seconds(path, target) for checkout in checkouts])
        if None in rounds[-1]:
            return rounds[-1]
    return [min(column) for column in zip(*rounds[1:], strict=True)]  # the first loads modules


def _sum(rounds: Sequence[Sequence[float]]) -> float:
    return sum(each[0] for each in rounds)


def fit(what: str, sizes: Sequence[int], seconds: Sequence[float]) -> Fit:
    """The line through times, and the exponent at their end."""
    x, y = np.array(sizes, float), np.array(seconds)
    each, fixed = np.polyfit(x, y, 1)
    left = ((y - fixed - each * x) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    exponent = np.log(y[-1] / y[-2]) / np.log(x[-1] / x[-2])
    return Fit(
        what, tuple(sizes), tuple(seconds), float(fixed), float(each), float(1 - left),
        float(exponent),
    )  # fmt: skip


def fits(target: str, repeat: int) -> Iterable[Fit]:
    """The fits of everything that grows."""
    for what, texts in GROWING.items():
        sources = {str(size): text for size, text in texts.items()}
        times = list(measure(sources, [target], repeat))
        yield fit(what, [int(time.kernel) for time in times], [time.here for time in times])


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    add = parser.add_argument
    add(
        "--set",
        action="append",
        choices=list(figures.SETS),
        help="the kernels of a set, may be given several times (default: workloads)",
    )
    add("--only", action="append", type=figure_tables.kernel, metavar="KERNEL", help="this kernel")
    add(
        "--target",
        action="append",
        choices=GPUS,
        metavar="GPU",
        help="a GPU, may be given several times (default: sm_80 and sm_90)",
    )
    add("--other", type=checkout, metavar="FOLDER", help="a checkout to compare with")
    add("--fits", action="store_true", help="how time grows with tiles and ops, instead")
    add(
        "--repeat",
        type=positive,
        default=3,
        metavar="N",
        help="the least of so many counts (default: %(default)s)",
    )
    add("--json", action="store_true", help="figures as JSON")


def checkout(text: str) -> Path:
    """A folder with a tileir, as an argument."""
    folder = Path(text)
    if not (folder / "tileir" / "__init__.py").is_file():
        raise argparse.ArgumentTypeError(f"{text}: no checkout of tileir")
    return folder


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code: 1 if a kernel takes longer than it may."""
    targets = arguments.target or ("sm_80", "sm_90")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    if arguments.fits:
        found = [each for target in targets[:1] for each in fits(target, arguments.repeat)]
        if arguments.json:
            print(json.dumps([each._asdict() for each in found]))
        else:
            console.print(_fits(found))
        return 0
    kernels = figure_tables.chosen(arguments.set or ["workloads"], arguments.only)
    times = []
    for time in measure(kernels, targets, arguments.repeat, arguments.other):
        times.append(time)
        print(f"\r{len(times)} of {len(kernels) * len(targets)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    slow = [time for time in times if time.ratio is not None and time.ratio > MOST]
    if arguments.json:
        print(json.dumps([time._asdict() | {"ratio": time.ratio} for time in times]))
    else:
        console.print(_times(times))
        for time in slow:
            console.print(f"SLOWER {time.kernel} {time.target}: {time.ratio:.2f}", soft_wrap=True)
    return 1 if slow else 0


def _times(times: Sequence[Time]) -> Table:
    made = Table(title="bytecode to PTX, CPU milliseconds", title_justify="left")
    for column in ("kernel", "target", "here", "other", "ratio"):
        made.add_column(column, justify="left" if column == "kernel" else "right")
    for time in times:
        other = "" if time.other is None else f"{time.other * 1e3:.1f}"
        ratio = "" if time.ratio is None else f"{time.ratio:.3f}"
        made.add_row(time.kernel, time.target, f"{time.here * 1e3:.1f}", other, ratio)
    mean = against.mean(time.ratio for time in times)
    if mean is not None:
        made.add_row("geometric mean", "", "", "", f"{mean:.3f}")
    return made


def _fits(found: Iterable[Fit]) -> Table:
    made = Table(title="how the time from bytecode to PTX grows", title_justify="left")
    for column in ("what", "ms at each size", "fixed ms", "us each", "R2", "last exponent"):
        made.add_column(column, justify="left" if column == "what" else "right")
    for each in found:
        times = ", ".join(f"{seconds * 1e3:.0f}" for seconds in each.seconds)
        sizes = ", ".join(map(str, each.sizes))
        made.add_row(
            f"{each.what} ({sizes})", times, f"{each.fixed * 1e3:.1f}", f"{each.each * 1e6:.2f}",
            f"{each.explained:.3f}", f"{each.exponent:.2f}",
        )  # fmt: skip
    return made
