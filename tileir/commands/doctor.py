"""`tileir doctor`: what this machine has and can do, and what to install for the rest."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tileir.gpus import gpu_name

from .conventions import NO, OK, wants_colour

if TYPE_CHECKING:
    from rich.console import Console

EXAMPLES = """\
--json is one object: "schema", "tileir", "bytecode", "python", "system", "packages", "driver" (with
"gpus"), "tools", "cache", "abilities" ("what", "able", "detail", "install", "broken"), "install"
(lines for a shell) and "broken" (what is wrong with tileir itself).

Exit code 1: something of tileir itself does not work, or a package that it always needs. What else
is missing is no error.

examples:
  tileir doctor                             for people
  tileir doctor --json | jq .abilities      for programs
"""

_WIDTH = 10_000
"""Columns where there is no terminal, so many that no path is cut."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Say what this machine has, and what it can do with Tile IR."
    parser.epilog = EXAMPLES
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from tileir.doctor.report import examine

    report = examine()
    if arguments.json:
        print(json.dumps(report))
    else:
        _print(report)
    return NO if report["broken"] else OK


def _print(report: Mapping[str, Any]) -> None:
    """Print a report as tables: as wide as the terminal, or `_WIDTH` characters elsewhere."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    shown = io.StringIO()
    console = Console(
        highlight=False,
        markup=False,
        soft_wrap=True,
        no_color=not wants_colour(sys.stdout),
        width=None if terminal else _WIDTH,
        file=sys.stdout if terminal else shown,
    )
    console.print(f"tileir {report['tileir']}, Python {report['python']}, {report['system']}")
    _table(console, "this machine can", map(_ability, report["abilities"]))
    _table(console, "Python packages", map(_package, report["packages"]))
    _table(console, "NVIDIA", [*_driver(report["driver"]), *map(_tool, report["tools"])])
    console.print()
    cache = report["cache"]
    if cache["folder"] is None:
        console.print("compiled kernels are not kept")
    else:
        used, limit = (f"{cache[key] / (1 << 20):,.1f}" for key in ("bytes", "limit"))
        kept = f"{cache['entries']:,} compiled modules, {used} of {limit} MiB"
        console.print(f"{kept}: {cache['folder']}")
    for line in report["install"]:
        console.print(f"to install: {line}")
    for line in report["broken"]:
        console.print(f"broken: {line}", style="red")
    for line in shown.getvalue().splitlines():
        print(line.rstrip())


def _table(console: Console, title: str, rows: Iterable[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row("", *row, style=_STYLES.get(row[1]))
    console.print(f"\n{title}")
    console.print(table)


_STYLES = {"yes": "green", "-": "bright_black"}


def _ability(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return (row["what"], "yes" if row["able"] else "no", row["detail"])


def _package(package: Mapping[str, Any]) -> tuple[str, str, str, str]:
    wrong = package["version"] is not None and not package["ok"]
    supported = f"{package['supported']} is needed" if wrong else package["supported"]
    return (package["name"], package["version"] or "-", supported, package["purpose"])


def _driver(driver: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    if driver["problem"] and driver["cuda"] is None:
        return [("driver", "-", driver["problem"])]
    release = driver["release"] or "?"
    rows = [("driver", release, driver["problem"] or f"of CUDA {driver['cuda']}")]
    for gpu in driver["gpus"]:
        memory = f"{gpu['memory'] / (1 << 30):,.0f} GiB"
        rows.append(("GPU", gpu_name(tuple(gpu["capability"])), f"{gpu['name']}, {memory}"))
    return rows


def _tool(tool: Mapping[str, Any]) -> tuple[str, str, str]:
    if tool["path"] is None:
        return (tool["name"], "-", f"{tool['purpose']}; pip install {tool['package']}")
    return (tool["name"], tool["release"] or "?", tool["path"])
