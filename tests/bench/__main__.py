"""Run the benchmarks: ``python -m tests.bench [codec|open|memory|host|all|static|gpu ...]``.

One command, one run, one table. No test asserts a time; these are for people who compare.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.arguments import positive
from tileir import Bytecode
from tileir.formats.version import SUPPORTED

from . import host, memory, opening, rates
from .modules import large_module

PARTS = ("codec", "open", "memory", "host")


def main(given: list[str] | None = None) -> int:
    """Measure what is asked for and print it; returns the exit code."""
    given = sys.argv[1:] if given is None else given
    if given[:1] == ["gpu"]:
        from . import gpu

        return gpu.main(given[1:])
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    choices = (*PARTS, "all", "static")
    parser.add_argument("part", nargs="?", choices=choices, default="all", help=_STATIC)
    parser.add_argument("--ops", type=positive, default=200_000, help="ops of the large module")
    parser.add_argument(
        "--version", default="13.4", choices=list(map(str, SUPPORTED)), metavar="13.x"
    )
    parser.add_argument("--wide", action="store_true", help="value numbers of two bytes")
    parser.add_argument(
        "--repeat", type=positive, default=5, help="the best of so many runs counts"
    )
    parser.add_argument(
        "--constant", type=positive, default=1 << 30, help="bytes of the huge constant"
    )
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    arguments = parser.parse_args(given)
    if arguments.part == "static":
        return _static(arguments)
    parts = PARTS if arguments.part == "all" else (arguments.part,)
    report = _report(arguments, parts)
    if arguments.json:
        print(json.dumps(report | {"codec": [_plain(rate) for rate in report["codec"]]}))
    else:
        _print(report)
    return 0


_STATIC_COLUMNS = (
    "128: accesses of 16 bytes, of all. In flight: loads that a thread waits for at once. Executed:"
    " our PTX instructions per element, by the emulator. ms: bytecode to PTX, bytecode to cubin."
)
_STATIC = (
    "static: machine code for GPUs beside that of tileiras, which has to be installed; "
    "gpu prepare FOLDER, gpu run FOLDER: kernels on a GPU"
)


def _static(arguments: argparse.Namespace) -> int:
    """The table of machine code; it needs NVIDIA's tools, and is no part of `all`."""
    from . import main_loops, static

    if absent := static.missing():
        print(f"not installed: {', '.join(absent)} (pip install tileir[test])", file=sys.stderr)
        return 1
    found, loops = list(static.measure(arguments.repeat)), list(main_loops.measure())
    if arguments.json:
        plain = [*(static.plain(pair) for pair in found), *(pair.plain() for pair in loops)]
        print(json.dumps(plain))
        return 0
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 180)
    table = _table("machine code: ours / tileiras'", "kernel", "target", *static.COLUMNS)
    for pair in found:
        table.add_row(pair.kernel, pair.target, *static.row(pair))
    console.print(table)
    console.print(_STATIC_COLUMNS)
    title = "loops that multiply: ours / tileiras'"
    table = _table(title, "kernel", "target", *main_loops.COLUMNS)
    for pair in loops:
        table.add_row(pair.kernel, pair.target, *pair.row())
    console.print(table)
    return 0


def _report(arguments: argparse.Namespace, parts: Iterable[str]) -> dict:
    report = {"machine": _machine(), "codec": [], "open": [], "memory": None, "host": None}
    with tempfile.TemporaryDirectory() as folder:
        if "codec" in parts or "open" in parts:
            data = large_module(arguments.ops, arguments.version, arguments.wide)
            bytecode = Bytecode.parse(data)
            functions = len(bytecode.functions)
            report["module"] = {
                "version": str(bytecode.version),
                "bytes": len(data),
                "functions": functions,
                "ops": rates.bodies(bytecode).ops,
                "body bytes": rates.bodies(bytecode).size,
                "wide": arguments.wide,
            }
        if "codec" in parts:
            report["codec"] = list(rates.measure(data, arguments.repeat))
        if "open" in parts:
            path = Path(folder) / "large.tileirbc"
            path.write_bytes(data)
            report["open"] = [t._asdict() for t in opening.measure(data, path, arguments.repeat)]
        if "memory" in parts:
            growth = memory.measure(Path(folder), arguments.constant, arguments.repeat)
            report["memory"] = growth._asdict()
        if "host" in parts:
            races = [
                asdict(race) | {"ratio": race.ratio} for race in host.measure(arguments.repeat)
            ]
            report["host"] = {
                "races": races, "compiling": dict(host.compile_times(arguments.repeat))
            }  # fmt: skip
    return report


def _machine() -> dict:
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "CPUs": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }


def _plain(rate: rates.Rate) -> dict:
    return asdict(rate) | {"rate": rate.rate, "collected_rate": rate.collected_rate}


# Tables -------------------------------------------------------------------------------------


def _print(report: dict) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    facts = [f"{name} {value}" for name, value in report["machine"].items()]
    console.print(f"{', '.join(facts)}; CPU seconds, the best run")
    if "module" in report:
        console.print(", ".join(f"{name} {value}" for name, value in report["module"].items()))
    if report["codec"]:
        console.print(_codec(report["codec"]))
    if report["open"]:
        console.print(_open(report["open"]))
        console.print("A new process has not touched the file; the file is in the page cache.")
    if report["memory"]:
        console.print(_memory(report["memory"]))
    if report["host"]:
        console.print(_races(report["host"]["races"]))
        console.print(_compiling(report["host"]["compiling"]))


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right")
    return table


def _codec(found: list[rates.Rate]) -> Table:
    table = _table(
        "bodies", "way", "ops measured", "ops/s", "MB/s", "x Construct", "x by hand", "ops/s, gc on"
    )
    by_way = {rate.way: rate.rate for rate in found}
    for rate in found:
        if rate.rate is None:
            table.add_row(rate.way, "", rate.note, "", "", "", "")
            continue
        table.add_row(
            rate.way,
            f"{rate.ops:,}",
            f"{rate.rate:,.0f}",
            f"{rate.throughput:.2f}",
            f"{rate.rate / by_way[rates.CONSTRUCT]:.1f}",
            f"{rate.rate / by_way[rates.BY_HAND]:.2f}" if by_way.get(rates.BY_HAND) else "",
            f"{rate.collected_rate:,.0f}",
        )
    return table


def _open(found: list[dict]) -> Table:
    table = _table("opening", "what", "ms", "ms, gc on")
    for took in found:
        collected = took["collected"]
        shown = "" if collected is None else f"{collected * 1e3:.2f}"
        table.add_row(took["what"], f"{took['seconds'] * 1e3:.2f}", shown)
    return table


def _memory(found: dict) -> Table:
    table = _table("a huge constant, mapped", "what", "figure")
    table.add_row("constant", f"{found['constant'] / (1 << 20):,.0f} MiB")
    table.add_row("open: CPU time", f"{found['seconds'] * 1e3:.2f} ms")
    table.add_row("open and touch: CPU time", f"{found['touched'] * 1e3:.2f} ms")
    table.add_row("resident before", f"{found['before'] / 1024:,.0f} KiB")
    table.add_row("growth, open", f"{found['open'] / 1024:,.0f} KiB")
    table.add_row("growth, open and touch", f"{found['touch'] / 1024:,.0f} KiB")
    return table


def _races(found: list[dict]) -> Table:
    table = _table("kernels on this CPU, medians", "kernel", "ms", "against", "ms", "x as fast")
    for race in found:
        if race["note"]:
            table.add_row(race["what"], "", race["against"], race["note"], "")
            continue
        ours, theirs = (f"{race[side] * 1e3:.2f}" for side in ("ours", "theirs"))
        table.add_row(race["what"], ours, race["against"], theirs, f"{race['ratio']:.2f}")
    return table


def _compiling(found: dict[str, float]) -> Table:
    table = _table("compiling for this CPU", "kernel", "ms")
    for name, seconds in found.items():
        table.add_row(name, f"{seconds * 1e3:.0f}")
    return table


if __name__ == "__main__":
    raise SystemExit(main())
