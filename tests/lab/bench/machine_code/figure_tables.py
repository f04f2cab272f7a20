"""``static --set NAME``: figures of many kernels as a table or JSON, beside tileiras or earlier."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.arguments import positive, readable
from tileir.messages.wording import did_you_mean

from . import against, figures

WIDTH = 120
DEFAULT = ("sm_80", "sm_90", "sm_100", "sm_120")
COLUMNS = {
    "SASS": "instructions", "loop": "loop", "regs": "registers", "threads": "threads",
    "blocks": "blocks", "local": "local", "shared": "shared", "BAR": "barriers",
    "flying": "in_flight", "groups": "groups",
}  # fmt: skip
"""Title of a column -> property of `figures.Code`."""
SPLIT = 5
"""So many of them stand in the first table."""
NOTE = (
    "loop: instructions of innermost loops. blocks: how many fit a multiprocessor. flying: loads"
    " that a thread waits for at once; groups: of asynchronous copies, under way at a wait."
    " Instructions are those of a thread; x loop: of loops, for the same work of a block."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    add = parser.add_argument
    add(
        "--set",
        action="append",
        choices=list(figures.SETS),
        help="figures of all kernels of a set instead; may be given several times",
    )
    add("--alone", action="store_true", help="of a set: without tileiras")
    add(
        "--against",
        type=readable,
        metavar="FILE",
        help="of a set: compare with JSON written earlier, and tell what is worse",
    )
    add(
        "--jobs",
        type=positive,
        default=2,
        metavar="N",
        help="of a set: so many of NVIDIA's tools at a time (default: %(default)s)",
    )


def kernel(name: str) -> str:
    """The name of a kernel of any set, as an argument."""
    known = {name for each in figures.SETS.values() for name in each}
    if name not in known:
        raise argparse.ArgumentTypeError(f"no kernel {name!r}{did_you_mean(name, known)}")
    return name


def chosen(sets: Iterable[str], only: Sequence[str] | None) -> dict[str, Path]:
    """The kernels of some sets, or those of them that are named.

    A name that two of the sets have stands for the kernel of the first; the other is named with
    its set.
    """
    found: dict[str, Path] = {}
    for each in sets:
        for name, path in figures.SETS[each].items():
            if not only or name in only:
                found[f"{name} ({each})" if name in found else name] = path
    return found


def run(arguments: argparse.Namespace) -> int:
    """Measure the kernels of sets and print; returns the exit code."""
    kernels = chosen(arguments.set, arguments.only)
    targets = arguments.target or DEFAULT
    rows = measured(kernels, targets, beside=not arguments.alone, jobs=arguments.jobs)
    return report(rows, arguments.against, arguments.json, tables)


def measured(
    kernels: Mapping[str, Path | str], targets: Sequence[str], *, beside: bool, jobs: int
) -> list[figures.Row]:
    """The rows of `figures.measure`, while stderr tells how many there are."""
    rows = []
    for row in figures.measure(kernels, targets, beside=beside, jobs=jobs):
        rows.append(row)
        print(f"\r{len(rows)} of {len(kernels) * len(targets)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return rows


def report(
    rows: Sequence[figures.Row],
    earlier: Path | None,
    as_json: bool,
    shown: Callable[[Sequence[figures.Row]], list[Table]],
) -> int:
    """Print rows, and what is worse than earlier ones; returns the exit code: 1 if anything is."""
    if as_json:
        print(json.dumps([row.plain() for row in rows]))
    console = Console(
        highlight=False, width=None if sys.stdout.isatty() else WIDTH, stderr=as_json
    )  # fmt: skip
    if earlier is None:
        if not as_json:
            console.print(*shown(rows), NOTE)
        return 0
    before = against.read(earlier)
    changes = list(against.changes(rows, before))
    lost = list(against.lost(rows, before))
    new = [
        f"{row.kernel} {row.target}"
        for row in rows
        if isinstance(row.ours, figures.Code) and (row.kernel, row.target) not in before
    ]
    if not as_json:
        console.print(*compared(changes))
    for line in (*summary(changes), *lost):
        console.print(line, soft_wrap=True)
    if new:
        console.print(f"not compared, as earlier figures lack it: {', '.join(new)}", soft_wrap=True)
    return 1 if lost or any(change.worse() for change in changes) else 0


def tables(rows: Iterable[figures.Row]) -> list[Table]:
    """Ours and tileiras' figures; of what cannot be compiled there are none."""
    lines, ratios = [], []
    for row in rows:
        sides = [_cells(side) for side in (row.ours, row.theirs)]
        cells = [f"{a} / {b}" for a, b in zip(*sides, strict=True)]
        last: tuple[float | None, ...] = (None, None)
        if isinstance(row.ours, figures.Code) and isinstance(row.theirs, figures.Code):
            instructions = row.ours.instructions / row.theirs.instructions
            last = (instructions, against.ratio_of_loops(row.ours, row.theirs))
            ratios.append(last)
        lines.append((row.kernel, row.target, cells, last))
    return _tables("ours / tileiras'", lines, ratios)


def compared(changes: Iterable[against.Change]) -> list[Table]:
    """Figures now and before."""
    lines, ratios = [], []
    for change in changes:
        sides = [_cells(side) for side in (change.now, change.before)]
        cells = [a if a == b else f"{a} / {b}" for a, b in zip(*sides, strict=True)]
        ratios.append((change.instructions, change.loop))
        lines.append((change.kernel, change.target, cells, ratios[-1]))
    return _tables("now / before", lines, ratios)


def summary(changes: Sequence[against.Change]) -> Iterable[str]:
    """The geometric means, and a line for each kernel that is worse."""
    for target in (*dict.fromkeys(change.target for change in changes), ""):
        some = [change for change in changes if target in ("", change.target)]
        whole = _ratio(against.mean(change.instructions for change in some))
        loop = _ratio(against.mean(change.loop for change in some))
        where = target or "all"
        yield f"{where}: {len(some)} compared; instructions {whole}, loops {loop} of before"
    for change in changes:
        if told := change.worse():
            yield f"WORSE {change.kernel} {change.target}: {'; '.join(told)}"


def _cells(side: figures.Code | str) -> list[str]:
    if isinstance(side, str):
        return ["-"] * len(COLUMNS)
    return [str(getattr(side, name)) for name in COLUMNS.values()]


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3f}"


def _tables(sides: str, lines: Sequence[tuple], ratios: Sequence[tuple]) -> list[Table]:
    """One table of instructions, with their ratios, and one of memory."""
    columns = list(COLUMNS)
    means = [against.mean(column) for column in zip(*ratios, strict=True)]
    first = _table(f"instructions: {sides}", (*columns[:SPLIT], "x SASS", "x loop"))
    second = _table(f"memory and what waits: {sides}", columns[SPLIT:])
    for kernel, target, cells, last in lines:
        first.add_row(kernel, target, *cells[:SPLIT], *map(_ratio, last))
        second.add_row(kernel, target, *cells[SPLIT:])
    if means:
        first.add_row("geometric mean", "", *[""] * SPLIT, *map(_ratio, means))
    return [first, second]


def _table(title: str, columns: Iterable[str]) -> Table:
    made = Table(title=title, title_justify="left")
    for index, column in enumerate(("kernel", "target", *columns)):
        made.add_column(column, justify="left" if index == 0 else "right", no_wrap=True)
    return made
