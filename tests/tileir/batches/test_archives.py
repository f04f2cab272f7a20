"""Modules in archives and at URLs: what is in them, and archives that are not to be believed."""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tileir.__main__ import main
from tileir.batches import archives
from tileir.batches.sources import distinct, sources
from tileir.command_line.exit_codes import UsageError
from tileir.errors import MissingPackageError

from .test_manifest import INLINE

TEXT = "cuda_tile.module @m {}\n"
KINDS = {".zip": "zip", ".tar": "tar", ".tar.gz": "gztar", ".tar.bz2": "bztar", ".tar.xz": "xztar"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with five files in `k`, of which three are modules."""
    monkeypatch.chdir(tmp_path)
    for name in ("b.mlir", "a.tileirbc", "a.json", "deep/c.mlir", "notes.txt"):
        path = tmp_path / "k" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{TEXT}// {name}")
    return tmp_path


def read(*paths: str) -> dict[str, bytes]:
    return {each.name: each.read() for each in distinct(sources(paths))}


@pytest.mark.parametrize("end", KINDS)
def test_an_archive_has_what_the_folder_has(folder: Path, end: str) -> None:
    shutil.make_archive("made", KINDS[end], ".", "k")
    below = read("k")
    archive = f"made{end}"
    assert read(archive) == {f"{archive}!{name}": data for name, data in below.items()}
    assert read(f"{archive}!k/b.mlir") == {f"{archive}!k/b.mlir": below["k/b.mlir"]}
    for each in sources([f"./{archive}"]):
        if each.below == "k/a.tileirbc":
            assert each.beside(".json") == Path("k/a.json").read_bytes()
        else:
            with pytest.raises(FileNotFoundError):
                each.beside(".json")
    with pytest.raises(UsageError, match="there is no module in"):
        read(f"{archive}!k/none.mlir")


def test_the_command_writes_what_it_makes_of_members(folder: Path) -> None:
    kernel = FIXTURES / "13.4" / "vector_add.tileirbc"
    for name in ("a", "deep/c"):
        shutil.copy(kernel, f"k/{name}.tileirbc")
    shutil.make_archive("made", "zip", ".", "k")
    done = call(main, "batch", "dis", *INLINE, "-o", "out", "--suffix", ".tileirbc", "made.zip")
    assert (done.returncode, done.stdout) == (0, "2 done\n")
    made = sorted(path for path in Path("out").rglob("*") if path.is_file())
    names = ["made.zip!k/a.tileirbc.mlir", "made.zip!k/deep/c.tileirbc.mlir"]
    assert [path.relative_to("out").as_posix() for path in made] == names
    assert {path.read_text() for path in made} == {call(main, "dis", kernel).stdout}


def tar(members: dict[str, bytes | tarfile.TarInfo], path: str = "made.tar") -> str:
    with tarfile.open(path, "w:gz" if path.endswith("gz") else "w") as archive:
        for name, data in members.items():
            info = data if isinstance(data, tarfile.TarInfo) else tarfile.TarInfo(name)
            if isinstance(data, bytes):
                info.size = len(data)
            archive.addfile(info, io.BytesIO(data) if isinstance(data, bytes) else None)
    return path


def zipped(members: dict[str, bytes], mode: int = 0) -> str:
    with zipfile.ZipFile("made.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return "made.zip"


OUT = ["../a.mlir", "k/../../a.mlir", "/a.mlir", "..\\a.mlir", "C:\\a.mlir", "\\\\host\\share\\a"]


@pytest.mark.parametrize("name", OUT)
def test_no_name_leads_out(folder: Path, name: str) -> None:
    """Whatever the system; nothing of such an archive is done, not even what comes before."""
    for path in (tar({"a.mlir": b"", name: b""}), zipped({"a.mlir": b"", name: b""})):
        done = call(main, "batch", "dis", *INLINE, "-o", "out", path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"tileir batch: {path} is refused: the path of its member ")
    assert not Path("out").exists()


def test_links_in_the_place_of_modules_are_refused(folder: Path) -> None:
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
        link = tarfile.TarInfo("link.mlir")
        link.type, link.linkname = kind, "/etc/passwd"
        with pytest.raises(UsageError, match=r"its member link\.mlir is no file"):
            read(tar({"a.mlir": b"", "link": link}))
        link.name = "link.so"  # of no interest
        assert read(tar({"a.mlir": b"", "link": link})) == {"made.tar!a.mlir": b""}
    with pytest.raises(UsageError, match=r"its member a\.mlir is no file"):
        read(zipped({"a.mlir": b"/etc/passwd"}, 0o120777))


def test_what_expands_too_much_is_refused(folder: Path, monkeypatch) -> None:
    """A member of a zip when it is read; a tar, which is expanded whole, before."""
    monkeypatch.setattr(archives, "FREE", 1 << 20)
    bomb = bytes(4 << 20)
    assert len(bomb) > archives.RATIO * Path(zipped({"a.mlir": bomb})).stat().st_size
    done = call(main, "batch", "verify", *INLINE, "made.zip")
    expands = "it expands to more than 200 times its bytes; unpack it yourself"
    told = f"tileir batch: made.zip!a.mlir: made.zip: {expands}\n"
    assert (done.returncode, done.stderr) == (1, told)
    done = call(main, "batch", "verify", *INLINE, tar({"a.mlir": bomb}, "made.tar.gz"))
    assert (done.returncode, done.stderr) == (2, f"tileir batch: made.tar.gz: {expands}\n")
    assert read(tar({"a.mlir": bomb})) == {"made.tar!a.mlir": bomb}


def test_members_are_limited_in_size_and_number(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr("tileir.batches.sources.MOST_BYTES", 1 << 20)
    for path in (tar({"a.mlir": bytes(1 << 20)}), zipped({"a.mlir": bytes(1 << 20)})):
        assert list(map(len, read(path).values())) == [1 << 20]
    for path in (tar({"a.mlir": bytes(1 + (1 << 20))}), zipped({"a.mlir": bytes(1 + (1 << 20))})):
        with pytest.raises(OSError, match="more than 1 MiB, which no module has"):
            read(path)
    monkeypatch.setattr(archives, "MOST_MEMBERS", 2)
    for made in (tar, zipped):
        assert len(read(made({"a.mlir": b"", "b.mlir": b""}))) == 2
        with pytest.raises(UsageError, match="has more than 2 members"):
            read(made({"a.mlir": b"", "b.mlir": b"", "c": b""}))


def test_a_header_is_not_as_long_as_it_says(folder: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, (1 << 33) - 1
    Path("made.tar").write_bytes(info.tobuf() + bytes(4 << 20))
    with pytest.raises(UsageError, match=r"made\.tar is no archive that can be read: a header of"):
        read("made.tar")


def test_of_several_members_of_one_name_the_last_counts(folder: Path) -> None:
    """As `tar` has it, which updates an archive by adding to it."""
    tar({"a.mlir": b"old"})
    with tarfile.open("made.tar", "a") as archive:
        info = tarfile.TarInfo("./a.mlir")
        info.size = 3
        archive.addfile(info, io.BytesIO(b"new"))
    assert read("made.tar") == {"made.tar!a.mlir": b"new"}


@pytest.mark.parametrize("end", KINDS)
def test_damage_is_told(folder: Path, end: str) -> None:
    """Cut anywhere, changed anywhere: modules, a failure, or one line; nothing else."""
    path = Path(shutil.make_archive("made", KINDS[end], ".", "k"))
    whole = path.read_bytes()
    step = max(1, len(whole) // 12)
    cut = [whole[:size] for size in range(0, len(whole), step)]
    changed = [
        whole[:n] + bytes([whole[n] ^ 0x55]) + whole[n + 1 :] for n in range(0, len(whole), step)
    ]
    told = 0
    for data in (*cut, *changed):
        path.write_bytes(data)
        done = call(main, "batch", "stats", *INLINE, path.name)
        assert done.returncode in (0, 1, 2), done.stderr
        told += done.returncode != 0
    assert told


@pytest.fixture
def memory(folder: Path) -> Iterator[str]:
    """The files of `k` in a file system of fsspec that is no disk."""
    fsspec = pytest.importorskip("fsspec", reason="fsspec is part of tileir[batch]")
    fs, root = fsspec.filesystem("memory"), f"/{uuid.uuid4().hex}"
    fs.put("k", f"{root}/k", recursive=True)
    shutil.make_archive("made", "gztar", ".", "k")
    shutil.make_archive("made", "zip", ".", "k")
    for name in ("made.tar.gz", "made.zip"):
        fs.put(name, f"{root}/{name}")
    yield f"memory:/{root}"
    fs.rm(root, recursive=True)


def test_urls(memory: str) -> None:
    name = memory.removeprefix("memory://")
    below = read("k")
    assert read(f"{memory}/k") == {f"{name}/{each}": data for each, data in below.items()}
    assert list(read(f"{memory}/k/*.mlir")) == [f"{name}/k/b.mlir"]
    assert list(read(f"{memory}/k/notes.txt")) == [f"{name}/k/notes.txt"]
    for archive in ("made.tar.gz", "made.zip"):
        assert read(f"{memory}/{archive}") == {
            f"{name}/{archive}!{each}": data for each, data in below.items()
        }
    known = {each.below: each for each in sources([f"{memory}/k"])}
    assert sorted(known) == ["a.tileirbc", "b.mlir", "deep/c.mlir"]
    assert known["a.tileirbc"].beside(".json") == Path("k/a.json").read_bytes()
    with pytest.raises(FileNotFoundError):
        known["b.mlir"].beside(".json")


def test_urls_of_this_machine_are_paths(folder: Path) -> None:
    pytest.importorskip("fsspec", reason="fsspec is part of tileir[batch]")
    Path("k/out.mlir").symlink_to("/etc/passwd")
    assert read(f"file://{folder}/k") == read(str(folder / "k"))


def test_urls_where_nothing_is(memory: str, monkeypatch) -> None:
    for url, problem in (
        (f"{memory}/none", "there is no memory:"),
        (f"{memory}/k/deep/*.cubin", "there is no module in memory:"),
        ("nothing://a/b", "nothing://a/b: Protocol not known: nothing"),
        (f"zip://k::{memory}/made.zip", "a chain of URLs is not followed"),
    ):
        with pytest.raises(UsageError, match=problem):
            read(url)
    for name in ("fsspec", "fsspec.core"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPackageError, match=r"reading s3://b needs fsspec"):
        read("s3://b")


@pytest.mark.parametrize("reads", [0, 1, 2, 3, 4])
def test_a_store_that_fails_is_told_for_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: int
) -> None:
    """Packages that fsspec finds raise what they like, wherever in an archive that happens."""
    fsspec = pytest.importorskip("fsspec")
    from fsspec.implementations.memory import MemoryFile

    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a.mlir", "cuda_tile.module @m {}\n")
    fsspec.filesystem("memory").pipe_file("/x.zip", made.getvalue())
    done: list[int] = []

    def read(self: MemoryFile, size: int = -1) -> bytes:
        done.append(size)
        if len(done) > reads:
            raise KeyError("the store is gone")
        return io.BytesIO.read(self, size)

    monkeypatch.setattr(MemoryFile, "read", read, raising=False)
    told = call(main, "batch", "verify", *INLINE, "memory://x.zip")
    assert told.returncode in (1, 2)
    assert "/x.zip: KeyError: 'the store is gone'" in told.stderr
    assert len(told.stderr.splitlines()) == 1
