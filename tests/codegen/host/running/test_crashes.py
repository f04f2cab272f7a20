"""Signals while a kernel runs, and while none does: who hears of them, and that they are told."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.tileir.cutile.programs import python

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")

START = """\
import ctypes, faulthandler, mmap, os, signal
from tileir.codegen.host.running.crashes import crashes, text
"""
RUN = "crashes().enter(text('k (k.py:1)', 'look')); "
SENTENCE = "k (k.py:1) crashed (SIGSEGV): it accessed memory that is not there; look"


@pytest.mark.parametrize("run", ["crashes(); ", RUN])
@pytest.mark.parametrize(
    "send", ["os.kill(os.getpid(), signal.SIGSEGV)", "signal.raise_signal(signal.SIGSEGV)"]
)
def test_a_signal_that_is_sent_ends_the_process(run: str, send: str) -> None:
    done = python("-c", f"{START}{run}{send}\nprint('survived')")
    assert (done.returncode, done.stdout) == (-signal.SIGSEGV, "")
    assert done.stderr.splitlines() == ([SENTENCE] if run == RUN else [])


def test_who_handled_a_signal_before_hears_of_it() -> None:
    """`faulthandler` has its own stack, and flags that only `sigaction` keeps."""
    done = python("-c", f"{START}faulthandler.enable(); {RUN}ctypes.string_at(0)")
    assert done.returncode == -signal.SIGSEGV
    assert done.stderr.splitlines()[:2] == [SENTENCE, "Fatal Python error: Segmentation fault"]
    handler = "signal.signal(signal.SIGSEGV, lambda *_: print('heard')); "
    done = python("-c", f"{START}{handler}{RUN}signal.raise_signal(signal.SIGSEGV)")
    assert (done.returncode, done.stdout) == (0, "heard\n")


def test_what_handled_a_signal_before_keeps_its_flags() -> None:
    """What `sigaction` told of before is what it tells of after: function, mask, and flags.

    In glibc's struct the flags come behind 128 bytes of mask, of which few are used; in macOS's
    struct all is in front.
    The signal is blocked when the handler is called, so what it raises does not end the process.
    """
    told = """\
libc.sigaction(11, None, one := ctypes.create_string_buffer(256))
print((one.raw[:16] + one.raw[136:140]).hex())"""
    lines = [
        START + "libc = ctypes.CDLL(None); faulthandler.enable()",
        told,
        "handler = crashes()._engine.get_function_address('crashed')",
        "signal.pthread_sigmask(signal.SIG_BLOCK, [11])",
        "ctypes.CFUNCTYPE(None, ctypes.c_int)(handler)(11)",
        told,
        "print('pending' if 11 in signal.sigpending() else 'lost')",
    ]
    done = python("-c", "\n".join(lines))
    before, after, pending = done.stdout.splitlines()
    assert before == after
    assert int(before, 16), "faulthandler has a handler"
    assert pending == "pending"


@pytest.mark.parametrize(
    "address",
    [
        "text('k (k.py:1)', 'look')",
        "ctypes.addressof(crashes()._said) - 1",
        "ctypes.addressof(crashes()._said) + mmap.PAGESIZE",
    ],
)
def test_a_kernel_cannot_overwrite_what_is_told(address: str) -> None:
    """Writing to it is a crash itself, and that is told."""
    done = python("-c", f"{START}{RUN}ctypes.memset({address}, 0, 1); print('written')")
    assert (done.returncode, done.stdout) == (-signal.SIGSEGV, "")
    assert done.stderr.splitlines() == [SENTENCE]


def test_the_handler_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next process finds it in the cache of compiled modules."""
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path))
    ask = "print(crashes() is crashes())"
    assert python("-c", START + ask).stdout == "True\n"
    (entry,) = tmp_path.iterdir()
    never = "import tileir.codegen.host.running.crashes as c; c.object_code = None\n"
    assert python("-c", START + never + ask).stdout == "True\n"
    entry.unlink()
    assert python("-c", START + never + ask).returncode == 1
