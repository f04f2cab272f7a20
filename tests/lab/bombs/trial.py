"""One step with one bomb, in a process of its own: CPU seconds, peak of memory, and the verdict.

The process is a fork of this one, in which everything is imported and every op's code generated, so
that growth is what the bomb takes. Its address space and CPU time are limited.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from . import steps

REFS, STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
RESET = "5"
"""What makes the kernel forget the peak so far."""

MOST_SPACE = 2 << 30
"""Bytes of address space beyond what is taken already."""

MOST_SECONDS = 30
"""CPU seconds."""


THRESHOLD = (700, 10, 10)
"""How often the cycle collector looks for garbage, as Python does by itself."""


class Cost(NamedTuple):
    """CPU seconds, peak KiB beyond the start, and what became of it."""

    seconds: float
    kib: int
    verdict: str

    @property
    def sound(self) -> bool:
        """Whether it ended as it must: without an error, or with one that is raised on purpose."""
        return not self.verdict.startswith("!")


def measure(step: Callable, given: bytes | str) -> Cost:
    """Take a step in a fork of this process."""
    gc.collect()
    gc.freeze()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            with os.fdopen(writer, "w") as out:
                out.write(json.dumps(_measured(step, given)))
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        answer = answers.read()
    _, status = os.waitpid(child, 0)
    if answer:
        return Cost(*json.loads(answer))
    return Cost(MOST_SECONDS, 0, f"!signal {os.WTERMSIG(status)}")


def _measured(step: Callable, given: bytes | str) -> Cost:
    gc.set_threshold(*THRESHOLD)
    resource.setrlimit(resource.RLIMIT_AS, (_status("VmSize") * 1024 + MOST_SPACE,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    REFS.write_text(RESET)
    before, start = _status("VmRSS"), time.process_time()
    try:
        verdict = steps.outcome(step, given)
    except BaseException as error:
        verdict = f"!{type(error).__name__}: {str(error)[:80]}"
    return Cost(time.process_time() - start, _status("VmHWM") - before, verdict)


def _status(name: str) -> int:
    """A figure of this process, in KiB."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1])
