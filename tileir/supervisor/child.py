"""The child of a supervisor as its parent sees it: started, asked, killed, and what it died of."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from typing import Any

from .frames import FAILED, READY, REQUEST, frame, read_frame

_PROGRAM = """\
import json, sys
given = json.loads(sys.argv[1])
sys.path[:] = given.pop("path")
from tileir.supervisor.inside import main
main(**given)
"""

_GROUP: dict[str, Any] = (
    {"creationflags": 0x200} if sys.platform == "win32" else {"process_group": 0}
)
"""A group of its own: Ctrl-C is the parent's, and what the child starts is killed with it."""

_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
"""Unless said otherwise: NumPy takes 40 MB for each CPU when it is imported, which only products of
large matrices use, and which counts where memory is limited."""

_SAID = 1 << 14
"""Bytes of what it has said last that are looked at."""

_OUT_OF_MEMORY = re.compile(
    "out of memory|bad_alloc|memoryerror|memory allocation|allocate memory", re.IGNORECASE
)
"""What LLVM, C++, Python, OpenBLAS and the loader say before they end a process without memory."""
_ERROR = re.compile(r"\berror\b", re.IGNORECASE)


class ChildEnded(Exception):
    """The child has ended, or its answer makes no sense; it is good for nothing any more."""


class Child:
    """A process that computes one function; see `inside.main` for the arguments.

    It starts at once, and imports what it needs while its parent does something else. `ready`,
    `ask` and `answer` are for one thread at a time; `kill` may be called by any, at any time.
    OSError if the system starts no process.
    """

    def __init__(self, function: str, memory: int | None, most: int) -> None:
        self._most = most + _SAID
        self.is_ready = False
        """Whether it has said that it has started."""
        self._lock = threading.Lock()
        self._ended = False
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        given = {"path": sys.path, "function": function, "memory": memory, "most": most}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, json.dumps(given)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env={**_ENVIRONMENT, **os.environ},
                **_GROUP,
            )
        except OSError:
            self._said.close()
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def ready(self) -> str:
        """Wait until it has started; return why it cannot, "" if it has. ChildEnded if it died."""
        if not self.is_ready:
            kind, problem = self.answer()
            if kind == FAILED:
                return problem.decode(errors="replace")
            if kind != READY:
                raise ChildEnded
            self.is_ready = True
        return ""

    def ask(self, requests: Sequence[bytes]) -> None:
        """Send requests; if it does not take them, there is no answer."""
        with contextlib.suppress(OSError, ValueError):  # ValueError: another thread has ended it
            self._requests.write(b"".join(frame(REQUEST, data) for data in requests))
            self._requests.flush()

    def answer(self) -> tuple[bytes, bytes]:
        """Return the frame that answers the next request; ChildEnded if there is none."""
        try:
            return read_frame(self._answers, self._most)
        except (EOFError, OSError, ValueError):
            raise ChildEnded from None

    def kill(self) -> None:
        """Kill it, and all that it has started; whoever waits for its answer gets ChildEnded."""
        with self._lock:
            if self._ended:  # its number may be that of another process by now
                return
            with contextlib.suppress(OSError):
                if sys.platform == "win32":
                    self._process.kill()
                else:
                    os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> tuple[int, str]:
        """Kill it if it lives, wait for its end, and return its exit code and what it said last."""
        if self._ended:
            return self._process.returncode, ""
        self.kill()
        with self._lock:
            code = self._process.wait()
            self._ended = True
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError):  # what was not sent yet
                pipe.close()
        with self._said as said:
            said.seek(max(0, said.seek(0, os.SEEK_END) - _SAID))
            return code, said.read().decode(errors="replace").strip()


def ran_out_of_memory(said: str) -> bool:
    """Whether what a process has said last is about memory that it did not get."""
    return _OUT_OF_MEMORY.search(said) is not None


def last_words(said: str) -> str:
    """Return the line of what a process has said last that says most: about an error, or its end.

    Behind the line about an error, Python lists what it was doing.
    """
    lines = said.splitlines()
    told = [line for line in lines if _ERROR.search(line)]
    return (told or lines or [""])[-1]


def cause(code: int) -> str:
    """Return what a process died of, given its exit code: the name of a signal, mostly."""
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"
