"""A store that machines share: what it saves them, and that its failures cost time only."""

from __future__ import annotations

import errno
import os
import shutil
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import pytest

import tileir
from tests.codegen.cache.shared_jobs import (
    NAMES,
    Machine,
    compile_all,
    entry_of,
    everything,
    module,
)
from tileir.codegen import cubins
from tileir.codegen.cache import folder as cache_folder
from tileir.codegen.cache import shared as shared_module
from tileir.codegen.cache.key import CRASH_HANDLER, MACHINE_CODE, PORTABLE, PTX
from tileir.codegen.cache.layers import Layers
from tileir.codegen.cache.remote_files import RemoteFiles
from tileir.codegen.cache.shared import SharedStore
from tileir.codegen.cache.store import Cache
from tileir.tools import nvidia

SECRET = "a key of more than sixteen bytes"


def entries(store: Path) -> list[Path]:
    return sorted(path for path in store.rglob("*") if path.is_file())


# What it saves ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["file", "memory", "path"])
def test_the_second_machine_compiles_nothing(
    kind: str, machine: Machine, store: Path, compiled: list[str], expected: list[Any]
) -> None:
    fsspec.filesystem("memory").store.clear()
    url = {"file": f"file://{store}", "memory": "memory://a/store", "path": store}[kind]
    machine(url)
    assert compile_all() == expected
    assert len(compiled) == len(NAMES)
    machine(url)
    assert compile_all() == expected
    assert len(compiled) == len(NAMES)
    shutil.rmtree(store, ignore_errors=True)
    fsspec.filesystem("memory").store.clear()
    assert compile_all() == expected, "from the cache in front"
    assert len(compiled) == len(NAMES)


def test_cubins_are_shared(
    machine: Machine, store: Path, monkeypatch: pytest.MonkeyPatch, expected: list[Any]
) -> None:
    made: list[str] = []
    monkeypatch.setattr(nvidia, "ptxas_version", lambda: "a ptxas")
    monkeypatch.setattr(nvidia, "assemble", lambda *_: made.append("") or b"\x7fELF and more")
    for _ in range(2):
        machine(store)
        assert cubins.assembled(expected[0][1], "sm_90") == b"\x7fELF and more"
    assert len(made) == 1


def test_without_a_cache_of_its_own_a_machine_does_not_look(
    machine: Machine, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(store)
    monkeypatch.setenv("TILEIR_CACHE_DIR", "off")
    tileir.compile(module(), "sm_90")
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(store.with_name("own")))
    monkeypatch.setenv("TILEIR_CACHE_SHARED", "off")
    tileir.compile(module(), "sm_90")
    assert not store.exists()


# What it never holds ----------------------------------------------------------------------------


def test_machine_code_stays_on_its_machine(machine: Machine, store: Path) -> None:
    machine(store)
    assert list(tileir.compile(module("vector_add"), "host")) == ["vector_add"]
    assert entries(store) == []
    shared = SharedStore(str(store))
    for kind in (MACHINE_CODE, CRASH_HANDLER, "a kind of tomorrow"):
        assert kind not in PORTABLE
        assert not isinstance(cache_folder.find_store(kind), Layers)
        assert not shared.put(*entry_of(kind))
    assert entries(store) == []
    assert isinstance(cache_folder.find_store(PTX), Layers)


@pytest.mark.parametrize("kind", [MACHINE_CODE, CRASH_HANDLER])
@pytest.mark.parametrize("key", [None, SECRET.encode()])
def test_machine_code_that_somebody_has_put_there_is_not_taken(
    kind: str, key: bytes | None, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even with the right seal; under the name of an entry for a GPU it is not, either."""
    shared = SharedStore(str(store), key)
    name, entry = entry_of(kind)
    other, _ = entry_of(PTX)
    with monkeypatch.context() as patched:
        patched.setattr(shared_module, "portable", lambda *_: True)
        assert shared.put(name, entry)
        assert shared.put(other, entry)
        assert shared.get(name) == shared.get(other) == entry
    with pytest.warns(RuntimeWarning, match="is damaged"):
        assert shared.get(name) is None
    assert shared.get(other) is None


# Damage -----------------------------------------------------------------------------------------


def flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]


DAMAGES: dict[str, Callable[[bytes, bytes], bytes]] = {
    "a bit of the seal": lambda data, other: flip(data, 3),
    "a bit of the key": lambda data, other: flip(data, 60),
    "a bit at the end": lambda data, other: flip(data, len(data) - 1),
    "cut off": lambda data, other: data[: len(data) // 2],
    "cut off in the seal": lambda data, other: data[:31],
    "empty": lambda data, other: b"",
    "longer": lambda data, other: data + b"\0",
    "another entry": lambda data, other: other,
    "another entry, this seal": lambda data, other: data[:32] + other[32:],
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("key", ["", SECRET], ids=["no key", "a key"])
def test_damage(
    damage: str, key: str, machine: Machine, store: Path, tmp_path: Path, compiled: list[str]
) -> None:
    """All entries have it. That costs a compilation and a warning, and all are written anew."""
    file = tmp_path / "key"
    file.write_text(key)
    named = str(file) if key else ""
    expected = everything(tileir.compile(module(), "sm_90", cache=False))
    machine(store, named)
    tileir.compile(module(), "sm_90")
    whole = {path: path.read_bytes() for path in entries(store)}
    others = [*list(whole.values())[1:], next(iter(whole.values()))]
    for (path, data), other in zip(whole.items(), others, strict=True):
        path.write_bytes(DAMAGES[damage](data, other))
    compiled.clear()
    machine(store, named)
    with pytest.warns(RuntimeWarning, match="TILEIR_CACHE_SHARED: .*is damaged") as told:
        assert everything(tileir.compile(module(), "sm_90")) == expected
    assert len(told) == 1
    assert told[0].filename == __file__
    assert len(compiled) >= 1
    compiled.clear()
    machine(store, named)
    assert everything(tileir.compile(module(), "sm_90")) == expected
    assert compiled == []


def test_only_texts_are_damaged(machine: Machine, store: Path, compiled: list[str]) -> None:
    """Plans are found, and the PTX is then compiled once more."""
    machine(store)
    expected = tileir.compile(module(), "sm_90").ptx
    for path in entries(store):
        if b'"kind":"PTX"' in path.read_bytes():
            path.write_bytes(flip(path.read_bytes(), 40))
    compiled.clear()
    machine(store)
    made = tileir.compile(module(), "sm_90")
    assert compiled == []
    with pytest.warns(RuntimeWarning, match="is damaged"):
        assert made.ptx == expected
    assert compiled == ["raw_offsets"]


# Keys -------------------------------------------------------------------------------------------


def test_with_a_key_entries_of_others_are_refused(
    machine: Machine, store: Path, tmp_path: Path, compiled: list[str]
) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.write_text(SECRET + "\n")
    theirs.write_text(SECRET + " of others")

    def compiles(key: str = "") -> bool:
        machine(store, key)
        compiled.clear()
        tileir.compile(module(), "sm_90")
        return bool(compiled)

    assert compiles()
    assert not compiles()
    assert compiles(str(mine)), "what has no HMAC is not taken"
    assert not compiles(str(mine))
    assert compiles(str(theirs))
    assert not compiles(str(mine)), "keys do not disturb each other"
    assert not compiles()
    (folder,) = store.glob(f"key-{shared_module.fingerprint(SECRET.encode())}")
    for path in entries(folder):  # somebody copies what others have sealed to where mine are
        shutil.copy(store / path.relative_to(folder), path)
    with pytest.warns(RuntimeWarning, match="not sealed with the key"):
        assert compiles(str(mine))
    for path in entries(folder):
        (other,) = set(store.rglob(f"key-*/*/{path.name}")) - {path}
        shutil.copy(other, path)
    with pytest.warns(RuntimeWarning, match="not sealed with the key"):
        assert compiles(str(mine))


@pytest.mark.parametrize(
    ("contents", "problem"),
    [
        (None, "No such file"),
        (b"", "the key has 0 bytes, 16 are the fewest"),
        (b" too short \n", "the key has 9 bytes"),
    ],
)
def test_a_key_that_cannot_be_had(
    contents: bytes | None, problem: str, machine: Machine, store: Path, tmp_path: Path
) -> None:
    """Nothing is shared then: that somebody wants a key is known."""
    file = tmp_path / "key"
    if contents is not None:
        file.write_bytes(contents)
    machine(store, str(file))
    with pytest.warns(RuntimeWarning, match=f"TILEIR_CACHE_KEY_FILE: .*{problem}") as told:
        tileir.compile(module(), "sm_90")
    tileir.compile(module("vector_add"), "sm_90")
    assert len(told) == 1
    assert not store.exists()


# Writers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_the_first_entry_stays(kind: str, store: Path) -> None:
    fsspec.filesystem("memory").store.clear()
    url = str(store) if kind == "file" else "memory://first"
    files, others = RemoteFiles(url), RemoteFiles(url)
    assert files.add("ab/x", b"first")
    assert not others.add("ab/x", b"second")
    assert files.read("ab/x", 100) == b"first"
    assert files.read("ab/x", 2) == b"fir", "one byte more than asked for says that there are more"
    others.replace("ab/x", b"third")
    assert files.read("ab/x", 100) == b"third"
    assert files.read("ab/y", 100) is None
    assert files.sizes("", "x") == [5]
    files.remove("ab/x")
    assert files.sizes("", "x") == []


def test_two_compilers_that_disagree(store: Path) -> None:
    """What the first one has said stays, also if it is longer; the second one has its own."""
    first, second = SharedStore(str(store)), SharedStore(str(store))
    name, entry = entry_of(PTX)
    assert first.put(name, entry + b", and more")
    assert second.put(name, entry)
    assert first.get(name) == second.get(name) == entry + b", and more"


def test_many_writers_at_once(store: Path) -> None:
    """One of them wins, whole; nobody who has read it ever reads another."""
    start, seen = threading.Barrier(8), []

    def write(number: int) -> None:
        files = RemoteFiles(str(store))
        start.wait()
        for each in range(20):
            files.add(f"ab/{each}", bytes([number]) * 5000)
            seen.append((each, files.read(f"ab/{each}", 10_000)))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 160
    assert len(set(seen)) == 20
    assert all(len(data) == 5000 and len(set(data)) == 1 for _, data in seen)
    assert len(entries(store)) == 20, "nothing unfinished is left"


def test_a_writer_that_comes_second_at_the_last_moment(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = RemoteFiles(str(store))
    files.add("ab/x", b"first")
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    files.add("ab/x", b"second")
    assert files.read("ab/x", 100) == b"first"

    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    files.add("ab/y", b"whole")
    assert files.read("ab/y", 100) == b"whole"
    assert [path.name for path in entries(store)] == ["x", "y"]


def test_a_disk_that_is_full_in_the_middle(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    files = RemoteFiles(str(store))
    files.add("ab/x", b"first")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="full"):
        files.replace("ab/x", b"second")
    assert [path.read_bytes() for path in entries(store)] == [b"first"]


def test_others_may_read_what_is_written(store: Path) -> None:
    RemoteFiles(str(store)).add("ab/x", b"")
    (plain := store / "plain").write_bytes(b"")
    assert (store / "ab" / "x").stat().st_mode == plain.stat().st_mode


# The cache in front -----------------------------------------------------------------------------


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    """What the store has is used all the same."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    layers = Layers(Cache(blocked, 1 << 20), SharedStore(str(tmp_path / "store")))
    name, entry = entry_of(PTX)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not layers.put(name, entry)
        assert layers.get(name) == entry
