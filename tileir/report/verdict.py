"""What the figures of a kernel come to, in a few sentences: `verdict`, for who writes the kernel.

A sentence says what a record says, and nothing else; what is not known is not mentioned here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tileir.messages.wording import counted

LONGEST = 60
"""Characters of a formula that is shown in a sentence."""


def verdict(kernel: Mapping[str, Any]) -> list[str]:
    """Return the sentences about a kernel, given as in the model of a page (`kernels`)."""
    target = kernel["target"]
    said = _problems(kernel["problems"], target, kernel["ptx"] is not None)
    if kernel["resources"] is not None:
        said += _resources(kernel["resources"])
    said += _work(kernel["work"])
    if kernel["findings"] is not None:
        said += _findings(kernel["findings"], target, bool(kernel["untried"]))
    return said


def _problems(problems: list[str], target: str, compiled: bool) -> list[str]:
    """Return why what was asked for could not be done, a sentence for each op."""
    if not problems:
        return []
    start = "Not all is known" if compiled else f"It is not compiled for {target}"
    return [f"{start}: {problems[0]}", *problems[1:]]


def _resources(resources: Mapping[str, Any]) -> Iterator[str]:
    """Yield what `tileir resources` says."""
    block = "A block"
    if resources["threads"] is not None:
        block += f" of {counted(resources['threads'], 'thread')}"
    shared = resources["static_shared"] + resources["dynamic_shared"]
    registers = counted(resources["registers"], "register")
    said = f"{block} takes {registers} a thread and {shared:,} bytes of shared memory"
    stored, loaded = resources["spill_stores"], resources["spill_loads"]
    if stored is not None and loaded is not None:
        spilled = f"registers are spilled: {stored:,} bytes stored, {loaded:,} loaded"
        said += f"; {spilled if stored or loaded else 'no register is spilled'}"
    yield f"{said}."
    fits = resources["occupancy"]
    if fits is not None:
        blocks, warps = counted(fits["blocks"], "block"), fits["warps"]
        limits = f"; what limits it: {', '.join(fits['limited_by'])}" if fits["limited_by"] else ""
        yield f"An SM holds {blocks}, {warps} of {fits['most_warps']} warps{limits}."


def _work(work: Mapping[str, Any]) -> Iterator[str]:
    """Yield what `tileir stats` says of a tile block."""
    rows = {f"FLOPs ({kind})": formula for kind, formula in work["flops"].items()}
    rows |= {f"bytes {kind}": formula for kind, formula in work["bytes"].items()}
    shown = [
        f"{formula['text']} {what}" for what, formula in rows.items()
        if len(formula["text"]) <= LONGEST
    ]  # fmt: skip
    if shown:
        long = len(rows) - len(shown)
        more = f"; {counted(long, 'longer formula')} in tileir stats" if long else ""
        yield f"Work of a tile block: {', '.join(shown)}{more}."


def _findings(findings: list[Mapping[str, Any]], target: str, hurried: bool) -> Iterator[str]:
    """Yield what `tileir advise` says, of findings by their gain; `hurried` did not try all."""
    if not findings:
        which = "of tileir advise that was tried" if hurried else "of tileir advise"
        yield f"No rule {which} knows how to make it faster on {target}."
        return
    first, number = findings[0], counted(len(findings), "finding")
    before, after = first["shown"]
    which = number if len(findings) == 1 else f"{number}, of which this one gains most"
    yield f"tileir advise has {which}. {first['sure'].capitalize()}: {first['title']}."
    yield f"{first['figure'].capitalize()}, now: {before}; with the fix: {after}."
