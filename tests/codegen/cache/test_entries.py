"""An entry with a right checksum and wrong contents is no error, and replaced where it can be."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.corpus import FIXTURES
from tileir.codegen import host
from tileir.codegen.cache.slot import Slot
from tileir.codegen.cache.store import Cache
from tileir.codegen.host.machine.machine_code import MachineCode

MODULE = FIXTURES / "13.4" / "check_values.tileirbc"
ODD: tuple[Any, ...] = (None, True, -1, 1 << 70, 1.5, "", "x", [], ["x"], [None], {}, {"a": 1})


class OneEntry:
    """A store that has one thing, whoever asks."""

    def __init__(self, contents: bytes) -> None:
        self.slot = Slot.of(self, "machine code", {})
        self._entry = self.slot.key.line + b"\n" + contents

    def get(self, name: str) -> bytes:
        return self._entry

    def put(self, name: str, entry: bytes) -> bool:
        raise AssertionError("nothing is to be written")


def restore(contents: bytes) -> host.HostCompilation | None:
    """What a store that has these bytes gives for them."""
    return host.restore(OneEntry(contents).slot, lambda: pytest.fail("compiled again"))


@pytest.fixture(scope="module")
def entry() -> bytes:
    """What is kept of a kernel with every kind of site."""
    options = {"check": ("memory", "undefined"), "cache": False}
    return tileir.compile(MODULE.read_bytes(), "host", **options).to_bytes()


def head_of(data: bytes) -> tuple[dict, bytes]:
    """The line of JSON, and what follows it."""
    line, rest = data.split(b"\n", 1)
    return json.loads(line), rest


def with_head(head: object, rest: bytes) -> bytes:
    return json.dumps(head).encode() + b"\n" + rest


def places(value: object) -> Iterator[tuple[Any, Any]]:
    """Every dict or list inside, with every key."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(min(len(value), 3)):
            yield value, key
            yield from places(value[key])


def test_every_field_missing_or_odd(entry: bytes) -> None:
    """Only what is a right value of its field is taken."""
    head, rest = head_of(entry)
    assert restore(entry) is not None
    assert {site["kind"] for site in head["entries"][0]["sites"]} >= {"access", "assert"}
    refused = tried = 0
    for holder, key in list(places(head)):
        before = holder[key]
        for odd in ODD:
            holder[key] = odd
            tried += 1
            refused += restore(with_head(head, rest)) is None
        holder[key] = before
        if isinstance(holder, dict):
            del holder[key]
            assert restore(with_head(head, rest)) is None, key
            holder[key] = before
            holder["besides"] = 1
            assert restore(with_head(head, rest)) is None, key
            del holder["besides"]
    assert restore(with_head(head, rest)) is not None
    assert refused > 0.8 * tried


DAMAGES: dict[str, Callable[[dict, bytes], bytes]] = {
    "nothing": lambda head, rest: b"",
    "no line": lambda head, rest: b"x" * 50,
    "no JSON": lambda head, rest: b"{\n" + rest,
    "no text": lambda head, rest: b"\xff\xfe\n" + rest,
    "nested": lambda head, rest: b"[" * 200_000 + b"\n" + rest,
    "a list": lambda head, rest: with_head([head], rest),
    "no object": lambda head, rest: with_head({**head, "object": 0}, rest),
    "half an object": lambda head, rest: with_head({**head, "object": head["object"] // 2}, rest),
    "a cut object": lambda head, rest: with_head(head, rest[: head["object"] // 2]),
    "an object of zeros": lambda head, rest: with_head(
        head, bytes(head["object"]) + rest[head["object"] :]
    ),
    "no IR": lambda head, rest: with_head(head, rest[: head["object"]]),
    "a cut IR": lambda head, rest: with_head(head, rest[:-3]),
    "IR that is no text": lambda head, rest: with_head(
        head, rest[: head["object"]] + zlib.compress(b"\xff")
    ),
    "another symbol": lambda head, rest: with_head(
        {**head, "entries": [{**head["entries"][0], "symbol": "nobody"}]}, rest
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_parts(damage: str, entry: bytes) -> None:
    assert restore(DAMAGES[damage](*head_of(entry))) is None


def test_what_the_corpus_has_is_read_as_it_was_written() -> None:
    """No kind of site is written that is not taken."""
    for name in ("print_values", "check_values", "gather_2d", "integer_division", "scaled_copy"):
        data = (FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes()
        for check in ((), ("memory", "undefined")):
            stored = tileir.compile(data, "host", check=check, cache=False).to_bytes()
            assert MachineCode.from_bytes(stored).to_bytes() == stored
    traced = (FIXTURES / "13.4" / "softmax.tileirbc").read_bytes()
    stored = tileir.compile(traced, "host", trace="reduce", cache=False).to_bytes()
    assert MachineCode.from_bytes(stored).to_bytes() == stored


# In the folder -----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path))
    return tmp_path


def compiled_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Compile; whether that found nothing in the cache."""
    missed = []
    put = Cache.put

    def note(cache: Cache, name: str, contents: bytes) -> bool:
        missed.append(name)
        return put(cache, name, contents)

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put", note)
        compilation = tileir.compile(MODULE.read_bytes(), "host")
    assert list(compilation) == ["check_values"]
    return bool(missed)


def put_pipe(path: Path) -> None:
    os.mkfifo(path)


def put_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def put_loop(path: Path) -> None:
    path.symlink_to(path.name)


def put_dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def put_huge(path: Path) -> None:
    """A sparse file, larger than the whole cache may be."""
    with path.open("wb") as file:
        file.truncate(1 << 40)


REPLACED = (put_pipe, put_device, put_loop, put_dangling, put_huge)


@pytest.mark.parametrize("put", REPLACED)
def test_what_is_no_file_is_replaced(put, folder: Path, monkeypatch) -> None:
    assert compiled_again(folder, monkeypatch)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.unlink()
    put(path)
    assert compiled_again(folder, monkeypatch)
    assert not path.is_symlink()
    assert path.read_bytes() == whole
    assert not compiled_again(folder, monkeypatch)


def test_wrong_contents_are_replaced(folder: Path, monkeypatch) -> None:
    compiled_again(folder, monkeypatch)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    Cache(folder, 1 << 30).put(path.stem, b"{}\n")
    assert path.read_bytes() != whole
    assert compiled_again(folder, monkeypatch)
    assert path.read_bytes() == whole
    assert not compiled_again(folder, monkeypatch)


def test_the_entry_of_another_kernel_is_replaced(folder: Path, monkeypatch) -> None:
    """A copy under another name has a right checksum of the wrong kernel."""
    compiled_again(folder, monkeypatch)
    (path,) = folder.iterdir()
    tileir.compile((FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes(), "host")
    (other,) = set(folder.iterdir()) - {path}
    path.write_bytes(other.read_bytes())
    assert compiled_again(folder, monkeypatch)


def test_a_folder_in_the_place_of_an_entry(folder: Path, monkeypatch) -> None:
    compiled_again(folder, monkeypatch)
    (path,) = folder.iterdir()
    path.unlink()
    path.mkdir()
    assert compiled_again(folder, monkeypatch)
    assert list(folder.iterdir()) == [path]


def test_an_entry_that_may_not_be_read(folder: Path, monkeypatch) -> None:
    compiled_again(folder, monkeypatch)

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    name = next(folder.iterdir()).stem
    assert Cache(folder, 1 << 30).get(name) is not None
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert Cache(folder, 1 << 30).get(name) is None
