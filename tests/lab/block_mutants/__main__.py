"""`python -m tests.lab.block_mutants`: every defect of the block IR at every site of kernels."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.codegen.block.mutants.defect import DEFECTS, VERIFIER, Defect, Site
from tests.codegen.block.mutants.kernels import KERNELS, fixture, workload
from tests.codegen.block.mutants.trial import Kernel, Noticed, attempt, sites_of
from tests.lab.bench.workloads.cases import CASES
from tests.launches import NAMES

COLUMNS = ("sites", "verifier", "emulator", "compiler", "excused", "missed")
SETS: dict[str, dict[str, Callable[[], Kernel]]] = {
    "test": KERNELS,
    "fixtures": {f"fixture {name}": lambda name=name: fixture(name) for name in NAMES},
    "workloads": {f"workload {name}": lambda name=name: workload(name) for name in CASES},
}
BARRIERS_DROPPED = ("barrier of shared memory dropped", "barrier of tokens dropped")
Row = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    given = _parser().parse_args(arguments)
    kernels = {name: make for each in given.sets for name, make in SETS[each].items()}
    kernels = {name: make for name, make in kernels.items() if given.only in name}
    rows: list[Row] = []
    end = time.process_time() + given.seconds
    left: list[str] = []
    objected: list[str] = []
    for number, (name, make) in enumerate(kernels.items(), 1):
        if time.process_time() > end:
            left.append(name)
            continue
        start = time.process_time()
        kernel = make()
        if objection := attempt(kernel):
            objected.append(name)
            print(f"{name} as it is: {objection}", flush=True)
        found = list(_rows(name, kernel, given))
        rows += found
        seconds = time.process_time() - start
        missed = sum(bool(row["missed"]) for row in found)
        said = f"{number}/{len(kernels)} {name}: {len(found)} sites, {missed} missed"
        print(f"{said}, {seconds:.1f} s", file=sys.stderr, flush=True)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(table(rows))
    print(excuses(rows))
    print(barriers(rows))
    if left:
        print(f"no time for {len(left)} kernels: {', '.join(left)}")
    return int(bool(objected) or any(row["missed"] for row in rows))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.block_mutants",
        description=__doc__.partition(": ")[2],
        epilog="Exit code: 0; 1 if nobody notices a defect that is not excused, or somebody "
        "objects to a kernel as it is; 2 wrong use.",
    )
    parser.add_argument("sets", nargs="*", default=["test"], metavar="SET", help=", ".join(SETS))
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels with this in the name")
    parser.add_argument("--sites", type=int, default=10**6, help="of a class in a kernel (all)")
    parser.add_argument(
        "--first", action="store_true", help="run no defect that the verifier has noticed"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="of CPU, then no new kernel")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every site there")
    return parser


def _rows(name: str, kernel: Kernel, given: argparse.Namespace) -> Iterator[Row]:
    for defect in DEFECTS.values():
        for number, site in enumerate(sites_of(kernel, defect)[: given.sites]):
            with contextlib.redirect_stdout(io.StringIO()):
                noticed = attempt(kernel, defect, number, both=not given.first)
            row = _row(defect, noticed, site)
            if row["missed"]:
                print(f"missed: {name}: {defect.name}, site {number}, {site.op.name}", flush=True)
            yield {"kernel": name, "class": defect.name, "site": number, "op": site.op.name, **row}


def _row(defect: Defect, noticed: Noticed, site: Site) -> Row:
    compiler = noticed.verifier or noticed.compiler
    enough = compiler if defect.noticed_by == VERIFIER else noticed
    said = {who: getattr(noticed, who) for who in ("verifier", "emulator", "compiler")}
    excuse = "" if noticed else site.excuse
    return {
        **said,
        "excused": excuse,
        "missed": not enough and not excuse,
        "pairs": list(site.op.attributes.get("pairs", ())),
    }


def table(rows: list[Row]) -> str:
    """Return the figures of each class, and their sums."""
    counts: dict[object, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for name in (row["class"], "all"):
            counts[name]["sites"] += 1
            counts[name].update(column for column in COLUMNS[1:] if row[column])
    lines = [f"{'class':44}{'kernels':>9}" + "".join(f"{each:>9}" for each in COLUMNS)]
    for name in (*DEFECTS, "all"):
        kernels = {row["kernel"] for row in rows if name in (row["class"], "all")}
        figures = "".join(f"{counts[name][each]:9}" for each in COLUMNS)
        lines.append(f"{name:44}{len(kernels):9}{figures}")
    return "\n".join(lines)


def excuses(rows: list[Row]) -> str:
    """Return why defects that nobody notices change nothing, with how many there are."""
    counts = Counter((row["excused"], row["class"]) for row in rows if row["excused"])
    lines = [f"{count:6} {name}: {why}" for (why, name), count in sorted(counts.items())]
    return "\n".join(["", "Defects that change nothing:", *(lines or ["  none"])])


def barriers(rows: list[Row]) -> str:
    """Return the barriers that nobody misses: what each orders, in which kernels, and why."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        unnoticed = not (row["verifier"] or row["emulator"] or row["compiler"])
        if unnoticed and row["class"] in BARRIERS_DROPPED:
            why = row["excused"] or "no reason is known"
            found["; ".join(row["pairs"]), why].append(row["kernel"])
    lines = [
        f"  {pairs}\n    {why}: {counted(Counter(kernels))}"
        for (pairs, why), kernels in sorted(found.items())
    ]
    return "\n".join(["", "Barriers that nobody misses:", *(lines or ["  none"])])


def counted(kernels: Counter[str]) -> str:
    """Return names, with how often each comes if that is more than once."""
    return ", ".join(name if n == 1 else f"{name} ({n})" for name, n in kernels.items())


if __name__ == "__main__":
    sys.exit(main())
