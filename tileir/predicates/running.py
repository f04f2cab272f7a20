"""What runs for predicates now, and how it ends early: after Ctrl-C, and with this process.

A program that leads a group of processes hears nothing of the end of this one. A watcher does: a
small process that is told the number of each group, and kills what is left of them when the pipe
from here ends, even if that is by `kill -9`. Children of ours have such a pipe of their own.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

from tileir.formats.forks import Lock

_WATCHER = """\
import os, signal, sys
groups = set()
for line in sys.stdin.buffer:
    (groups.add if line.startswith(b"+") else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""

_lock = Lock()
_ends: dict[object, Callable[[], object]] = {}
_watcher: subprocess.Popen[bytes] | None = None


@contextlib.contextmanager
def running(end: Callable[[], object], group: int | None = None) -> Iterator[None]:
    """Let `end_all` call `end` while what is inside waits for something.

    `group` is the number of a group of processes that is to be killed when this process ends.
    """
    key = object()
    _ends[key] = end
    _tell("+", group)
    try:
        yield
    finally:
        _tell("-", group)
        del _ends[key]


def end_all() -> None:
    """End all that runs now for any predicate of this process: whoever waits for it goes on."""
    for end in list(_ends.values()):
        end()


def _tell(sign: str, group: int | None) -> None:
    """Tell the watcher about a group; without a watcher, a group that is left goes on."""
    global _watcher
    if group is None or sys.platform == "win32":
        return
    with _lock, contextlib.suppress(OSError):
        if _watcher is None:
            _watcher = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WATCHER],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                process_group=0,
            )
            atexit.register(_stop, _watcher, os.getpid())
        assert _watcher.stdin is not None
        _watcher.stdin.write(f"{sign}{group}\n".encode())


def _stop(watcher: subprocess.Popen[bytes], process: int) -> None:
    if process == os.getpid() and watcher.stdin is not None:  # not in a fork of it
        watcher.stdin.close()
        watcher.wait()
