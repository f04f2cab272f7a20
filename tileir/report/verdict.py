"""What the figures of a kernel come to, in a few sentences: `verdict`, for who writes the kernel.

A sentence says what a record says, and nothing else; what is not known is not mentioned here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tileir.messages.wording import counted

LONGEST = 60
"""Characters of a formula that is shown in a sentence."""


def verdict(kernel: Mapping[str, Any]) -> list[str]:
    """Return the sentences about a kernel, given as in the model of a page (`kernels`).

    What can be done about it comes first, then what it takes, then what it does.
    """
    target = kernel["target"]
    said = _problems(kernel["problems"], target, kernel["ptx"] is not None)
    if kernel["findings"] is not None:
        said.append(_findings(kernel["findings"], target, bool(kernel["untried"])))
    if kernel["resources"] is not None:
        said += _resources(kernel["resources"])
    said += _work(kernel["work"])
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
        symbols = [name for name in work["where"] if re.search(rf"\b{name}\b", " ".join(shown))]
        if symbols:
            names, verb = " and ".join(symbols), "says" if len(symbols) == 1 else "say"
            yield f"{names} {verb} how often a loop or a branch runs; tileir stats tells which."


def _findings(findings: list[Mapping[str, Any]], target: str, hurried: bool) -> str:
    """Return how much `tileir advise` has to say; `hurried` did not try all."""
    if not findings:
        which = "of tileir advise that was tried" if hurried else "of tileir advise"
        return f"No rule {which} knows how to make it faster on {target}."
    most = "" if len(findings) == 1 else "; the first gains most"
    return f"tileir advise found {counted(len(findings), 'thing')} to change for {target}{most}."
