"""`tileir cache`: lists, shows, prunes, exports and imports; hostile files harm nobody."""

from __future__ import annotations

import io
import json
import os
import time
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.programs import call
from tileir.__main__ import main
from tileir.codegen import cubins
from tileir.codegen.cache import key
from tileir.codegen.cache.key import CRASH_HANDLER, CUBIN, LAUNCH_PLAN, MACHINE_CODE, PTX, Key
from tileir.codegen.cache.remote_files import RemoteFiles
from tileir.codegen.cache.store import SUFFIX, Cache
from tileir.codegen.nvptx.stored import READERS, text_to_bytes
from tileir.tools import nvidia

MODULE = FIXTURES / "13.4" / "raw_offsets.tileirbc"
TWO = FIXTURES / "13.4" / "two_entries.tileirbc"
CUBE = b"\x7fELF and the rest"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("TILEIR_CACHE_SIZE", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def filled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with a module for a GPU and its cubin, another one, and one for the CPU."""
    made = tileir.compile(MODULE.read_bytes(), "sm_80")
    with monkeypatch.context() as patched:
        patched.setattr(nvidia, "assemble", lambda *_: CUBE)
        patched.setattr(nvidia, "ptxas_version", lambda: "a ptxas")
        cubins.assembled(made.ptx, "sm_80")
    tileir.compile(TWO.read_bytes(), "sm_90")
    tileir.compile(TWO.read_bytes(), "host")
    return folder


def cache(*arguments: object) -> CompletedProcess[str]:
    return call(main, "cache", *arguments)


def listed() -> list[dict]:
    done = cache("list", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["compilations"]


def one(target: str, kind: str) -> dict:
    """The compilation for a target that has a part of a kind."""
    (found,) = (
        each
        for each in listed()
        if each["facts"]["target"] == target and kind in [part["kind"] for part in each["parts"]]
    )
    return found


def test_what_is_listed(filled: Path) -> None:
    done = cache("list")
    lines = done.stdout.splitlines()
    assert (done.returncode, len(lines)) == (0, 5)
    assert lines[-1].startswith(f"{filled}: 8 files, ")
    for each, line in zip(listed(), lines, strict=False):
        assert line.startswith(f"{each['id'][:12]}  {each['facts']['target']}")
        assert line.endswith(", ".join(each["kernels"]) or "cubin")
    gpu = one("sm_80", LAUNCH_PLAN)
    assert gpu["kernels"] == ["raw_offsets"]
    assert one("sm_90", PTX)["kernels"] == ["first", "second"]
    assert one("host", MACHINE_CODE)["kernels"] == ["first", "second"]
    assert one("sm_80", CUBIN)["bytes"] == sum(
        part["bytes"] for part in one("sm_80", CUBIN)["parts"]
    )
    assert gpu["current"]
    assert sum(each["bytes"] for each in listed()) == sum(
        path.stat().st_size for path in filled.iterdir()
    )


def test_what_is_shown(filled: Path, tmp_path: Path) -> None:
    gpu = one("sm_80", LAUNCH_PLAN)
    done = cache("show", gpu["id"][:9].upper())
    assert done.returncode == 0
    for fact in ("raw_offsets", "target: sm_80", "made_with: llvmlite", *gpu["facts"]):
        assert fact in done.stdout
    tree = json.loads(cache("show", gpu["id"], "--json").stdout)
    assert tree == {"schema": 1, "folder": str(filled), "compilation": gpu}
    made = tileir.compile(MODULE.read_bytes(), "sm_80", cache=False)
    out = tmp_path / "k.ptx"
    assert cache("show", gpu["id"], "--emit", "ptx", "-o", out).stdout == ""
    assert out.read_text() == made.ptx
    assert cache("show", gpu["id"], "--emit", "llvm").stdout == made.llvm_ir
    assert json.loads(cache("show", gpu["id"], "--emit", "plan").stdout) == made.plan
    cubin = one("sm_80", CUBIN)["id"]
    assert cache("show", cubin, "--emit", "cubin").stdout == CUBE.decode()
    for arguments, problem in [
        ((cubin, "--emit", "ptx"), "has no ptx; it has cubin"),
        ((cubin, "-o", out), "-o is where --emit writes"),
        (("abc",), "'abc' is too short"),
        (("0" * 64,), "; `tileir cache list` has the ids"),
    ]:
        done = cache("show", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert problem in done.stderr


def test_compile_uses_it(folder: Path) -> None:
    """And leaves it alone if asked to."""
    given = ("compile", "--target", "sm_80", MODULE)
    plain = call(main, *given, "--no-cache").stdout
    assert not folder.exists()
    assert call(main, *given).stdout == plain
    (entry,) = listed()
    for part in entry["parts"]:
        if part["kind"] == PTX:
            text = zlib.compress(b"from the cache")
            store, name = Cache(folder, 1 << 20), Path(part["file"]).stem
            line = store.get(name).partition(b"\n")[0]
            store.put(name, line + b"\n" + text)
    assert call(main, *given).stdout == "from the cache"
    assert call(main, *given, "--no-cache").stdout == plain
    staged = call(main, *given[:-1], "--emit", "stage:emit_ptx", MODULE)
    assert staged.stdout == plain, "what stages do is never from the cache"


def test_damaged_entries_are_marked(filled: Path) -> None:
    def marked() -> list[str]:
        lines = cache("list").stdout.splitlines()
        return [line for line in lines if line.startswith("damaged ") or "(damaged)" in line]

    assert marked() == []
    (part,) = (each for each in one("sm_80", PTX)["parts"] if each["kind"] == PTX)
    file = Path(part["file"])
    file.write_bytes(file.read_bytes()[:-1])
    lost = filled / f"{'a' * 64}{SUFFIX}"
    lost.write_bytes(b"no entry")
    row, line = marked()
    assert "PTX (damaged)" in row
    assert line.startswith("damaged ")
    assert line.endswith(str(lost))
    found = one("sm_80", PTX)
    assert {each["kind"]: each["damaged"] for each in found["parts"]}[PTX]
    assert sum(each["damaged"] for each in found["parts"]) == 1
    assert "PTX (damaged)" in cache("show", found["id"]).stdout
    (other,) = json.loads(cache("list", "--json").stdout)["others"]
    assert other == {"file": str(lost), "bytes": 8, "damaged": True}
    cache("prune")
    assert marked() == []


def test_toolkits_are_listed(filled: Path) -> None:
    release = filled / "toolkits" / "13.3.36"
    (release / "bin").mkdir(parents=True)
    (release / "bin" / "tileiras").write_bytes(bytes(5000))
    assert f"{release}: 1 file, 5,000 bytes" in cache("list").stdout.splitlines()
    assert json.loads(cache("list", "--json").stdout)["toolkits"] == [
        {"name": "13.3.36", "path": str(release), "files": 1, "bytes": 5000}
    ]
    cache("prune", "--all")
    assert (release / "bin" / "tileiras").exists()


def test_the_shared_store_is_told(folder: Path, tmp_path: Path, monkeypatch) -> None:
    done = cache("list", "--shared")
    assert (done.returncode, done.stdout) == (2, "")
    assert "TILEIR_CACHE_SHARED names none" in done.stderr
    assert json.loads(cache("list", "--json").stdout)["shared"] is None
    monkeypatch.setenv("TILEIR_CACHE_SHARED", str(tmp_path / "store"))
    tileir.compile(MODULE.read_bytes(), "sm_80")
    shown = f"shared: {tmp_path / 'store'}"
    assert cache("list").stdout.splitlines()[-1] == f"{shown}: no key"
    stored = [path.stat().st_size for path in (tmp_path / "store").rglob("*") if path.is_file()]
    line = cache("list", "--shared").stdout.splitlines()[-1]
    assert line == f"{shown}: 3 files, {sum(stored):,} bytes, no key"
    tree = json.loads(cache("list", "--shared", "--json").stdout)["shared"]
    assert (tree["entries"], tree["bytes"], tree["key"]) == (3, sum(stored), False)
    assert "store is left as it is" in cache("prune", "--all").stderr
    assert len([path for path in (tmp_path / "store").rglob("*") if path.is_file()]) == 3
    with monkeypatch.context() as patched:  # as in the list of a web server
        patched.setattr(RemoteFiles, "sizes", lambda *_: [None, None])
        assert "2 files, of unknown size" in cache("list", "--shared").stdout
    with monkeypatch.context() as patched:  # as of a web server that does not answer
        patched.setattr(RemoteFiles, "read", lambda *_: (_ for _ in ()).throw(OSError("gone")))
        patched.setattr(RemoteFiles, "sizes", lambda *_: [])
        assert cache("list", "--shared").returncode == 5
    monkeypatch.setenv("TILEIR_CACHE_SHARED", "nothing://me:other/secret@there/x")
    done = cache("list", "--shared")
    assert (done.returncode, done.stdout) == (5, "")
    assert "secret" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


# Pruned ------------------------------------------------------------------------------------------


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_what_nobody_can_use_is_removed(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (filled / "letter.txt").write_text("of the owner")
    before = files(filled)
    damaged, another, unfinished = ("a" * 64, "b" * 64, "." + "c" * 64)
    (filled / f"{damaged}{SUFFIX}").write_bytes(b"no entry")
    Cache(filled, 1 << 20).put(another, b"a right checksum, no line\n")
    for name in (f"{unfinished}{SUFFIX}.old.part", f"{unfinished}{SUFFIX}.new.part"):
        (filled / name).write_bytes(b"half of one")
    os.utime(filled / f"{unfinished}{SUFFIX}.old.part", (1, 1))
    everything = files(filled)
    assert "3 files, " in cache("prune", "--dry-run").stdout
    assert files(filled) == everything
    assert json.loads(cache("list", "--json").stdout)["others"]
    assert " removed, 9 files, " in cache("prune").stdout
    assert files(filled) == {*before, f"{unfinished}{SUFFIX}.new.part"}
    monkeypatch.setattr(key, "_own_code", lambda: "another compiler")
    assert "(another compiler)" in cache("list").stdout
    assert cache("prune").stdout.startswith("7 files, ")
    assert [part["kind"] for each in listed() for part in each["parts"]] == [CUBIN]
    assert cache("prune", "--all").stdout.endswith(" removed, 0 files, 0 bytes kept\n")
    assert files(filled) == {"letter.txt"}


def test_what_was_not_used_is_removed(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = one("sm_90", PTX)
    for part in old["parts"]:
        days = time.time() - 40 * 86_400
        os.utime(part["file"], (days, days))
    assert "0 files" in cache("prune", "--unused", "50").stdout
    assert cache("prune", "--unused", "30").stdout.startswith("3 files, ")
    left = files(filled)
    assert len(left) == 5
    sizes = sorted((path.stat().st_mtime_ns, path.stat().st_size) for path in filled.iterdir())
    assert cache("prune", "--size", sum(size for _, size in sizes) - 1).stdout.startswith("1 file,")
    assert "is no size" in cache("prune", "--size", "much").stderr
    assert cache("prune", "--unused", "-1").returncode == 2
    monkeypatch.setenv("TILEIR_CACHE_SIZE", "0")
    assert cache("prune").stdout.startswith("4 files, ")
    assert not files(filled)


def test_no_cache_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache("list").stdout.startswith(f"{folder}: 0 files, 0 bytes")
    assert cache("prune").stdout == "0 files, 0 bytes removed, 0 files, 0 bytes kept\n"
    assert "nothing to export" in cache("export", "-").stderr
    assert not folder.exists()
    monkeypatch.setenv("TILEIR_CACHE_DIR", "off")
    done = cache("list")
    assert (done.returncode, "there is no cache" in done.stderr) == (2, True)
    assert cache().returncode == 2
    assert "--dry-run" in cache("prune", "--help").stdout


# Exchanged ---------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What was exported, for another machine: its cache is empty."""
    file = tmp_path / "kernels.zip"
    done = cache("export", file)
    assert (done.returncode, done.stdout) == (0, "")
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / "elsewhere"))
    return file


def test_kernels_for_gpus_are_found_elsewhere(elsewhere: Path, tmp_path: Path, monkeypatch) -> None:
    plain = {
        path: tileir.compile(path.read_bytes(), target, cache=False)
        for path, target in ((MODULE, "sm_80"), (TWO, "sm_90"))
    }
    done = cache("import", elsewhere)
    assert done.stdout == "6 written, 0 were there, 0 refused\n"
    assert done.returncode == 0
    assert {part["kind"] for each in listed() for part in each["parts"]} == set(READERS) - {
        "PTX without twins"
    }
    monkeypatch.setattr("tileir.codegen.api._Request.compiled", lambda self: pytest.fail("again"))
    for path, made in plain.items():
        again = tileir.compile(path.read_bytes(), made.target)
        assert (again.ptx, again.plan, again.llvm_ir) == (made.ptx, made.plan, made.llvm_ir)
    assert "0 written, 6 were there" in cache("import", elsewhere).stdout
    assert cache("export", tmp_path / "again.zip").returncode == 0
    assert (tmp_path / "again.zip").read_bytes() == elsewhere.read_bytes()


def test_some_of_it_is_exported(filled: Path, tmp_path: Path) -> None:
    def exported(*arguments: object) -> int:
        file = tmp_path / "some.zip"
        assert cache("export", file, *arguments).returncode == 0
        with zipfile.ZipFile(file) as archive:
            return len(archive.namelist())

    assert exported() == 6
    assert exported("--target", "sm_80") == exported(one("sm_80", PTX)["id"][:8]) == 3
    for nothing in (one("host", MACHINE_CODE)["id"], one("sm_80", CUBIN)["id"], "--target=sm_75"):
        assert cache("export", tmp_path / "none.zip", nothing).returncode == 2
    assert not (tmp_path / "none.zip").exists()


def entry(kind: str, contents: bytes, **facts: object) -> tuple[str, bytes]:
    """A member that a right key leads to."""
    made = Key.of(kind, {"target": "sm_80", **facts})
    return made.name + SUFFIX, made.line + b"\n" + contents


TEXT = ".version 8.0\n" * 99
PLAIN = zlib.compress(TEXT.encode())
NAME, ENTRY = entry(PTX, PLAIN)
REFUSED: dict[str, tuple[str, bytes]] = {
    "machine code of a CPU": entry(MACHINE_CODE, b"{}"),
    "a handler of signals": entry(CRASH_HANDLER, b"\x7fELF"),
    "a cubin": entry(CUBIN, b"\x7fELF"),
    "another kind": entry("spell", b"abracadabra"),
    "under the key of machine code": (entry(MACHINE_CODE, b"")[0], ENTRY),
    "above the folder": (f"../{NAME}", ENTRY),
    "anywhere": (f"/tmp/{NAME}", ENTRY),
    "in a folder": (f"sub/{NAME}", ENTRY),
    "another file": ("own_code.sources", ENTRY),
    "a line too many": (NAME + "\n", ENTRY),
    "unfinished": (f".{NAME}.x.part", ENTRY),
    "no line": (NAME, b""),
    "no facts": ((lambda made: (made.name + SUFFIX, made.line + b"\n"))(Key.of_line(b"[1]"))),
    "facts in other words": (
        (lambda made: (made.name + SUFFIX, made.line + b"\n" + PLAIN))(
            Key.of_line(b'{"kind": "PTX"}')
        )
    ),
    "deep facts": (
        (lambda made: (made.name + SUFFIX, made.line + b"\n" + PLAIN))(
            Key.of_line(b"[" * 100_000)
        )
    ),
    "no text": entry(PTX, b"plain"),
    "half a text": entry(PTX, PLAIN[:-3]),
    "a text and more": entry(PTX, PLAIN + b"x"),
    "a text that never ends": entry(PTX, zlib.compress(bytes(1 << 20))),
    "a text of a thousand times its bytes": entry(PTX, zlib.compress(bytes(1 << 19))),
    "half of a character": entry(PTX, zlib.compress("\ud800".encode("utf-8", "surrogatepass"))),
    "a target that is no name": entry(PTX, PLAIN, target=[]),
    "no plans": entry(LAUNCH_PLAN, b"[]"),
    "deep plans": entry(LAUNCH_PLAN, b"[" * 100_000),
    "a plan of nothing": entry(LAUNCH_PLAN, b'{"apart":false,"plans":{"k":{}},"twins":[]}'),
}  # fmt: skip


def zipped(*members: tuple[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(out, "w", how) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, how)
    return out.getvalue()


def test_what_is_wrong_is_refused_alone(folder: Path, tmp_path: Path, monkeypatch) -> None:
    """Each with its name; the right one among them is taken, and nothing lies anywhere else."""
    monkeypatch.setattr("tileir.codegen.nvptx.stored._LONGEST", (1 << 20) - 1)
    file = tmp_path / "kernels.zip"
    file.write_bytes(zipped(*REFUSED.values(), (NAME, ENTRY)))
    done = cache("import", file)
    assert (done.returncode, done.stdout.partition(";")[0]) == (
        1, f"1 written, 0 were there, {len(REFUSED)} refused",
    )  # fmt: skip
    lines = done.stderr.splitlines()
    assert len(lines) == len(REFUSED)
    assert all(line.startswith("tileir cache: refused ") for line in lines)
    assert "machine code is not taken from elsewhere" in lines[0]
    assert files(tmp_path) == {"cache", "kernels.zip"}
    assert files(folder) == {NAME}
    found = Cache(folder, 1 << 20)
    assert found.get(Path(NAME).stem) == entry(PTX, text_to_bytes(TEXT))[1]
    name, data = REFUSED["a target that is no name"]  # of whatever put it there
    assert found.put(Path(name).stem, data)
    assert len(listed()) == 1


def broken(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


WHOLE = zipped((NAME, ENTRY))
DIRECTORY = WHOLE.index(b"PK\x01\x02")
BROKEN: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "a text": lambda: b"hello\n" * 99,
    "cut off": lambda: WHOLE[:-30],
    "no member where one is said to be": lambda: broken(WHOLE, DIRECTORY + 42, b"\xff\xff"),
    "encrypted": lambda: broken(WHOLE, DIRECTORY + 8, b"\x01"),
    "another compression": lambda: broken(WHOLE, DIRECTORY + 10, b"\x63"),
    "LZMA, which may ask for any memory": lambda: zipped((NAME, ENTRY), how=zipfile.ZIP_LZMA),
    "another length": lambda: broken(WHOLE, DIRECTORY + 24, b"\x05\x00\x00\x00"),
    "damaged": lambda: broken(WHOLE, 30 + len(NAME) + 8, b"\xff\x00\xff"),
    "another folder as its file": lambda: zipped(("kernels.zip/", b"")),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_file_is_one_line(how: str, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "kernels.zip"
    file.write_bytes(BROKEN[how]())
    done = cache("import", file)
    assert done.returncode in (1, 3)
    assert len(done.stderr.splitlines()) == 1
    assert "defect" not in done.stderr
    assert not folder.exists()


def test_no_more_is_read_than_the_cache_may_hold(folder: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("TILEIR_CACHE_SIZE", "1M")
    file = tmp_path / "kernels.zip"
    zeros = ((f"{number:064x}{SUFFIX}", bytes(1 << 18)) for number in range(4))
    file.write_bytes(zipped((NAME, ENTRY), *zeros))
    done = cache("import", file)
    assert done.returncode == 3
    assert "more than 1048576 bytes, the limit" in done.stderr
    monkeypatch.delenv("TILEIR_CACHE_SIZE")
    file.write_bytes(zipped((NAME, bytes(20 << 20))))
    assert "the limit" in cache("import", file).stderr
    assert cache("import", tmp_path / "nowhere").returncode == 2
    assert cache("import", tmp_path).returncode == 2


def test_a_folder_that_is_a_file_is_no_empty_cache(folder: Path, capsys) -> None:
    folder.write_bytes(b"")
    assert main(["cache", "list"]) == 2
    assert capsys.readouterr().err.endswith("is no folder\n")
