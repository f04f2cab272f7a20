"""``python -m tests.lab.bench paper``: the model's tables, as they stand in `docs/performance.md`.

With `--write` that page gets the tables anew; nothing else of it is touched. It needs ptxas,
nvdisasm and tileiras.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.arguments import positive
from tests.lab.bench.machine_code import figures, static

from .bounds import bound, clocks, in_flight, loop_of, wanted
from .kernels import MEMORY, TRIPS, texts
from .machines import H100, MACHINES

PAGE = Path(__file__).parents[4] / "docs" / "performance.md"
TARGET = "sm_90"
BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"
COLUMNS = ("kernel", "by", "loop", "products", "warps", "blocks", "local", "tensor", "issue",
           "shared", "MUFU", "L2", "TFLOP/s", "limit")  # fmt: skip
SHORT = {"tensor cores": "tensor", "instructions": "issue", "shared memory": "shared",
         "special functions": "MUFU", "L2": "L2"}  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    parser.add_argument(
        "--only", action="append", metavar="KERNEL", choices=[*TRIPS, *MEMORY],
        help="this kernel, may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=positive, default=2, metavar="N",
        help="so many of NVIDIA's tools at a time (default: %(default)s)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Print the tables, or write them; returns the exit code."""
    if absent := static.missing():
        print(f"not installed: {', '.join(absent)} (pip install -e .[test])", file=sys.stderr)
        return 1
    if arguments.write and arguments.only:
        print("--write writes the tables of all kernels", file=sys.stderr)
        return 2
    found = tables(measured(arguments.only, arguments.jobs))
    if arguments.write:
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
    else:
        print(found)
    return 0


def measured(only: Iterable[str] | None = None, jobs: int = 2) -> list[figures.Row]:
    """The machine code of the kernels, ours and tileiras'."""
    chosen = {name: text for name, text in texts().items() if only is None or name in only}
    return list(figures.measure(chosen, (TARGET,), jobs=jobs))


def replaced(page: str, found: str) -> str:
    """The page with other tables."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{found}\n{END}{tail}"


def tables(rows: Iterable[figures.Row]) -> str:
    """Both tables: of products, and of what waits for memory."""
    by_name = {row.kernel: row for row in rows}
    lines = [_line(COLUMNS), _rule(COLUMNS)]
    for name in TRIPS:
        if name in by_name:
            lines += product_lines(by_name[name])
    return "\n".join([*lines, "", *_memory_table(by_name)])


def product_lines(row: figures.Row) -> Iterator[str]:
    """The lines of a kernel, ours and tileiras'."""
    trip = TRIPS[row.kernel]
    for side, code in (("ours", row.ours), ("tileiras", row.theirs)):
        if isinstance(code, str):
            yield _line([row.kernel, side, code, *[""] * (len(COLUMNS) - 3)])
            continue
        loop = loop_of(code, trip, side == "ours")
        if loop is None:
            yield _line([row.kernel, side, "none multiplies", *[""] * (len(COLUMNS) - 3)])
            continue
        spent, found = clocks(loop, trip, H100), bound(loop, trip, H100)
        names = {name: n for name, n in loop.opcodes.items() if "MMA" in name}
        products = ", ".join(f"{n} {_plain(name)}" for name, n in sorted(names.items()))
        cells = [row.kernel, side, loop.opcodes.total(), products, loop.warps, loop.blocks,
                 loop.local, *(round(spent[each]) for each in SHORT), round(found.rate),
                 SHORT.get(found.limit, found.limit)]  # fmt: skip
        yield _line(map(str, cells))


def _plain(name: str) -> str:
    """An opcode without its types."""
    return ".".join(name.split(".")[:2])


def _memory_table(by_name: Mapping[str, figures.Row]) -> Iterator[str]:
    columns = ("kernel", "by", "instructions", "threads", "blocks", "KB in flight",
               *(f"of {each.name}'s" for each in MACHINES.values()))  # fmt: skip
    yield _line(columns)
    yield _rule(columns)
    for name in MEMORY:
        if name not in by_name:
            continue
        for side, code in (("ours", by_name[name].ours), ("tileiras", by_name[name].theirs)):
            if isinstance(code, str):
                yield _line([name, side, code, *[""] * (len(columns) - 3)])
                continue
            flying = in_flight(code)
            bulk = code.count("UTMALDG", "UBLKCP")
            shares = [f"{flying / wanted(each):.1f}" for each in MACHINES.values()]
            if bulk:
                shares, size = ["", ""], f"{bulk} bulk copies"
            else:
                size = f"{flying / 1024:.0f}"
            counts = (code.instructions, code.threads, code.blocks)
            yield _line([name, side, *map(str, counts), size, *shares])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(columns: Iterable[str]) -> str:
    return f"|{'---|' * len(list(columns))}"
