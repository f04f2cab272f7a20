"""`tileir doctor`: what this machine has and can do, and what to install for the rest."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from tileir.command_line.exit_codes import NO, OK
from tileir.command_line.standard_output import stdout_text, wants_colour
from tileir.gpus import gpu_name
from tileir.messages.missing_packages import pip_install

from .colour import GREEN, GREY, RED, paint

EXAMPLES = """\
--json is one object: "schema", "tileir", "bytecode", "python", "system", "packages", "driver" (with
"gpus"), "tools", "cutile" ("version", "asks_for", "packages", "problem", and "tileiras", the one
that cuTile uses first, each with "path", "from", "release" and whether it is "ours"), "cache",
"shared_store" (null, or "url", "key", "key_is_private", "reachable", "writable", "problem"),
"abilities" ("what", "able", "detail", "install", "broken"), "install" (lines for a shell) and
"broken" (what is wrong with tileir itself).

Exit code 1: something of tileir itself does not work, or a package that it always needs. What else
is missing is no error.

examples:
  tileir doctor                             for people
  tileir doctor --json | jq .abilities      for programs
"""


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
    """Print a report as tables, in colour on a terminal."""
    colour = wants_colour(sys.stdout)
    lines = [f"tileir {report['tileir']}, Python {report['python']}, {report['system']}"]
    lines += _table("this machine can", map(_ability, report["abilities"]), colour)
    lines += _table("Python packages", map(_package, report["packages"]), colour)
    tools = [*_driver(report["driver"]), *map(_tool, report["tools"])]
    lines += _table("NVIDIA", tools, colour)
    if report["cutile"]["version"] is not None:
        lines += _table("the tileiras of cuTile", _cutile(report["cutile"]), colour)
    lines.append("")
    cache = report["cache"]
    if cache["folder"] is None:
        lines.append("compiled kernels are not kept")
    else:
        used, limit = (f"{cache[key] / (1 << 20):,.1f}" for key in ("bytes", "limit"))
        kept = f"{cache['entries']:,} files of compiled modules, {used} of {limit} MiB"
        lines.append(f"{kept}: {cache['folder']}")
    lines += _shared_store(report["shared_store"], cache["folder"] is not None)
    lines += [f"to install: {line}" for line in report["install"]]
    broken = [f"broken: {line}" for line in report["broken"]]
    lines += [paint(RED, line) if colour else line for line in broken]
    with stdout_text() as out:
        out.writelines(f"{line}\n" for line in lines)


def _table(title: str, rows: Iterable[Sequence[str]], colour: bool) -> list[str]:
    """Return the lines of a table, below an empty one and its title."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    lines = ["", title]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        line = f"  {'  '.join(cells)}".rstrip()
        lines.append(paint(_COLOURS.get(row[1], ""), line) if colour else line)
    return lines


_COLOURS = {"yes": GREEN, "-": GREY}


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


def _cutile(cutile: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the rows of the compilers that cuTile finds: first the one that it uses."""
    rows = []
    for one in cutile["tileiras"]:
        ours = ", tileir in its place" if one["ours"] else ""
        where = f"{one['path']}, from {one['from']}{ours}"
        rows.append(("not used" if rows else "used", one["release"] or "?", where))
    rows = rows or [("used", "-", "there is none")]
    there = [f"{name} {version}" for name, version in cutile["packages"].items() if version]
    rows.append(("packages", "", ", ".join(there) or "none"))
    if cutile["asks_for"]:
        rows.append(("asked for", "", f"cuda-tile[tileiras] is {cutile['asks_for']}"))
    return rows + ([("note", "", cutile["problem"])] if cutile["problem"] else [])


def _shared_store(store: Mapping[str, Any] | None, used: bool) -> list[str]:
    """Return the lines about the store that machines share."""
    if store is None:
        return []
    reachable = "reachable" if store["reachable"] else "not reachable"
    writable = "writable" if store["writable"] else "not writable"
    state = f"{reachable}, {writable}" if store["reachable"] else reachable
    problem = f" ({store['problem']})" if store["problem"] else ""
    key = "entries need the HMAC of a key"
    if not store["key"]:
        key = "no key: who may write there may run code here (TILEIR_CACHE_KEY_FILE)"
    elif store["reachable"] and not store["key_is_private"]:
        key += ", whose file others may read"
    idle = "" if used else "; not used, as nothing is kept here"
    return [f"shared store {store['url']}: {state}{problem}{idle}", f"  {key}"]


def _tool(tool: Mapping[str, Any]) -> tuple[str, str, str]:
    if tool["path"] is None:
        return (tool["name"], "-", f"{tool['purpose']}; {pip_install(tool['package'])}")
    return (tool["name"], tool["release"] or "?", tool["path"])
