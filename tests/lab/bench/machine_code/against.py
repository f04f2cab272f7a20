"""Figures of today beside earlier ones of ours: what has become worse, and by how much.

A loop that is unrolled once more is longer and no slower: instructions of loops are compared per
unit of work (products of matrices, or else bytes of global memory), where both have some.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from math import exp, log
from pathlib import Path
from typing import NamedTuple

from . import figures, loops

MOST, MOST_OF_LOOP = 1.03, 1.02
"""Ratios of instructions, and of those in innermost loops, above which a kernel is named."""


class Change(NamedTuple):
    """A kernel for a target, now and before: now is the first of the two."""

    kernel: str
    target: str
    now: figures.Code
    before: figures.Code

    @property
    def instructions(self) -> float:
        return self.now.instructions / self.before.instructions

    @property
    def loop(self) -> float | None:
        """Of instructions in innermost loops; None unless both have loops."""
        return ratio_of_loops(self.now, self.before)

    def worse(self) -> list[str]:
        """What is worse than before, in words; nothing if nothing is."""
        now, before = self.now, self.before
        told = []
        if self.instructions > MOST:
            told.append(f"instructions {before.instructions} -> {now.instructions}")
        if self.loop is not None and self.loop > MOST_OF_LOOP:
            told.append(f"loop {before.loop} -> {now.loop}, {self.loop:.3f} for the same work")
        if bool(now.loop) != bool(before.loop):
            told.append(f"loop {before.loop} -> {now.loop}")
        if now.blocks < before.blocks:
            told.append(
                f"blocks on a multiprocessor {before.blocks} -> {now.blocks} (registers"
                f" {before.registers} -> {now.registers}, threads {before.threads} ->"
                f" {now.threads}, shared {before.shared} -> {now.shared})"
            )
        for what in ("local", "barriers"):
            if getattr(now, what) > getattr(before, what):
                told.append(f"{what} {getattr(before, what)} -> {getattr(now, what)}")
        for what in ("in_flight", "groups"):
            if getattr(now, what) < getattr(before, what):
                name = what.replace("_", " ")
                told.append(f"{name} {getattr(before, what)} -> {getattr(now, what)}")
        return told


def ratio_of_loops(now: figures.Code, before: figures.Code) -> float | None:
    """How many times the instructions of innermost loops one has, for the same work.

    Loops are taken to go over the same data, each once; threads share its work. Where loops cannot
    be told to do the same, all instructions of all threads of a block are compared. None unless
    both have loops.
    """
    if not now.loop or not before.loop:
        return None
    pairs = list(zip(now.counted, before.counted, strict=False))
    alike = len(now.counted) == len(before.counted) and all(
        loops.products(a) == loops.products(b) and loops.work(a) and loops.work(b) for a, b in pairs
    )
    if not alike:
        return now.loop * (now.threads or 1) / (before.loop * (before.threads or 1))
    return sum(a.total() / loops.work(a) for a, _ in pairs) / sum(
        b.total() / loops.work(b) for _, b in pairs
    )


def read(path: Path) -> dict[tuple[str, str], figures.Code]:
    """Kernel and target -> our code, from a file that ``static --json`` wrote."""
    return {
        (row["kernel"], row["target"]): figures.of_json(row["ours"], row["target"])
        for row in json.loads(path.read_text())
        if isinstance(row["ours"], Mapping)
    }  # fmt: skip


def changes(
    rows: Iterable[figures.Row], earlier: Mapping[tuple[str, str], figures.Code]
) -> Iterator[Change]:
    """All rows that both have."""
    for row in rows:
        before = earlier.get((row.kernel, row.target))
        if before is not None and isinstance(row.ours, figures.Code):
            yield Change(row.kernel, row.target, row.ours, before)


def lost(
    rows: Iterable[figures.Row], earlier: Mapping[tuple[str, str], figures.Code]
) -> Iterator[str]:
    """What was compiled before, is asked for, and is not compiled now."""
    for row in rows:
        if isinstance(row.ours, str) and (row.kernel, row.target) in earlier:
            yield f"{row.kernel} {row.target}: {row.ours}"


def mean(ratios: Iterable[float | None]) -> float | None:
    """The geometric mean of those that are there; None for none."""
    known = [log(ratio) for ratio in ratios if ratio]
    return exp(sum(known) / len(known)) if known else None
