"""`python -m tests.lab.batch`: batches of many thousand modules, and what they take besides."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import chain
from pathlib import Path

from tests.arguments import positive
from tests.lab.extras import need_now

from .kept import Kept, spread
from .tables import Line, ceiling, growth, on_dask, scaling, store, warm

EXAMPLES = """\
examples:
  python -m tests.lab.batch make --keep kept/ corpus/           only make the 27,000 modules
  python -m tests.lab.batch scaling --keep kept/ corpus/        verify and compile, 1 and 2 workers
  python -m tests.lab.batch scaling --keep kept/ --verb compile --number 5400 corpus/
  python -m tests.lab.batch growth --keep kept/ corpus/         is time linear in modules
  python -m tests.lab.batch ceiling --keep kept/ corpus/        what two processes give without us
  python -m tests.lab.batch dask --keep kept/ corpus/           needs the extra dask
  python -m tests.lab.batch warm corpus/                        two machines with one shared store

The folder has modules; each is taken as often as needed, with a constant of another number in it.
With --keep, the modules stay, and so does what was measured: a table that was interrupted goes on,
and a smaller --number takes a fair sample of what is there. A line that ends in "!" says what
should not be; the exit code is 1 then. It wants a quiet machine, but for make.
"""

_VERIFIED = {
    "make": 27_000, "scaling": 27_000, "growth": 27_000, "ceiling": 2_000, "dask": 4_000,
    "warm": 1_000,
}  # fmt: skip
"""Table -> how many modules it takes unless said otherwise."""
_COMPILED = {"scaling": 5_400, "growth": 5_400, "ceiling": 400, "dask": 1_000}
"""... and how many it compiles, which takes some 15 times as long as to verify them."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.batch",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tables = parser.add_subparsers(dest="table", required=True)
    for name, number in _VERIFIED.items():
        table = tables.add_parser(name)
        table.add_argument("folder", type=Path, help="modules, as bytecode")
        compiled = f", {_COMPILED[name]:,} to compile" if name in _COMPILED else ""
        table.add_argument("--number", type=positive, metavar="N",
            help=f"how many are made of them (default: {number:,}{compiled})")  # fmt: skip
        table.add_argument("--keep", type=Path, metavar="FOLDER",
            help="where modules and measurements stay")  # fmt: skip
        table.add_argument("--target", default="sm_90", help="what is compiled for")
        if name in _COMPILED:
            table.add_argument("--verb", action="append", choices=("verify", "compile"),
                help="default: verify, and but for growth compile, too")  # fmt: skip
        if name == "dask":
            table.add_argument("--workers", type=positive, action="append", metavar="N",
                help="worker processes of a cluster (default: 1, 2, 8)")  # fmt: skip
    given = parser.parse_args(arguments)
    if given.table == "dask":
        need_now("dask", "distributed", extra="test,dask")
    if given.table == "make" and given.keep is None:
        parser.error("make wants --keep")
    words = sys.argv[1:] if arguments is None else arguments
    print(f"$ python -m tests.lab.batch {shlex.join(words)}")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    keep = nullcontext(given.keep) if given.keep else tempfile.TemporaryDirectory()
    with keep as folder:
        kept = Kept(Path(folder))
        paths = kept.modules(given.folder, given.number or _VERIFIED[given.table])
        print(f"{len(paths):,} modules", flush=True)
        right = True
        for line, good in _lines(given, kept, paths):
            print(line if good else f"{line} !", flush=True)
            right &= good
        if kept.found:
            print(f"{kept.found} of these batches were measured before")
    return 0 if right else 1


def _lines(given: argparse.Namespace, kept: Kept, paths: list[str]) -> Iterator[Line]:
    if given.table == "make":
        return iter(())
    if given.table == "warm":
        return warm(paths, given.target)
    both = ("verify", "compile") if given.table != "growth" else ("verify",)
    workers = tuple(getattr(given, "workers", None) or (1, 2, 8))
    parts: list[Iterator[Line]] = []
    for verb in given.verb or both:
        target = given.target if verb == "compile" else None
        compiled = given.number or _COMPILED[given.table]
        some = spread(paths, compiled) if verb == "compile" else paths
        if given.table == "scaling":
            parts.append(scaling(kept, some, verb, target))
        elif given.table == "growth":
            parts.append(growth(kept, some, verb, target))
        elif given.table == "ceiling":
            parts.append(ceiling(some, verb, target))
        else:
            parts.append(on_dask(kept, some, verb, target, workers))
    if given.table == "dask":
        parts.append(store())
    return chain(*parts)


if __name__ == "__main__":
    raise SystemExit(main())
