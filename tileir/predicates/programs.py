"""Other programs on the bytes of a file, under limits of time, memory and output.

A program runs in an empty folder that is thrown away, without a shell and without input. It leads a
group of processes, which is killed when the program has ended or its time is over, so nothing
that it started goes on; nor does any of it when this process ends before, see `running`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tileir.errors import ToolError
from tileir.formats.forks import not_forking

from .running import running

FILE = "module.tileirbc"
"""The name of the file that a program is given."""

_WINDOWS = sys.platform == "win32"
_LEFT_OPEN = 2.0
"""Seconds for which the output of a program that has ended may be held open by others."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use.

    seconds  of time
    memory   bytes of data of each process, where the system keeps such a limit; None: any number
    output   bytes that are kept of what it prints on one stream; the rest is read and dropped
    """

    seconds: float = 60.0
    memory: int | None = 4 << 30
    output: int = 64 << 20


USUAL = Limits()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and what it printed.

    code      its exit code; the signal that ended it is a negative number
    too_long  whether it was killed because its time was over
    out, said what it printed on standard output and on standard error
    """

    code: int
    too_long: bool
    out: str
    said: str


def run_on(
    data: bytes,
    command: Sequence[str],
    limits: Limits,
    environment: Mapping[str, str] | None = None,
    name: str = FILE,
) -> Ended:
    """Run a command with a file of these bytes as its last argument; ToolError if it cannot start.

    The file lies beside the empty folder in which the command runs, and beside that of its
    temporary files.
    """
    with tempfile.TemporaryDirectory(prefix="tileir-", ignore_cleanup_errors=True) as outer:
        file, folder, temporary = Path(outer, name), Path(outer, "empty"), Path(outer, "tmp")
        file.write_bytes(data)
        folder.mkdir()
        temporary.mkdir()
        try:
            process = subprocess.Popen(
                [*command, str(file)],
                cwd=folder,
                env={**(environment or os.environ), "TMPDIR": str(temporary)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=None if _WINDOWS else 0,
                creationflags=0x200 if _WINDOWS else 0,
            )
        except OSError as error:
            raise ToolError(f"{command[0]}: {error.strerror or error}") from None
        with process:
            return _awaited(process, limits)


def _awaited(process: subprocess.Popen[bytes], limits: Limits) -> Ended:
    """Wait for the end of a program, and kill what is left of it."""
    _limit_memory(process.pid, limits.memory)
    over = threading.Event()

    def ring() -> None:
        over.set()
        _kill(process)

    timer = threading.Timer(limits.seconds, ring)
    timer.daemon = True
    assert process.stdout is not None
    assert process.stderr is not None
    streams = [_Drained(each, limits.output) for each in (process.stdout, process.stderr)]
    timer.start()
    try:
        with running(ring, process.pid):
            if hasattr(os, "waitid"):  # until somebody asks how it ended, its number is its own
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            else:
                process.wait()
    finally:
        timer.cancel()
        timer.join()
        _kill(process)
        code = process.wait()
    out, said = (each.text() for each in streams)
    return Ended(code, over.is_set(), out, said)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _limit_memory(pid: int, limit: int | None) -> None:
    """Limit the memory of a process, and have it leave no image of it when it crashes."""
    if sys.platform != "linux":
        return
    with not_forking:
        import resource

    with contextlib.suppress(OSError, ValueError):  # it has ended, or its limit is lower
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
        if limit is not None:
            resource.prlimit(pid, resource.RLIMIT_DATA, (limit, limit))


class _Drained:
    """A stream that a thread reads to its end, and of which the beginning is kept."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream, self._left = stream, most
        self._pieces: list[bytes] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(self._stream.fileno(), 1 << 16):
                self._pieces.append(piece[: self._left])
                self._left -= len(self._pieces[-1])

    def text(self) -> str:
        """Return what was kept, once the stream has ended, or a program holds it open for long."""
        self._thread.join(_LEFT_OPEN)
        return b"".join(self._pieces).decode(errors="replace")
