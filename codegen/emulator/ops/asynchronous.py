"""`cp.async`: copies that a thread starts, commits in groups, and waits for."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.threads.lanes import Lanes


def copy(match: re.Match[str]) -> Any:
    """`cp.async`; the last operand is the bytes to read, or a predicate to read none."""
    sizes = (16,) if match["cache"] == "cg" else (4, 8, 16)

    def run(
        lanes: Lanes,
        statement: Statement,
        mask: Any,
        target: Any,
        source: Any,
        text: str,
        length: Any,
    ) -> None:
        size = int(text, 0)
        if size not in sizes:
            raise lanes.error("syntax", f"{size} bytes cannot be copied like that", statement)
        if length is None:
            length = np.uint32(size)
        elif length.dtype == bool:
            length = np.where(length, np.uint32(0), np.uint32(size))
        active = lanes.under(mask)
        operands = (target, source, length)
        if active is not lanes:
            chosen = lanes.broadcast(mask)
            operands = tuple(lanes.broadcast(each)[chosen] for each in operands)
        if active.count:
            target, source, length = operands
            lanes.batch.copies.start(active, statement, target, source, size, length)

    return run


def commit(match: re.Match[str]) -> Any:
    """`cp.async.commit_group`; the group may be empty."""
    return lambda lanes, statement, mask: lanes.batch.copies.commit(lanes.under(mask))


def wait(match: re.Match[str]) -> Any:
    """`cp.async.wait_group` and `cp.async.wait_all`."""

    def run(lanes: Lanes, statement: Statement, mask: Any, newest: str | None = None) -> None:
        count = None if newest is None else int(newest)
        lanes.batch.copies.wait(lanes.under(mask), statement, count)

    return run


effect(r"cp.async.(?P<cache>ca|cg).shared(::cta)?.global(.L2::\d+B)?", "= @ @ $ u32|pred?", copy)
effect("cp.async.commit_group", "=", commit)
effect("cp.async.wait_group", "= $", wait)
effect("cp.async.wait_all", "=", wait)
