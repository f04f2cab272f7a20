"""A sentence about the kernel that ends the process, in front of a bare "Segmentation fault".

What nothing checks may overwrite anything, Python's memory too, so nothing of Python can run any
more when the signal comes. The handler is machine code that writes texts prepared before, and hands
the signal on to whoever handled it before: the process ends as it would have.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from tileir.codegen.host.machine.cpu import load, object_code, triple_and_layout
from tileir.codegen.llvm import parse

CAUSES = {
    "SIGSEGV": "it accessed memory that is not there",
    "SIGBUS": "it accessed memory that is not there",
    "SIGFPE": "it divided by zero, or the quotient does not fit",
    "SIGILL": "it ran into an instruction that this CPU does not have",
}
"""Signal -> what a kernel has done to get it."""

_CALLED = ("write", "signal", "sleep")
_HANDLER = """\
target triple = "{triple}"
target datalayout = "{layout}"

define void @crashed(i32 %signal) {{
entry:
  %number = zext i32 %signal to i64
  %length = atomicrmw xchg ptr inttoptr (i64 {length} to ptr), i64 -1 seq_cst
  switch i64 %length, label %tell [ i64 0, label %on
                                    i64 -1, label %wait ]
wait:
  %slept = call i32 inttoptr (i64 {sleep} to ptr)(i32 60)
  br label %on
tell:
  %text = load i64, ptr inttoptr (i64 {text} to ptr)
  %w = call i64 inttoptr (i64 {write} to ptr)(i32 2, i64 %text, i64 %length)
  %row = getelementptr [3 x i64], ptr inttoptr (i64 {rows} to ptr), i64 %number
  %cause = load i64, ptr %row
  %sizeat = getelementptr i64, ptr %row, i64 1
  %size = load i64, ptr %sizeat
  %v = call i64 inttoptr (i64 {write} to ptr)(i32 2, i64 %cause, i64 %size)
  br label %on
on:
  %mine = getelementptr [3 x i64], ptr inttoptr (i64 {rows} to ptr), i64 %number
  %beforeat = getelementptr i64, ptr %mine, i64 2
  %before = load i64, ptr %beforeat
  %s = call i64 inttoptr (i64 {signal} to ptr)(i32 %signal, i64 %before)
  ret void
}}
"""


class _Row(ctypes.Structure):
    """What is known of a signal: the text about its cause, and the handler before ours."""

    _fields_ = [("cause", ctypes.c_char_p), ("size", ctypes.c_int64), ("before", ctypes.c_void_p)]


class _Said(ctypes.Structure):
    """The text about the kernel that runs; its length is 0 while none does, -1 once it is told.

    Threads that crash while another one tells of it wait until that ends the process.
    """

    _fields_ = [("text", ctypes.c_char_p), ("length", ctypes.c_int64)]


class Crashes:
    """Tells of crashes of kernels from now on; at most one for a process.

    `advice` says how to find out more. On Windows, where there are no signals, nothing is told.
    """

    def __init__(self, advice: str) -> None:
        self._said = _Said()
        if os.name != "posix":
            return
        self._rows = (_Row * 64)()
        libc = ctypes.CDLL(None)
        write, replace, wait = (ctypes.cast(libc[name], ctypes.c_void_p).value for name in _CALLED)
        triple, layout = triple_and_layout()
        said = ctypes.addressof(self._said)
        text = _HANDLER.format(
            triple=triple,
            layout=layout,
            text=said + _Said.text.offset,
            length=said + _Said.length.offset,
            rows=ctypes.addressof(self._rows),
            write=write,
            signal=replace,
            sleep=wait,
        )
        self._engine = load(object_code(parse(text)))
        handler = self._engine.get_function_address("crashed")
        install = libc.signal
        install.restype, install.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_void_p)
        for name, cause in CAUSES.items():
            number = getattr(signal, name)
            line = f" crashed ({name}): {cause}; {advice}\n".encode()
            self._rows[number] = _Row(line, len(line), None)
            self._rows[number].before = install(number, handler)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))  # the handlers stay until the end

    @contextmanager
    def launch(self, kernel: bytes) -> Iterator[None]:
        """The kernel that a text names runs inside."""
        said = self._said
        before = said.text, said.length
        said.text, said.length = kernel, len(kernel)
        try:
            yield
        finally:
            said.length = 0
            said.text, said.length = before
