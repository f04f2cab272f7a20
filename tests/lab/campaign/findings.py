"""Findings: a folder each, with the module, its launch, and what is different."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import tileir
from tileir.smith.forging import description

from .plan import plan_of
from .reducing import reduced


def file(folder: Path, seed: int, stage: str, verdict: str, text: str) -> Path:
    """Write down a finding; the folder is named after the module and the stage."""
    plan = plan_of(seed)
    case = plan.case()
    where = _folder(folder, seed, stage)
    where.mkdir(parents=True, exist_ok=True)
    (where / "module.tileirbc").write_bytes(case.bytecode.build())
    (where / "module.txt").write_text(tileir.disassemble(case.bytecode), encoding="utf-8")
    origin = {"seed": seed, "ops": plan.ops, "features": list(plan.features)}
    (where / "module.json").write_text(json.dumps(description(case, **origin)))
    lines = [f"{stage}: {verdict}, seed {seed}, for {plan.target}", "", text]
    (where / "what.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return where


def reduce(where: Path, seed: int, stage: str, kind: str, seconds: float) -> None:
    """Add a small module of the same kind of finding to a folder, and a report."""
    data, text = reduced((where / "module.tileirbc").read_bytes(), seed, stage, kind, seconds)
    (where / "reduced.tileirbc").write_bytes(data)
    (where / "reduced.txt").write_text(text, encoding="utf-8")


def remove(folder: Path, seed: int, stage: str) -> None:
    """Remove a finding, if there is one."""
    shutil.rmtree(_folder(folder, seed, stage), ignore_errors=True)


def _folder(folder: Path, seed: int, stage: str) -> Path:
    return folder / f"{seed}-{stage}"
