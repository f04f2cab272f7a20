"""What a campaign has shown: modules, sizes, ops, findings by kind, and what it cost."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tileir.formats.ops import OPS
from tileir.smith.recipes import IMPOSSIBLE

from .reducing import kind

BAD = {"different", "failed", "crashed"}
"""Verdicts that are findings."""

FEWEST = 8
"""Ops that are listed because few modules have them."""


def summary(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The figures of all lines of a ledger."""
    sizes: dict[int, int] = {}
    names: Counter[str] = Counter()
    last: dict[tuple[str, int], tuple[str, str]] = {}
    seconds: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for row in rows:
        if row["seed"] not in sizes and "ops" in row:
            sizes[row["seed"]] = row["ops"]
            names.update(row["names"])
        seconds["make"] += row.get("make_s", 0)
        seconds["model"] += row.get("model_s", 0)
        for stage, found in row["stages"].items():
            last[stage, row["seed"]] = found["verdict"], found["text"]
            seconds[stage] += found["s"]
            tried[stage] += 1
    verdicts: dict[str, Counter[str]] = {}
    kinds: Counter[str] = Counter()
    for (stage, _), (verdict, text) in last.items():
        verdicts.setdefault(stage, Counter())[verdict] += 1
        if verdict in BAD:
            kinds[kind(stage, verdict, text)] += 1
    known = [op.mnemonic for op in OPS if op.in_body and not op.since.preview]
    counts = {name: names[name] for name in known if name not in IMPOSSIBLE}
    fewest = sorted(counts.items(), key=lambda pair: pair[1])[:FEWEST]
    return {
        "modules": len(sizes),
        "median_ops": statistics.median(sizes.values()) if sizes else 0,
        "largest": max(sizes.values(), default=0),
        "fewest": dict(fewest),
        "stages": {stage: dict(counts) for stage, counts in verdicts.items()},
        "findings": dict(kinds.most_common()),
        "each_s": {stage: round(seconds[stage] / count, 4) for stage, count in tried.items()},
        "cpu_s": {name: round(value, 1) for name, value in seconds.items()},
        "core_hours": round(sum(seconds.values()) / 3600, 3),
    }


def told(figures: dict[str, Any]) -> str:
    """The figures as text."""
    fewest = ", ".join(f"{name} {count:,}" for name, count in figures["fewest"].items())
    size = f"a median of {figures['median_ops']:g} ops, the largest has {figures['largest']:,}"
    lines = [f"{figures['modules']:,} modules of {size}", f"the rarest ops are in: {fewest}"]
    for stage, counts in figures["stages"].items():
        verdicts = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
        lines.append(f"{stage}: {verdicts}; {figures['each_s'][stage]:.3f} CPU s each")
    lines += [f"{count:,} findings: {name}" for name, count in figures["findings"].items()]
    lines.append(f"{figures['core_hours']:g} core-hours: {figures['cpu_s']}")
    return "\n".join(lines)
