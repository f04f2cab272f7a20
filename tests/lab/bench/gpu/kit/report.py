"""What is printed and kept of a run: one table, and on which machine it was."""

from __future__ import annotations

import importlib.metadata
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .case import CUBINS, SIDES

_QUERY = ("name", "driver_version", "clocks.max.sm", "clocks.max.memory", "power.limit")
_NOW = ("clocks.sm", "clocks.mem", "power.draw", "temperature.gpu")
NOTE = (
    "Median of launches in turns, with the L2 cache flushed before each. x: so many times as fast"
    " as that. Right: the largest error in units of what is tolerated."
)
COLUMNS = ("case", "ours, us", "ours", "x tileiras", "x torch", "x Triton", "right", "notes")


def _asked(fields: Iterable[str]) -> dict[str, str]:
    """What nvidia-smi says; nothing where there is none."""
    names = list(fields)
    command = ["nvidia-smi", f"--query-gpu={','.join(names)}", "--format=csv,noheader", "--id=0"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    values = done.stdout.strip().split(", ")
    return dict(zip(names, values, strict=True)) if len(values) == len(names) else {}


def machine() -> dict[str, str]:
    """The card, the driver, the date, and what else computes there."""
    found = {"date": time.strftime("%Y-%m-%d")} | _asked(_QUERY)
    for name in ("torch", "triton", "numpy"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not there"
    return found


def clocks() -> dict[str, str]:
    """Clocks, power and temperature at the end of a case."""
    return _asked(_NOW)


def _seconds(found: dict[str, Any], side: str) -> float | None:
    return found.get(side, {}).get("seconds")


def cells(case: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """A line of the table."""
    ours = _seconds(found, "ours")
    ratios = []
    for side in SIDES[1:]:
        theirs = _seconds(found, side)
        ratios.append(f"{theirs / ours:.2f}" if ours and theirs else "")
    rate = ""
    if ours:
        flops = case["flops"]
        rate = f"{flops / ours / 1e12:,.0f} TFLOP/s" if flops else (
            f"{case['bytes'] / ours / 1e9:,.0f} GB/s")  # fmt: skip
    right = ", ".join(
        f"{side} {'yes' if about['right'] else 'NO'} ({about['error']:.2g})"
        for side, about in found.items()
        if "error" in about and (side in CUBINS or not about["right"])
    )
    problems = [
        f"{side}: {about['problem']}" for side, about in found.items() if "problem" in about
    ]
    notes = "; ".join([*case["notes"], *problems])
    return [case["name"], f"{1e6 * ours:,.1f}" if ours else "", rate, *ratios, right, notes]


def line(case: dict[str, Any], found: dict[str, Any]) -> str:
    """A line as the run goes on."""
    return "  ".join(filter(None, cells(case, found)))


def markdown(manifest: dict[str, Any], results: dict[str, Any]) -> str:
    """The whole table, with what it was measured on."""
    about = [f"{name} {value}" for name, value in results["machine"].items()]
    lines = [f"{', '.join(about)}; tileiras: {results['tileiras'] or 'not there'}.", ""]
    wrong = {name: said for name, said in results["fixtures"].items() if said}
    if results["fixtures"]:
        count = len(results["fixtures"])
        lines += [f"Fixtures: {count - len(wrong)} of {count} are right.", ""]
        lines += [f"- {name}: {said}" for name, said in wrong.items()]
        lines += [""] if wrong else []
    if results["probe"]:
        bad = [name for name, said in results["probe"].items() if "problem" in said]
        if "problem" in results["probe"]:
            lines += [f"Probe: {results['probe']['problem']}", ""]
        else:
            lines += [f"Probe: {len(results['probe']) - len(bad)} rows answered.", ""]
    lines.append(f"| {' | '.join(COLUMNS)} |")
    lines.append(f"|{'---|' * len(COLUMNS)}")
    for case in manifest["cases"]:
        if case["name"] in results["cases"]:
            found = {side: each for side, each in results["cases"][case["name"]].items()
                     if side != "clocks"}  # fmt: skip
            row = [cell.replace("|", "/") for cell in cells(case, found)]
            lines.append(f"| {' | '.join(row)} |")
    lines += ["", NOTE]
    return "\n".join(lines) + "\n"


def wrong(results: dict[str, Any]) -> bool:
    """Whether a fixture is wrong, or what we made of a case."""
    ours = [found.get("ours", {}) for found in results["cases"].values()]
    return any(results["fixtures"].values()) or not all(each.get("right") for each in ours)


def dry_run(manifest: dict[str, Any], folder: Path) -> int:
    """Say what would be done, and whether all files are there."""
    print(f"for {manifest['target']}; tileiras: {manifest['tileiras'] or 'not there'}")
    print(f"{len(manifest['fixtures'])} fixtures, {manifest['probe']} rows of the probe")
    missing = [name for name in manifest["files"] if not (folder / name).is_file()]
    for name in missing:
        print(f"{name} is MISSING")
    for case in manifest["cases"]:
        shapes = ", ".join(
            f"{'x'.join(map(str, t['shape']))} {t['dtype']}" for t in case["tensors"]
        )
        print(f"{case['name']}: {shapes}; {case['bytes'] / 1e6:,.1f} MB")
        for side in CUBINS:
            if about := case[side]:
                grids = " or ".join("x".join(map(str, grid)) for grid in about["grids"])
                block = "x".join(map(str, about["block"]))
                print(f"  {side}: {about['file']}, {grids} blocks of {block},"
                      f" {about['shared']} bytes of shared memory")  # fmt: skip
        for note in case["notes"]:
            print(f"  {note}")
    print("would check fixtures, ask the probe, and compare each case with NumPy, then time it")
    return 1 if missing else 0
