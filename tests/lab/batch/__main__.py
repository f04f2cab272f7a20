"""`python -m tests.lab.batch`: batches of many thousand modules, and what they take besides."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tests.arguments import positive
from tests.lab.extras import need_now

from .modules import make
from .tables import Line, growth, on_dask, scaling, store, warm

EXAMPLES = """\
examples:
  python -m tests.lab.batch scaling corpus/                     27,000 modules: verify, and compile
  python -m tests.lab.batch scaling --verb verify corpus/
  python -m tests.lab.batch growth corpus/                      is time linear in modules
  python -m tests.lab.batch dask --number 2000 corpus/          needs the extra dask
  python -m tests.lab.batch warm --number 2000 corpus/          two machines with one shared store

The folder has modules; each is taken as often as needed, with a constant of another number in it.
A line that ends in "!" says what should not be; the exit code is 1 then. It wants a quiet machine.
"""

_NUMBERS = {"scaling": 27_000, "growth": 27_000, "dask": 4_000, "warm": 4_000}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.batch",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tables = parser.add_subparsers(dest="table", required=True)
    for name, number in _NUMBERS.items():
        table = tables.add_parser(name)
        table.add_argument("folder", type=Path, help="modules, as bytecode")
        table.add_argument("--number", type=positive, default=number, metavar="N",
            help=f"how many are made of them (default: {number:,})")  # fmt: skip
        table.add_argument("--target", default="sm_90", help="what is compiled for")
        if name != "warm":
            table.add_argument("--verb", action="append", choices=("verify", "compile"),
                help="default: verify, and for scaling and dask compile, too")  # fmt: skip
        if name == "dask":
            table.add_argument("--workers", type=positive, action="append", metavar="N",
                help="worker processes of a cluster (default: 1, 2, 8)")  # fmt: skip
    given = parser.parse_args(arguments)
    if given.table == "dask":
        need_now("dask", "distributed", extra="test,dask")
    words = sys.argv[1:] if arguments is None else arguments
    print(f"$ python -m tests.lab.batch {shlex.join(words)}")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    with tempfile.TemporaryDirectory() as folder:
        made = make(given.folder, given.number, Path(folder, "modules"))
        print(f"{made:,} modules", flush=True)
        right = True
        for line, good in _lines(given, Path(folder, "modules")):
            print(line if good else f"{line} !", flush=True)
            right &= good
    return 0 if right else 1


def _lines(given: argparse.Namespace, modules: Path) -> Iterator[Line]:
    if given.table == "warm":
        return warm([str(modules)], given.target)
    both = ("verify", "compile") if given.table != "growth" else ("verify",)
    verbs = [(verb, given.target if verb == "compile" else None) for verb in given.verb or both]
    if given.table == "growth":
        paths = list(map(str, sorted(modules.rglob("*.tileirbc"))))
        return chain.from_iterable(growth(paths, *verb) for verb in verbs)
    paths = [str(modules)]
    if given.table == "scaling":
        return chain.from_iterable(scaling(paths, *verb) for verb in verbs)
    workers = tuple(given.workers or (1, 2, 8))
    return chain(*(on_dask(paths, *verb, workers) for verb in verbs), store())


if __name__ == "__main__":
    raise SystemExit(main())
