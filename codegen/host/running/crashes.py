"""A sentence about the kernel that ends the process, in front of a bare "Segmentation fault".

What nothing checks may overwrite anything, Python's memory too, so nothing of Python can run any
more when the signal comes. The handler is machine code that writes texts prepared before, and hands
the signal on to whoever handled it before: the process ends as it would have.

All that the handler reads lies outside of the heap, on pages of its own: those that do not change
are read-only, and they lie around the one that says which kernel runs.
"""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from tileir.codegen.cache.folder import find_store
from tileir.codegen.cache.key import CRASH_HANDLER
from tileir.codegen.cache.slot import Slot
from tileir.codegen.host.machine.cpu import identity, load_beside, object_code, triple_and_layout
from tileir.codegen.llvm import parse

CAUSES = {
    "SIGSEGV": "it accessed memory that is not there",
    "SIGBUS": "it accessed memory that is not there",
    "SIGFPE": "it divided by zero, or the quotient does not fit",
    "SIGILL": "it ran into an instruction that this CPU does not have",
}
"""Signal -> what a kernel has done to get it."""

_PAGES = "tileir_crash_pages"
"""The symbol by which the handler finds its pages."""

_CALLED = ("write", "sigaction", "raise", "sleep")
_SIGNALS = 16
"""The numbers of the signals are less."""

_ACTION = 256
"""Bytes kept for what `sigaction` tells of a handler; no system has a larger struct."""

_HANDLER = """\
target triple = "{triple}"
target datalayout = "{layout}"

%pages = type {{ ptr, ptr, ptr, ptr, ptr, [{signals} x ptr], [{signals} x [{action} x i8]] }}
%text = type {{ i64, i64, [0 x i8] }}
@{pages} = external global %pages

define void @crashed(i32 %signal) {{
entry:
  %number = zext i32 %signal to i64
  %write = load ptr, ptr @{pages}
  %said = load ptr, ptr getelementptr (%pages, ptr @{pages}, i64 0, i32 4)
  %run = atomicrmw xchg ptr %said, i64 -1 seq_cst
  switch i64 %run, label %tell [ i64 0, label %on
                                 i64 -1, label %wait ]
wait:
  %sleep = load ptr, ptr getelementptr (%pages, ptr @{pages}, i64 0, i32 3)
  %slept = call i32 %sleep(i32 60)
  br label %on
tell:
  %kernel = inttoptr i64 %run to ptr
  %length = load i64, ptr %kernel
  %restat = getelementptr %text, ptr %kernel, i64 0, i32 1
  %rest = load i64, ptr %restat
  %name = getelementptr %text, ptr %kernel, i64 0, i32 2
  %w = call i64 %write(i32 2, ptr %name, i64 %length)
  %causeat = getelementptr %pages, ptr @{pages}, i64 0, i32 5, i64 %number
  %cause = load ptr, ptr %causeat
  %size = load i64, ptr %cause
  %about = getelementptr %text, ptr %cause, i64 0, i32 2
  %v = call i64 %write(i32 2, ptr %about, i64 %size)
  %advice = getelementptr i8, ptr %name, i64 %length
  %u = call i64 %write(i32 2, ptr %advice, i64 %rest)
  br label %on
on:
  %before = getelementptr %pages, ptr @{pages}, i64 0, i32 6, i64 %number
  %sigaction = load ptr, ptr getelementptr (%pages, ptr @{pages}, i64 0, i32 1)
  %s = call i32 %sigaction(i32 %signal, ptr %before, ptr null)
  ; A signal that was sent does not come again by itself. It is blocked here: it comes on return.
  %raise = load ptr, ptr getelementptr (%pages, ptr @{pages}, i64 0, i32 2)
  %r = call i32 %raise(i32 %signal)
  ret void
}}
"""


class _Pages(ctypes.Structure):
    """What the handler reads, as its IR declares it: what it calls, and where it is said which
    kernel runs; then, by the numbers of signals, texts and what handled them before."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in _CALLED),
        ("said", ctypes.c_void_p),
        ("causes", ctypes.c_void_p * _SIGNALS),
        ("before", ctypes.c_char * _ACTION * _SIGNALS),
    ]


class Crashes:
    """Tells of crashes of kernels from now on; `crashes` makes the one of a process.

    Threads that crash while another one tells of it wait until that ends the process.
    On Windows, where there are no such signals, nothing is told.
    """

    def __init__(self) -> None:
        self._running = 0
        self._said = ctypes.c_int64()  # the address of a text; 0 if no kernel runs, -1 once told
        if os.name != "posix":
            return
        size = ctypes.sizeof(_Pages) + -ctypes.sizeof(_Pages) % mmap.PAGESIZE
        start = _pages(size + 2 * mmap.PAGESIZE)
        self._said = ctypes.c_int64.from_address(start + size)
        pages = _Pages.from_address(start)
        libc = _libc()
        for name in _CALLED:
            setattr(pages, name, ctypes.cast(libc[name], ctypes.c_void_p).value)
        pages.said = start + size
        self._engine = load_beside(_object_code(), {_PAGES: start})
        handler = self._engine.get_function_address("crashed")
        install = libc.signal
        install.restype, install.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_void_p)
        numbers = {name: getattr(signal, name) for name in CAUSES}
        for name, number in numbers.items():
            pages.causes[number] = _text(f" crashed ({name}): {CAUSES[name]}; ")
            libc.sigaction(int(number), None, ctypes.byref(pages.before[number]))
        _freeze(start, size)
        _freeze(start + size + mmap.PAGESIZE, mmap.PAGESIZE)
        for number in numbers.values():
            install(number, handler)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))  # the handlers stay until the end

    def enter(self, text: int) -> int:
        """From now on a kernel runs, of which a `text` tells; returns what `leave` wants."""
        before, self._running = self._running, text
        self._said.value = text
        return before

    def leave(self, before: int) -> None:
        """From now on the kernel runs that ran before, if there was one."""
        self._said.value = self._running = before

    @contextmanager
    def launch(self, text: int) -> Iterator[None]:
        """The kernel of which a `text` tells runs inside."""
        before = self.enter(text)
        try:
            yield
        finally:
            self.leave(before)


@cache
def crashes() -> Crashes:
    """Return what tells of crashes in this process; handlers are installed by the first call."""
    return Crashes()


@cache
def text(kernel: str, advice: str) -> int:
    """Return the address of what is told of a kernel: its name, and how to find out more."""
    return _text(kernel, f"{advice}\n") if os.name == "posix" else 0


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _text(first: str, rest: str = "") -> int:
    """Return the address of a read-only text in two parts, behind their sizes in bytes."""
    parts = [part.encode(errors="replace") for part in (first, rest)]
    sizes = b"".join(len(part).to_bytes(8, "little") for part in parts)
    data = sizes + b"".join(parts)
    start = _pages(len(data))
    ctypes.memmove(start, data, len(data))
    _freeze(start, len(data))
    return start


def _pages(size: int) -> int:
    """Return the address of new memory, which nobody else has; it stays until the process ends."""
    function = _libc().mmap
    function.restype = ctypes.c_void_p
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *3 * (ctypes.c_int,), ctypes.c_long)
    protection, kind = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start = function(None, size, protection, kind, -1, 0)
    if start is None or start == ctypes.c_void_p(-1).value:
        raise MemoryError("no memory for what is told of a crash")
    return start


def _freeze(start: int, size: int) -> None:
    """Make pages read-only."""
    function = _libc().mprotect
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    function(start, size, mmap.PROT_READ)


def _object_code() -> bytes:
    """Return the handler's machine code, from the cache of compiled modules if it has it."""
    triple, layout = triple_and_layout()
    module = _HANDLER.format(
        triple=triple, layout=layout, pages=_PAGES, signals=_SIGNALS, action=_ACTION
    )
    store = find_store(CRASH_HANDLER)
    if store is None:
        return object_code(parse(module))
    facts = {"made_with": identity(), "module": hashlib.sha256(module.encode()).hexdigest()}
    slot = Slot.of(store, CRASH_HANDLER, facts)
    code = slot.get()
    if code is None:
        code = object_code(parse(module))
        slot.put(code)
    return code
