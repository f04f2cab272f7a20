"""What children of supervisors are told to do in tests: to answer, and all that may go wrong."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


def obey(data: bytes) -> bytes:
    """Do what the first word says; the rest is for it."""
    word, _, rest = data.partition(b" ")
    return DEEDS[word](rest)


def _say(rest: bytes) -> bytes:
    print("this goes nowhere", flush=True)
    os.write(1, b"nor does this\n")
    return rest


def _sleep(_: bytes) -> bytes:
    time.sleep(1000)
    return b""


def _nap(rest: bytes) -> bytes:
    time.sleep(float(rest))
    return rest


def _sleep_in_c(_: bytes) -> bytes:
    """Keep all of Python waiting, as C code may."""
    ctypes.PyDLL(None).sleep(1000)
    return b""


def _start(rest: bytes) -> bytes:
    """Start a process of its own, write both numbers into a file, and wait for ever."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    path = Path(rest.decode())
    path.with_suffix(".new").write_text(f"{os.getpid()} {child.pid}")
    path.with_suffix(".new").rename(path)
    return _sleep(b"")


def _eat(rest: bytes) -> bytes:
    return bytes(len(bytearray(int(rest))) and 1)


def _give_up(_: bytes) -> bytes:
    """End as C++ does without memory."""
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


def _crash(_: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGSEGV)
    return b""


def _leave(_: bytes) -> bytes:
    os.write(2, b"first\nthat is enough\n")
    os._exit(3)


def _fail(rest: bytes) -> bytes:
    raise ValueError(rest.decode() + "\nand more")


DEEDS: dict[bytes, Callable[[bytes], bytes]] = {
    b"say": _say,
    b"pid": lambda _: str(os.getpid()).encode(),
    b"twice": lambda rest: rest * 2,
    b"sleep": _sleep,
    b"nap": _nap,
    b"sleep-in-c": _sleep_in_c,
    b"start": _start,
    b"eat": _eat,
    b"give-up": _give_up,
    b"crash": _crash,
    b"leave": _leave,
    b"fail": _fail,
}
