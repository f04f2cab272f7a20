"""Stores that fail, hang, are full or read-only: a warning each, and never another result."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.codegen.cache.shared_jobs import NAMES, Machine, compile_all, entry_of, module
from tileir.codegen.cache import shared as shared_module
from tileir.codegen.cache.key import CUBIN
from tileir.codegen.cache.remote_files import RemoteFiles
from tileir.codegen.cache.shared import SharedStore


class Faulty(RemoteFiles):
    """Files whose requests go wrong; `asked` are the requests, `fails` may raise."""

    asked: list[str] = []
    fails: Callable[[str, int], None]

    def _request(self, verb: str) -> None:
        self.asked.append(verb)
        type(self).fails(verb, len(self.asked))

    def read(self, path: str, most: int) -> bytes | None:
        self._request("read")
        return super().read(path, most)

    def add(self, path: str, data: bytes) -> bool:
        self._request("write")
        return super().add(path, data)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Makes requests go wrong from now on; returns the list of requests."""

    def make(fails: Callable[[str, int], None], patience: float = 10.0) -> list[str]:
        asked: list[str] = []
        faulty = type("Faulty", (Faulty,), {"asked": asked, "fails": staticmethod(fails)})
        monkeypatch.setattr(
            shared_module,
            "store_of",
            lambda url, key_file: SharedStore(url, None, faulty, patience),
        )
        return asked

    return make


def one_in_ten(verb: str, number: int) -> None:
    if number % 10 == 3:
        raise ConnectionResetError(errno.ECONNRESET, "the peer is gone")


def test_one_request_in_ten_fails(
    machine: Machine, store: Path, failing, compiled: list[str], expected: list[Any]
) -> None:
    asked = failing(one_in_ten)
    for round_ in range(3):
        machine(store)
        with pytest.warns(RuntimeWarning, match="ConnectionResetError.*the peer is gone") as told:
            assert compile_all() == expected
        assert len(told) == 1, [str(each.message) for each in told]
        if round_ == 0:
            assert len(compiled) == len(NAMES)
    assert len(asked) >= 30
    assert len(NAMES) < len(compiled) < 3 * len(NAMES), "most requests are of use"


def test_a_store_that_is_gone(
    machine: Machine, store: Path, failing, expected: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After three requests in vain nobody asks any more, for a while."""

    def gone(verb: str, number: int) -> None:
        raise OSError(errno.EHOSTUNREACH, "no route to host")

    asked = failing(gone)
    machine(store)
    with pytest.warns(RuntimeWarning, match="no route to host") as told:
        assert compile_all() == expected
    assert len(told) == 1
    assert [asked.count("read"), asked.count("write")] == [3, 3]
    now = shared_module.time.monotonic()
    monkeypatch.setattr(shared_module.time, "monotonic", lambda: now + 61)
    tileir.compile(module("softmax"), "sm_90")
    assert [asked.count("read"), asked.count("write")] == [4, 4]


def test_a_store_that_does_not_answer(
    machine: Machine, store: Path, failing, expected: list[Any]
) -> None:
    """One request is waited for, and no other is made."""
    over = threading.Event()
    asked = failing(lambda verb, number: over.wait(60) and None, patience=0.02)
    machine(store)
    with pytest.warns(RuntimeWarning, match="no answer within 0.02 s") as told:
        assert compile_all() == expected
    assert (len(told), asked) == (1, ["read"])
    over.set()


@pytest.mark.parametrize(
    "problem",
    [
        OSError(errno.EROFS, "Read-only file system"),
        OSError(errno.ENOSPC, "No space left on device"),
        PermissionError(errno.EACCES, "Permission denied"),
        NotImplementedError("no such thing"),
    ],
    ids=lambda problem: type(problem).__name__ + str(problem.args[0]),
)
def test_a_store_that_is_full_or_read_only(
    problem: Exception,
    machine: Machine,
    store: Path,
    failing,
    compiled: list[str],
    expected: list[Any],
) -> None:
    """It still gives what it has, and is not written to in vain again."""

    def refuse(verb: str, number: int) -> None:
        if verb == "write":
            raise problem

    machine(store)
    tileir.compile(module(), "sm_90")
    asked = failing(refuse)
    machine(store)
    with pytest.warns(RuntimeWarning, match=str(problem.args[-1])) as told:
        assert compile_all() == expected
    assert (len(told), asked.count("write")) == (1, 1)
    assert len(compiled) == len(NAMES)


def test_errors_that_nobody_expects(machine: Machine, store: Path, failing) -> None:
    """Packages that fsspec finds raise what they like."""

    class Odd(Exception):
        def __init__(self) -> None:
            super().__init__("with a\nsecond line and https://me:secret@there/x?sign=secret")

    def odd(verb: str, number: int) -> None:
        raise Odd

    failing(odd)
    machine(store)
    with pytest.warns(RuntimeWarning, match="Odd: with a; what it does not give") as told:
        tileir.compile(module(), "sm_90")
    assert "secret" not in str(told[0].message)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("nothing://x/y", "Protocol not known: nothing"),
        ("file:///dev/null/x", "Not a directory"),
        (
            "nonsense",
            "'nonsense' is neither a URL, such as s3://bucket/tileir, nor an absolute path",
        ),
    ],
)
def test_urls_that_lead_nowhere(url: str, problem: str, machine: Machine) -> None:
    machine(url)
    with pytest.warns(RuntimeWarning, match=problem) as told:
        tileir.compile(module(), "sm_90")
    assert len(told) == 1


def test_without_fsspec(machine: Machine, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    machine(store)
    with pytest.warns(RuntimeWarning, match='pip install "fsspec>=2024') as told:
        tileir.compile(module(), "sm_90")
    assert len(told) == 1


def test_passwords_are_not_told() -> None:
    shown = SharedStore("s3://user:secret@host/bucket?x=secret").shown
    assert shown == "s3://...@host/bucket?..."
    assert SharedStore("file:///a/b").shown == "file:///a/b"


def test_after_a_fork_connections_are_made_anew(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_files(url: str) -> RemoteFiles:
        opened.append(url)
        return RemoteFiles(url)

    shared = SharedStore(str(store), None, open_files)
    for count in (1, 2):
        for _ in range(2):
            assert shared.put(*entry_of(CUBIN))
            assert shared.get(entry_of(CUBIN)[0]) == entry_of(CUBIN)[1]
        assert len(opened) == count
        monkeypatch.setattr(os, "getpid", lambda: 1)
