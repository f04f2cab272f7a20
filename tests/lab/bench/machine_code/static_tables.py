"""``python -m tests.lab.bench static``: our machine code beside tileiras' as tables or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from tests.arguments import positive
from tileir.gpus import TILEIRAS

from . import figure_tables, main_loops, static

WIDTH = 120
"""Columns of a table that nobody sees on a terminal."""
DEFAULT = ("sm_80", "sm_90")
NOTE = (
    "128: accesses of 16 bytes, of all. In flight: loads that a thread waits for at once. Executed:"
    " our PTX instructions per element, by the emulator. ms: bytecode to PTX, bytecode to cubin."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    add = parser.add_argument
    add(
        "--target",
        action="append",
        choices=TILEIRAS,
        metavar="GPU",
        help=f"a GPU, may be given several times (default: {' and '.join(DEFAULT)})",
    )
    add(
        "--only",
        action="append",
        type=figure_tables.kernel,
        metavar="KERNEL",
        help="this kernel, may be given several times (default: all): "
        + ", ".join((*static.KERNELS, *main_loops.KERNELS)),
    )
    add(
        "--repeat",
        type=positive,
        default=5,
        metavar="N",
        help="the best time of so many compilations (default: %(default)s)",
    )
    add("--json", action="store_true", help="figures as JSON")
    figure_tables.configure(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code. It needs NVIDIA's tools."""
    if absent := static.missing():
        print(f"not installed: {', '.join(absent)} (pip install -e .[test])", file=sys.stderr)
        return 1
    if arguments.set:
        return figure_tables.run(arguments)
    targets, only = arguments.target or DEFAULT, arguments.only or ()
    known = (*static.KERNELS, *main_loops.KERNELS)
    if strangers := [name for name in only if name not in known]:
        print(f"{strangers[0]} is measured with --set only", file=sys.stderr)
        return 1
    chosen = [
        [name for name in each.KERNELS if not only or name in only] for each in (static, main_loops)
    ]
    found = list(static.measure(chosen[0], targets, arguments.repeat))
    loops = list(main_loops.measure(chosen[1], targets))
    if arguments.json:
        pairs = [*map(static.plain, found), *(pair.plain() for pair in loops)]
        print(json.dumps(pairs))
        return 0
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    for table in tables(found, loops):
        console.print(table)
    console.print(NOTE)
    return 0


def tables(found: Sequence[static.Pair], loops: Sequence[main_loops.Pair]) -> Iterable[Table]:
    """What is measured, none of it wider than `WIDTH`."""
    if found:
        rows = [(pair, static.row(pair)) for pair in found]
        for title, columns in static.TABLES.items():
            places = [static.COLUMNS.index(column) for column in columns]
            yield _table(title, columns, [
                (pair, [row[place] for place in places]) for pair, row in rows
            ])  # fmt: skip
    if loops:
        rows = [(pair, pair.row()) for pair in loops]
        yield _table("loops that multiply", main_loops.COLUMNS, rows)


def _table(title: str, columns: Iterable[str], rows: Iterable[tuple]) -> Table:
    table = Table(title=f"{title}: ours / tileiras'", title_justify="left")
    for index, column in enumerate(("kernel", "target", *columns)):
        table.add_column(column, justify="left" if index == 0 else "right", no_wrap=True)
    for pair, cells in rows:
        table.add_row(pair.kernel, pair.target, *cells)
    return table
