"""Paths of modules, and where what is made of them goes: never out of the folder."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from tests.programs import call
from tileir.__main__ import main
from tileir.batches.outputs import Made, Outputs
from tileir.batches.sources import distinct, name_of, sources
from tileir.command_line.exit_codes import UsageError

from .test_manifest import INLINE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("k/b.mlir", "k/a.tileirbc", "k/deep/c.mlir", "k/notes.txt", "k/x*y.mlir"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(*paths: str) -> list[str]:
    return [each.name for each in distinct(sources(paths))]


def test_folders_files_and_patterns(folder: Path) -> None:
    below = ["k/a.tileirbc", "k/b.mlir", "k/x*y.mlir", "k/deep/c.mlir"]
    assert names("k") == names("./k/") == names("k", "k/b.mlir", "./k") == below
    assert names("k/notes.txt") == ["k/notes.txt"]  # given by its name
    assert names("k/*.mlir") == ["k/b.mlir", "k/x*y.mlir"]
    assert names("k/x*y.mlir") == ["k/x*y.mlir"]
    assert names("k/**/c.*") == ["k/deep/c.mlir"]
    assert [each.read() for each in sources(["k"])] == [name.encode() for name in below]


def test_names_are_those_of_tar(folder: Path) -> None:
    assert name_of("/a/b.mlir") == "a/b.mlir"
    assert name_of("../../a/./c/../b.mlir") == "a/b.mlir"
    with pytest.raises(UsageError, match="is not the path of a file"):
        name_of("..")


def test_two_modules_of_one_name(folder: Path, monkeypatch) -> None:
    os.mkdir("k/deep/k")
    Path("k/deep/k/b.mlir").write_text("another")
    monkeypatch.chdir("k/deep")
    with pytest.raises(UsageError, match=r"k/b\.mlir, as another module is"):
        names("k", "../../k")


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("nothing", "there is no nothing"),
        ("k/*.cubin", "there is no module in k/*.cubin"),
        ("empty", "there is no module in empty"),
    ],
)
def test_where_there_is_nothing(folder: Path, path: str, problem: str) -> None:
    os.mkdir("empty")
    done = call(main, "batch", "verify", *INLINE, path)
    assert (done.returncode, done.stderr) == (2, f"tileir batch: {problem}\n")


def test_a_list_on_standard_input(folder: Path) -> None:
    for separator, option in (("\n", []), ("\0", ["-0"])):
        data = separator.join(["k/b.mlir", "k/deep"]).encode()
        done = call(main, "batch", "verify", *INLINE, *option, "-m", "-", "-", data=data)
        assert [line.split('"')[5] for line in done.stdout.splitlines()] == [
            "k/b.mlir",
            "k/deep/c.mlir",
        ]


def test_what_is_gone_since_a_list_was_made_costs_the_others_nothing(folder: Path) -> None:
    Path("k/x*y.mlir").unlink()
    given = ["k/gone.mlir", "k/x*y.mlir", "k/deep/*.mlir", "k/gone.zip!a.mlir", "k/b.mlir"]
    data = "\n".join(given).encode()
    done = call(main, "batch", "verify", *INLINE, "-m", "m.jsonl", "-", data=data)
    records = [json.loads(line) for line in Path("m.jsonl").read_text().splitlines()]
    unread = {each["file"] for each in records if each["failure"] == "OSError"}
    assert unread == {"k/gone.mlir", "k/x*y.mlir", "k/gone.zip!a.mlir"}
    assert {each["file"] for each in records} - unread == {"k/deep/c.mlir", "k/b.mlir"}
    assert done.returncode == 1
    assert "tileir batch: k/gone.mlir: No such file or directory\n" in done.stderr


def test_links_out_of_the_folder_are_not_followed(folder: Path) -> None:
    os.symlink("../../k/notes.txt", "k/deep/notes.mlir")
    os.symlink("/etc/passwd", "k/passwd.mlir")
    os.symlink("/etc", "k/etc")
    assert names("k") == [
        "k/a.tileirbc", "k/b.mlir", "k/x*y.mlir", "k/deep/c.mlir", "k/deep/notes.mlir",
    ]  # fmt: skip


def test_a_folder_that_nobody_may_list_is_no_empty_one(folder: Path, monkeypatch) -> None:
    """Root may list all folders, so the refusal is made here."""
    scandir = os.scandir

    def refusing(path: str) -> object:
        if os.path.basename(path) == "deep":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert names("k") == ["k/a.tileirbc", "k/b.mlir", "k/x*y.mlir", "k/deep"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_in_a_folder_is_left_out(folder: Path) -> None:
    """Reading one never ends, if nobody writes to it."""
    before = names("k")
    os.mkfifo("k/pipe.mlir")
    assert names("k") == before


def test_a_module_that_cannot_be_read_is_a_failure(folder: Path) -> None:
    os.symlink("missing", "k/gone.mlir")
    os.symlink("loop", "k/loop")
    done = call(main, "batch", "verify", *INLINE, "k/gone.mlir", "k/loop")
    assert done.stderr.splitlines() == [
        "tileir batch: k/gone.mlir: No such file or directory",
        "tileir batch: k/loop: Too many levels of symbolic links",
    ]
    assert (done.stdout, done.returncode) == ("2 done (2 of them failed)\n", 1)


def test_nothing_is_made_behind_a_link(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "o").mkdir()
    (folder / "o" / "k").symlink_to(folder / "elsewhere")
    with pytest.raises(UsageError, match="leads elsewhere"):
        Outputs("o").write("k/deep/a", "ptx", b"")
    assert not list((folder / "elsewhere").iterdir())


def test_nothing_leaves_the_folder_of_outputs(folder: Path) -> None:
    outputs = Outputs("out")
    outputs.write("k/b.mlir", "sm_90.ptx", b"ptx")
    assert Path("out/k/b.mlir.sm_90.ptx").read_bytes() == b"ptx"
    known = {"sm_90.ptx": {"bytes": 3, "sha256": hashlib.sha256(b"ptx").hexdigest()}}
    assert outputs.has("k/b.mlir", Made.of(known))
    assert not outputs.has("k/b.mlir", Made.of({**known, "cubin": known["sm_90.ptx"]}))
    os.symlink(folder, "out/up")
    os.symlink(folder / "k" / "b.mlir", "out/k/a.ptx")
    for name, end in (("up/b", "ptx"), ("k/a", "ptx")):
        with pytest.raises(UsageError, match="is a link, or behind one that leads elsewhere"):
            outputs.write(name, end, b"ptx")
    assert Path("k/b.mlir").read_text() == "k/b.mlir"
