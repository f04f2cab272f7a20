"""Property: reading costs little, whatever the bytes: no more than they are worth.

Each input is read by the codec that everybody uses, once for the time of the CPU and once for the
peak of memory. A run that takes long is repeated, and the best one counts: another process may have
been in the way, or a function may have been compiled on its first use.
"""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

from tileir import Bytecode, BytecodeError

from .finding import Finding, Outcome

MOST_MS = 100
"""CPU milliseconds that any file up to 64 KiB may take."""

REFS, STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
RESET = "5"
"""What makes the kernel forget the peak so far."""

REPEATS = 4
"""Further runs of an input that seems to be dear."""

MOST_KIB = 64 * 1024
"""KiB of memory that it may take beyond its own size."""


def check(data: bytes) -> Outcome:
    """Measure. Memory first: what a first run has left behind hides what a second one takes."""
    peak = _peak(data)
    cpu, verdict = _cpu(data)
    for _ in range(REPEATS):
        if cpu > MOST_MS / 2:
            cpu = min(cpu, _cpu(data)[0])
    if cpu > MOST_MS:
        raise Finding("reading takes long", f"{cpu:.0f} ms for {len(data)} bytes, {verdict}")
    if peak > MOST_KIB:
        raise Finding("reading takes memory", f"{peak:.0f} KiB for {len(data)} bytes, {verdict}")
    return Outcome(verdict, {"CPU ms": cpu, "KiB": peak})


def _cpu(data: bytes) -> tuple[float, str]:
    start = time.thread_time()
    verdict = _read(data)
    return (time.thread_time() - start) * 1000, verdict


def _peak(data: bytes) -> float:
    """KiB that reading takes at most.

    From the kernel where it keeps such a mark: counting in Python walks the stack at each
    allocation, which deep recursion makes dear.
    """
    try:
        REFS.write_text(RESET)
    except OSError:
        tracemalloc.start()
        try:
            _read(data)
            return tracemalloc.get_traced_memory()[1] / 1024
        finally:
            tracemalloc.stop()
    before = _status("VmRSS")
    _read(data)
    return max(0.0, _status("VmHWM") - before)


def _status(name: str) -> float:
    """A figure of this process, in KiB."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return float(line.split()[1])


def _read(data: bytes) -> str:
    try:
        Bytecode.parse(data).touch()
    except BytecodeError as error:
        return error.kind
    return "accepted"
