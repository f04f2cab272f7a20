"""What the child of a supervisor does: it computes one function of bytes, again and again.

It ends when its parent does. A thread of its own reads requests, so that it notices the end of the
pipe while the function runs, and kills the process then with all that it has started (ptxas, say).
"""

from __future__ import annotations

import importlib
import os
import signal
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import IO

from .frames import ANSWER, FAILED, OUT_OF_MEMORY, READY, TOO_LONG, read_frame, write_frame
from .memory import limit_memory

Function = Callable[[bytes], bytes]


def main(function: str, memory: int | None, most: int) -> None:
    """Answer requests until the parent has gone.

    function  ``package.module:name``
    memory    the most bytes of data of this process, None for any number
    most      the most bytes of an answer
    """
    requests, answers = _own_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    try:
        limit_memory(memory)
        compute = _found(function)
    except BaseException as error:
        write_frame(answers, FAILED, _told(error))
        return
    waiting: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(requests, waiting), daemon=True).start()
    write_frame(answers, READY)
    while True:
        kind, answer = _computed(compute, waiting.get(), most)
        write_frame(answers, kind, answer)
        if kind in (FAILED, OUT_OF_MEMORY):  # what it was about to do is half done
            os._exit(0)


def _own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes from and to the parent, and put nothing in their places.

    What the function prints goes nowhere, and programs that it starts do not have the pipes.
    """
    requests, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for place in (0, 1):
        os.dup2(nowhere, place)
    os.close(nowhere)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def _found(function: str) -> Function:
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)


def _read(requests: IO[bytes], waiting: SimpleQueue[bytes]) -> None:
    try:
        while True:
            waiting.put(read_frame(requests)[1])
    except MemoryError:
        os.write(2, b"MemoryError")
    finally:  # the end of the pipe, mostly
        _end_all()


def _end_all() -> None:
    """End this process at once, and all that it has started."""
    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():  # not a debugger's or a shell's
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _computed(compute: Function, data: bytes, most: int) -> tuple[bytes, bytes]:
    """Return the kind and the bytes of the frame that answers a request."""
    try:
        answer = compute(data)
    except (MemoryError, SystemError):  # Python's own compiler forgets which of them it was
        return OUT_OF_MEMORY, b""
    except BaseException as error:
        return FAILED, _told(error)
    if len(answer) > most:
        return TOO_LONG, str(len(answer)).encode()
    return ANSWER, answer


def _told(error: BaseException) -> bytes:
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}".encode("utf-8", "backslashreplace")[:2000]
