"""A command of `tileir` as a process of its own: exit code, output, CPU time and memory."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.corpus import ROOT

CPU_S = 300
"""CPU seconds that one process of a command may take; it is killed then."""

PATIENCE_S = 1800
"""Seconds after which it is killed whatever it does: other work may slow the machine."""


class Ended(NamedTuple):
    """What became of a process; `code` is negative if a signal ended it.

    `seconds` is CPU time, with that of processes which it has waited for; `mib` the peak of the
    largest of them, and no less than what this process takes when it starts them.
    """

    code: int
    out: bytes
    err: str
    seconds: float
    mib: float


def run(arguments: Sequence[str], folder: Path, data: bytes = b"") -> Ended:
    """Run `tileir` with arguments in a folder, with `data` on standard input."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tileir", *arguments],
        cwd=folder, env=_environment(), preexec_fn=_limited,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    err: list[bytes] = []
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    writer = threading.Thread(target=_write, args=(process.stdin, data))
    reader = threading.Thread(target=lambda: err.append(process.stderr.read()))
    timer = threading.Timer(PATIENCE_S, process.kill)
    for thread in (writer, reader, timer):
        thread.start()
    out = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    timer.cancel()
    for thread in (writer, reader, timer):
        thread.join()
    process.returncode = code = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    seconds = used.ru_utime + used.ru_stime
    return Ended(code, out, err[0].decode(errors="replace"), seconds, used.ru_maxrss / 1024)


def _write(stream, data: bytes) -> None:
    try:
        stream.write(data)
        stream.close()
    except BrokenPipeError:
        pass  # a command need not read what it does not want


def _environment() -> dict[str, str]:
    """The surroundings of a command: this checkout, no kept results, no colours."""
    found = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(ROOT), *([found] if found else [])])
    return {**os.environ, "PYTHONPATH": path, "TILEIR_CACHE_DIR": "off", "NO_COLOR": "1"}


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 5))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
