"""What one launch has counted of its accesses, line by line of the PTX.

Compiled blocks call `record` before each access, if the launch counts; otherwise their code is
without it. Copies of the asynchronous proxy (bulk and tensor copies) and reads of products of
warpgroups are made by units of their own, without lanes: of them executions are counted alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.generic import spaces_of
from tileir.codegen.emulator.memory.spaces import CLUSTER_STEP
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.types import TYPES, width
from tileir.codegen.emulator.threads.lanes import WARP, Lanes

from .transactions import Transactions, sectors, wavefronts

GLOBAL, SHARED = "global", "shared"
_ROW_BYTES = 16
_MATRICES = re.compile(r"(?:ld|st)matrix\..*\.x([124])\b")
_SPACE = re.compile(r"\.(global|shared|local|const|param)\b")
_COUNT = re.compile(r"\.v([248])\b")

Record = Callable[..., None]


class Recorder:
    """Transactions by line of the text and space, with the text of the instruction."""

    def __init__(self) -> None:
        self.found: dict[tuple[int, str], Transactions] = {}
        self.texts: dict[int, str] = {}

    def add(self, statement: Statement, space: str, more: Transactions) -> None:
        """Add the transactions of an instruction."""
        key = statement.line, space
        self.texts[statement.line] = statement.text
        old = self.found.get(key)
        if old is not None:
            more = Transactions(
                old.requests + more.requests,
                old.taken + more.taken,
                old.least + more.least,
                max(old.worst, more.worst),
            )
        self.found[key] = more


@cache
def record_of(opcode: str) -> Record | None:
    """Return what records an access of an opcode; None if there is nothing to record.

    It is called with recorder, lanes, statement and guard, and then with the operands.
    """
    if matrices := _MATRICES.match(opcode):
        return _of_matrices(int(matrices[1]))
    if re.match(r"cp\.async\.c[ag]\.", opcode):
        return _copy
    name = opcode.partition(".")[0]
    if name not in ("ld", "ldu", "st", "atom", "red"):
        return None
    space = _SPACE.search(opcode)
    kind = next((part for part in reversed(opcode.split(".")) if part in TYPES), None)
    if kind is None or (space and space[1] in ("const", "param", "local")):
        return None
    count = _COUNT.search(opcode)
    size = width(kind) * (int(count[1]) if count else 1)
    named = None if space is None else space[1]
    if named == SHARED and "shared::cluster" in opcode:
        named = "shared::cluster"
    return _of_lanes(named, size, name in ("atom", "red"))


def _of_lanes(name: str | None, size: int, updates: bool) -> Record:
    def record(
        recorder: Recorder, lanes: Lanes, statement: Statement, mask: Any, address: Any, *_: Any
    ) -> None:
        if isinstance(address, tuple):  # a parameter of a call
            return
        for space, here, within in spaces_of(lanes, statement, mask, address, name):
            numbers, places = _active(lanes, here, within)
            if len(numbers) and space == GLOBAL:
                recorder.add(statement, space, sectors(numbers, places, size))
            elif len(numbers) and space == SHARED:
                offsets = places & np.uint64(CLUSTER_STEP - 1)
                recorder.add(statement, space, wavefronts(numbers, offsets, size, not updates))

    return record


def _of_matrices(count: int) -> Record:
    def record(
        recorder: Recorder, lanes: Lanes, statement: Statement, mask: Any, address: Any, *_: Any
    ) -> None:
        numbers, places = _active(lanes, mask, address)
        rows = numbers % WARP < 8 * count
        offsets = places[rows] & np.uint64(CLUSTER_STEP - 1)
        if len(offsets):
            recorder.add(statement, SHARED, wavefronts(numbers[rows], offsets, _ROW_BYTES))

    return record


def _copy(
    recorder: Recorder,
    lanes: Lanes,
    statement: Statement,
    mask: Any,
    target: Any,
    source: Any,
    text: str,
    length: Any,
) -> None:
    """Record `cp.async`: lanes that copy fewer bytes than they write read as much less."""
    size = int(text, 0)
    numbers, offsets = _active(lanes, mask, target)
    if not len(numbers):
        return
    recorder.add(statement, SHARED, wavefronts(numbers, offsets, size))
    if length is not None:
        reads = lanes.broadcast(~length if length.dtype == bool else length != 0)
        mask = reads if mask is None else reads & lanes.broadcast(mask)
    numbers, places = _active(lanes, mask, source)
    if len(numbers):
        recorder.add(statement, GLOBAL, sectors(numbers, places, size))


def _active(lanes: Lanes, mask: Any, address: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers and the addresses of the lanes that a guard leaves active."""
    places = lanes.broadcast(address)
    if mask is None:
        return lanes.numbers, places
    chosen = lanes.broadcast(mask)
    return lanes.numbers[chosen], places[chosen]
