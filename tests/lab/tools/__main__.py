"""`python -m tests.lab.tools FOLDER`: commands on files, a large module, stdin, broken input."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.arguments import directory, positive
from tileir.tools import nvidia

from .asked import COMMANDS
from .judging import DEFECT, NO
from .ledger import Ledger
from .subjects import prepare, subjects
from .tables import Try, dumped, on_broken, on_files, on_large, on_stdin, shown

TABLES = ("files", "large", "stdin", "broken")
NAMES = (*(each.name for each in COMMANDS), "smith")

EXAMPLES = """\
examples:
  python -m tests.lab.tools FOLDER --ledger tried.jsonl          goes on where it was stopped
  python -m tests.lab.tools FOLDER --each 200 --jobs 2
  python -m tests.lab.tools --tables large,broken
  python -m tests.lab.tools FOLDER --commands diff,opt --refused
  python -m tests.lab.tools --tables files --program a.py --program b.py      dump

FOLDER has bytecode (.tileirbc, .bc, .cutile) and texts (.mlir), such as a checkout of
https://github.com/NVIDIA/cuda-tile, or what `tileir dump` wrote; a text with lines `// -----` is
several. Times are CPU seconds of whole processes; nothing is kept between them. The tables have all
that is in the ledger.

Exit code: 0 no defect, 1 defects, 2 wrong use.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    tables = given.tables.split(",")
    names = given.commands.split(",") if given.commands else []
    known = {"--tables": TABLES, "--commands": NAMES}
    for option, some in (("--tables", tables), ("--commands", names)):
        for name in some:
            if name not in known[option]:
                parser.error(f"{option}: there is no {name}; there are {', '.join(known[option])}")
    if nvidia.find("tileirdisasm") is None:
        print("tileirdisasm is not installed: what is written is not read", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(given.ledger or Path(folder, "ledger.jsonl"))
        tries = list(_tries(given, tables, names, directory(f"{folder}/work")))
        left = [each for each in tries if each[0] not in ledger.rows]
        said = time.monotonic()
        with ThreadPoolExecutor(given.jobs) as pool:
            for number, (key, row) in enumerate(pool.map(lambda t: (t[0], t[1]()), left)):
                ledger.add({"key": key, **row})
                if row["verdict"] == DEFECT:
                    print(f"{key}: {row.get('file', '')}: {row['why']}", flush=True)
                if time.monotonic() - said > 60:
                    said = time.monotonic()
                    print(f"{number + 1:,} of {len(left):,}", file=sys.stderr, flush=True)
    rows = ledger.rows
    if given.refused:
        for key, row in rows.items():
            if row["verdict"] == NO:
                print(f"{key}: {row.get('file', '')}: {row['code']}: {row['why']}")
    for line in shown(rows):
        print(line)
    return int(any(row["verdict"] == DEFECT for row in rows.values()))


def _tries(
    given: argparse.Namespace, tables: list[str], names: list[str], work: Path
) -> Iterator[Try]:
    found = []
    if given.folder is not None:
        found = subjects(given.folder, work)
        print(f"{len(found)} distinct modules in {given.folder}")
        found = [prepare(each) for each in found[: given.each]]
    if "files" in tables:
        yield from on_files(found, given.each, names)
        yield from dumped(given.program)
    if "large" in tables:
        yield from on_large(work, names)
    if "stdin" in tables:
        yield from on_stdin(found, max(1, given.each // 10), names)
    if "broken" in tables:
        yield from on_broken(work, names)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.tools",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("folder", nargs="?", type=Path, help="files that commands are tried on")
    add("--each", type=positive, default=100, help="files for each command (100), a tenth on stdin")
    add("--jobs", type=positive, default=1, help="commands at a time (1)")
    add("--ledger", type=Path, help="a file for what was tried; it is not tried again")
    add("--tables", default=",".join(TABLES), help="some of %(default)s")
    add("--commands", help=f"some of {', '.join(NAMES)}")
    add("--program", type=Path, action="append", default=[], help="a program for dump")
    add("--refused", action="store_true", help="print what was refused, and why")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
