"""Runs a prepared folder on a GPU: ``python run.py [--dry-run] [--only CASE] [--budget SECONDS]``.

Python, NumPy and a CUDA driver are enough; with PyTorch and Triton there is more to compare with.
First come the fixtures, which have to be right, then the probe of descriptors, then the cases. Each
case has a process of its own and a time limit: what hangs or breaks the driver's context loses its
own side alone, as the others are tried again in another process. Before each launch that is timed
the L2 cache is filled with something else; sides take turns, and the median counts. `results.json`
and `results.md` are in the folder afterwards, as far as it has come, too. Exit code 1: something is
wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import report
from .case import SIDES

HERE = Path(__file__).resolve().parents[1]
"""The prepared folder, where this file is in one."""
FIXTURE_SECONDS, PROBE_SECONDS, CASE_SECONDS = 15.0, 60.0, 40.0
"""How long a fixture may take, the whole probe, and a case."""
RETRIES = 3
"""How often a case is tried again without the side that broke it."""


class Budget:
    """Seconds that are left of all."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until the end; not below zero."""
        return max(0.0, self._end - time.monotonic())


def child(folder: Path, words: Sequence[str], seconds: float) -> str:
    """Run a part in a process of its own; what went wrong with the process, or nothing."""
    command = [sys.executable, str(folder / "run.py"), *words]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {seconds:.0f} s"
    if not done.returncode:
        return ""
    said = done.stderr.strip().splitlines()
    return f"ended with {done.returncode}: {said[-1] if said else 'no word'}"


def fixtures(folder: Path, names: Sequence[str], budget: Budget) -> dict[str, str]:
    """What is wrong with each fixture, "" if nothing is.

    One process runs them until one of them breaks it; then another goes on with the rest.
    """
    found: dict[str, str] = {}
    out = folder / "fixtures.out"
    while (rest := [name for name in names if name not in found]) and budget.left() > 1:
        out.write_text("")
        seconds = min(FIXTURE_SECONDS + 0.5 * len(rest), budget.left())
        problem = child(folder, ["--child-fixtures", ",".join(rest)], seconds)
        started = None
        for line in out.read_text().splitlines():
            started, _, said = line.partition("\t")
            if said != "started":
                found[started] = said
        if started is not None and started not in found:
            found[started] = problem or "not finished"
        elif problem and not (found.keys() & set(rest)):
            return found | dict.fromkeys(rest, problem)
    return found | dict.fromkeys((n for n in names if n not in found), "no time left")


def probe(folder: Path, budget: Budget) -> dict[str, Any]:
    """The answers of the probe, or what went wrong."""
    out = folder / "probe.out"
    out.unlink(missing_ok=True)
    problem = child(folder, ["--child-probe"], min(PROBE_SECONDS, budget.left()))
    return json.loads(out.read_text()) if not problem else {"problem": problem}


def measure(folder: Path, case: dict[str, Any], budget: Budget) -> dict[str, Any]:
    """What is known of each side of a case."""
    out = folder / "case.out"
    without: dict[str, Any] = {}
    for _ in range(RETRIES + 1):
        if budget.left() < 1:
            return {"ours": {"problem": "no time left"}} | without
        out.write_text(json.dumps({"turn": None, "sides": {}}))
        words = ["--child-case", case["name"], "--without", ",".join(without)]
        problem = child(folder, words, min(CASE_SECONDS, budget.left()))
        told = json.loads(out.read_text())
        if not problem:
            return told["sides"] | without
        if told["turn"] not in SIDES:  # while all took turns, or before any of them did
            return told["sides"] | without | {"run": {"problem": problem}}
        without[told["turn"]] = {"problem": problem}
    return without


def main(given: Sequence[str] | None = None, folder: Path = HERE) -> int:
    """Run; returns the exit code."""
    parser = options()
    arguments = parser.parse_args(given)
    manifest = json.loads((folder / "bench.json").read_text())
    if arguments.child_fixtures is not None or arguments.child_probe or arguments.child_case:
        return _as_child(arguments, folder, manifest)
    if arguments.only:
        names = {case["name"] for case in manifest["cases"]}
        if unknown := set(arguments.only) - names:
            parser.error(f"there is no case {', '.join(sorted(unknown))}")
        kept = [case for case in manifest["cases"] if case["name"] in arguments.only]
        manifest["cases"] = kept
    if arguments.dry_run:
        return report.dry_run(manifest, folder)
    return _everything(manifest, folder, Budget(arguments.budget), bool(arguments.only))


def _everything(manifest: dict[str, Any], folder: Path, budget: Budget, few: bool) -> int:
    results: dict[str, Any] = {
        "schema": 2, "target": manifest["target"], "tileiras": manifest["tileiras"],
        "machine": report.machine(), "fixtures": {}, "probe": {}, "cases": {},
    }  # fmt: skip

    def keep() -> None:
        (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        (folder / "results.md").write_text(report.markdown(manifest, results))

    if not few:
        results["fixtures"] = fixtures(folder, manifest["fixtures"], budget)
        keep()
        wrong = sum(map(bool, results["fixtures"].values()))
        print(f"fixtures: {wrong} wrong of {len(results['fixtures'])}", flush=True)
        if manifest["probe"]:
            results["probe"] = probe(folder, budget)
            keep()
            print(f"probe: {len(results['probe'])} rows", flush=True)
    for case in manifest["cases"]:
        found = measure(folder, case, budget)
        results["cases"][case["name"]] = found | {"clocks": report.clocks()}
        keep()
        print(report.line(case, found), flush=True)
    print((folder / "results.md").read_text())
    return 1 if report.wrong(results) else 0


def _as_child(arguments: argparse.Namespace, folder: Path, manifest: dict[str, Any]) -> int:
    """One part, in a process that may break."""
    from . import case, fixtures, probe
    from .driver import Driver

    if arguments.child_case:
        row = next(each for each in manifest["cases"] if each["name"] == arguments.child_case)
        case.run(row, folder, folder / "case.out", arguments.without.split(","))
    elif arguments.child_probe:
        (folder / "probe.out").write_text(json.dumps(probe.run(folder, Driver())))
    else:
        with (folder / "fixtures.out").open("a") as out:

            def tell(name: str, said: str) -> None:
                print(f"{name}\t{said}", file=out, flush=True)

            fixtures.run(folder, Driver(), arguments.child_fixtures.split(","), tell)
    return 0


def options() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="say what would be done")
    parser.add_argument(
        "--only", action="append", metavar="CASE",
        help="this case, without fixtures and probe; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--budget", type=float, default=540.0, metavar="SECONDS",
        help="begin nothing after so long (default: %(default)s)",
    )  # fmt: skip
    for name in ("fixtures", "case"):
        parser.add_argument(f"--child-{name}", help=argparse.SUPPRESS)
    parser.add_argument("--child-probe", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--without", default="", help=argparse.SUPPRESS)
    return parser
