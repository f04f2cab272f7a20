"""``python -m tests.lab.bench shapes``: which tile shapes of matrix products spill registers.

Every product of tiles whose extents are powers of two is compiled and assembled. A product whose
sums alone take more registers than threads may have has to spill; any other one should not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from rich.table import Table

from tests.arguments import positive, readable
from tests.conftest import nvidia_tool
from tests.lab.bench import generated
from tileir.gpus import TARGETS, TILEIRAS

from . import figure_tables, figures

EXTENTS = (16, 32, 64, 128, 256)
DEFAULT = ("sm_80", "sm_90", "sm_120")
ALONG_K = {"f16": 64, "bf16": 64, "f32": 32, "tf32": 32}
"""Elements along k of a tile, unless others are asked for."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    add = parser.add_argument
    add("--target", choices=TILEIRAS, metavar="GPU", **_several(DEFAULT))
    add("--type", choices=list(generated.TYPES), **_several(tuple(generated.TYPES)))
    for name in ("m", "n"):
        add(f"--{name}", type=positive, metavar="N", **_several(EXTENTS))
    add(
        "--k", type=positive, metavar="N", help="elements along k (default: 64 of 2 bytes, 32 of 4)"
    )
    add("--against", type=readable, metavar="FILE", help="compare with JSON written earlier")
    add("--all", action="store_true", help="show all shapes, not only those that spill")
    add("--json", action="store_true", help="figures as JSON")
    add(
        "--jobs",
        type=positive,
        default=2,
        metavar="N",
        help="so many ptxas at a time (default: %(default)s)",
    )


def _several(default: Sequence[object]) -> dict:
    shown = ", ".join(map(str, default))
    return {"action": "append", "help": f"may be given several times (default: {shown})"}


def run(arguments: argparse.Namespace) -> int:
    """Compile all shapes and print those that spill; returns the exit code."""
    absent = [name for name in ("ptxas", "nvdisasm") if nvidia_tool(name) is None]
    if absent:
        print(f"not installed: {', '.join(absent)} (pip install -e .[test])", file=sys.stderr)
        return 1
    texts = dict(kernels(arguments))
    targets = arguments.target or DEFAULT
    rows = figure_tables.measured(texts, targets, beside=False, jobs=arguments.jobs)
    return figure_tables.report(
        rows, arguments.against, arguments.json, lambda found: [table(found, arguments.all)]
    )  # fmt: skip


def kernels(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Name and text of every shape that is asked for."""
    kinds = arguments.type or generated.TYPES
    for kind, m, n in product(kinds, arguments.m or EXTENTS, arguments.n or EXTENTS):
        k = arguments.k or ALONG_K[kind]
        yield f"{kind} {m}x{n}x{k}", generated.product(kind, m, n, k)


def sums(name: str, threads: int) -> float:
    """Registers of a thread for the sums of a shape."""
    m, n, _ = map(int, name.split()[1].split("x"))
    return m * n / threads


def most_registers(target: str, threads: int) -> int:
    """Registers that a thread of a block of so many may have, at most 255."""
    return min(255, TARGETS[target].registers_per_sm // threads // 8 * 8)


def table(rows: Iterable[figures.Row], everything: bool = False) -> Table:
    """The shapes that spill, or all of them."""
    rows = list(rows)
    spilling = [row for row in rows if isinstance(row.ours, figures.Code) and row.ours.local]
    failing = [row for row in rows if isinstance(row.ours, str)]
    title = f"{len(spilling)} of {len(rows)} shapes spill, {len(failing)} are not compiled"
    made = Table(title=title, title_justify="left")
    for column in ("shape", "target", "local", "regs", "most", "sums", "threads", "shared", "loop"):
        made.add_column(column, justify="left" if column == "shape" else "right", no_wrap=True)
    for row in rows if everything else (*spilling, *failing):
        if isinstance(row.ours, str):
            made.add_row(row.kernel, row.target, row.ours)
            continue
        code = row.ours
        made.add_row(
            row.kernel, row.target, str(code.local), str(code.registers),
            str(most_registers(row.target, code.threads)),
            f"{sums(row.kernel, code.threads):.0f}", str(code.threads), str(code.shared),
            str(code.loop),
        )  # fmt: skip
    return made
