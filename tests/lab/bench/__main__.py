"""Run the benchmarks: ``python -m tests.lab.bench [WHAT] [options]``.

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

from . import compiling, launching, memory, opening, rates
from .host import command as host
from .machine_code import shapes, static_tables
from .modules import large_module
from .paper import page

OPTIONS = {
    "ops": {"type": positive, "default": 200_000, "metavar": "N",
            "help": "ops of the large module (default: %(default)s)"},
    "version": {"default": "13.4", "choices": list(map(str, SUPPORTED)), "metavar": "13.x",
                "help": "bytecode version of the large module (default: %(default)s)"},
    "wide": {"action": "store_true", "help": "value numbers of two bytes"},
    "constant": {"type": positive, "default": 1 << 30, "metavar": "BYTES",
                 "help": "size of the huge constant (default: %(default)s)"},
    "repeat": {"type": positive, "default": 5, "metavar": "N",
               "help": "the best of so many runs counts (default: %(default)s)"},
    "json": {"action": "store_true", "help": "figures as JSON"},
}  # fmt: skip
_MODULE, _ANY = ("ops", "version", "wide"), ("repeat", "json")
PARTS = {
    "codec": ("reading and writing the bodies of a large module", (*_MODULE, *_ANY)),
    "open": ("opening a large module", (*_MODULE, *_ANY)),
    "memory": ("opening a file with a huge constant", ("constant", *_ANY)),
}
"""What is measured -> what that is, and its options."""
COMMANDS = {
    "host": ("kernels of cuTile on this CPU, beside torch and NumPy", host),
    "launch": ("what a launch costs besides the kernel's own work, on this CPU", launching),
    "static": (
        "machine code for GPUs beside that of tileiras, which has to be installed; no GPU needed",
        static_tables,
    ),
    "shapes": ("which tile shapes of matrix products spill registers, by ptxas", shapes),
    "paper": (
        "how fast loops of products may be on Hopper, by a model, and what limits them",
        page,
    ),
    "compile": ("how long bytecode takes to become PTX, here and in another checkout", compiling),
}
"""Commands with options and tables of their own."""


def main(given: list[str] | None = None) -> int:
    """Measure what is asked for and print it; returns the exit code."""
    given = sys.argv[1:] if given is None else given
    if given[:1] == ["gpu"]:
        from .gpu import prepare

        return prepare.main(given[1:])
    if not given or (given[0].startswith("-") and given[0] not in ("-h", "--help")):
        given = ["all", *given]
    arguments = _parser().parse_args(given)
    if arguments.part in COMMANDS:
        return COMMANDS[arguments.part][1].run(arguments)
    parts = PARTS if arguments.part == "all" else (arguments.part,)
    report = _report(arguments, parts)
    if arguments.json:
        print(json.dumps(report | {"codec": [_plain(rate) for rate in report["codec"]]}))
    else:
        _print(report)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.bench", description=__doc__.replace("``", ""),
        epilog="Each has its own --help. Without a name it is all of the first three.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    verbs = parser.add_subparsers(dest="part", metavar="WHAT", required=True)
    for name, (text, options) in {**PARTS, "all": ("these three (default)", OPTIONS)}.items():
        verb = verbs.add_parser(name, help=text, description=f"Measure: {text}.")
        for option in options:
            verb.add_argument(f"--{option}", **OPTIONS[option])
    for name, (text, command) in COMMANDS.items():
        command.configure(verbs.add_parser(name, help=text, description=f"Show {text}."))
    verbs.add_parser("gpu", help="kernels on a GPU: gpu prepare|run|keep FOLDER")
    return parser


def _report(arguments: argparse.Namespace, parts: Iterable[str]) -> dict:
    report = {"machine": _machine(), "codec": [], "open": [], "memory": None}
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


if __name__ == "__main__":
    raise SystemExit(main())
