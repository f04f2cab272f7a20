"""`tileir batch` does with many modules what the commands do with one."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES, ROOT
from tests.programs import call
from tileir.__main__ import main
from tileir.batches import outputs
from tileir.batches.manifest import read_manifest

from .inline import make
from .test_manifest import INLINE

pytest.importorskip("llvmlite")

TARGETS = ("sm_80", "sm_90")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three modules, one that breaks a rule, a text with an error, and nothing at all."""
    folder = tmp_path_factory.mktemp("batch")
    kernels = sorted((ROOT / "fixtures" / "13.4").glob("*.tileirbc"))[:3]
    for path in kernels:
        shutil.copy(path, folder)
    broken = sorted((ROOT / "fixtures" / "invalid" / "rules").glob("*.tileirbc"))[0]
    shutil.copy(broken, folder / "rule.tileirbc")
    (folder / "text.mlir").write_text("cuda_tile.module @m {\n  nonsense\n}\n")
    (folder / "empty.mlir").write_text("")
    return folder


@pytest.fixture(scope="module")
def compiled(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the default executor makes of them for two targets; the manifest lies beside."""
    out = tmp_path_factory.mktemp("out")
    targets = [word for target in TARGETS for word in ("--target", target)]
    emit = "--emit", "ptx", "--emit", "plan"
    arguments = [*targets, *emit, "-j", 1, "-m", out / "m.jsonl", "-o", out, folder]
    done = call(main, "batch", "compile", *arguments)
    assert (done.stdout, done.returncode) == ("12 done (6 of them failed)\n", 1)
    again = call(main, "batch", "compile", *arguments)
    told = "0 done, 12 done before (6 of them failed)\n"
    assert (again.stdout, again.returncode) == (told, 1)
    return out


def named(folder: Path, path: Path) -> str:
    return "/".join([*folder.parts[1:], path.name])


def test_verify_says_what_the_command_says(folder: Path) -> None:
    done = call(main, "batch", "verify", *INLINE, "-m", "-", folder)
    records = {each["file"]: each for each in map(json.loads, done.stdout.splitlines())}
    for path in sorted(folder.iterdir()):
        alone = call(main, "verify", "--json", path)
        (said,) = json.loads(alone.stdout)["files"]
        record = records.pop(named(folder, path))
        assert record["code"] == alone.returncode
        assert record["ok"] == (alone.returncode == 0)
        assert record["result"].keys() == said.keys() - {"file"}
        for key, value in record["result"].items():
            assert json.dumps(value) == json.dumps(said[key]).replace(str(folder), str(folder)[1:])
    assert not records


def test_compile_makes_what_the_command_makes(folder: Path, compiled: Path) -> None:
    for path in sorted(folder.glob("*.tileirbc")):
        for target in TARGETS:
            for emit, end in (("ptx", "ptx"), ("plan", "plan.json")):
                made = compiled / f"{named(folder, path)}.{target}.{end}"
                one = call(main, "compile", "--target", target, "--emit", emit, path)
                assert made.exists() == (one.returncode == 0)
                if made.exists():
                    assert made.read_text() == one.stdout


def test_the_same_records_whoever_computes(folder: Path, compiled: Path) -> None:
    """Threads of somebody else, or no children at all; only times differ."""
    by_threads = [{**each, "seconds": 0} for each in read_manifest(str(compiled / "m.jsonl"))]
    options = {"emit": ["ptx", "plan"]}
    inline = tileir.batch([folder], "compile", targets=TARGETS, options=options, executor=make)
    key = lambda record: (record["file"], record["target"])  # noqa: E731
    assert sorted(({**each.record, "seconds": 0} for each in inline), key=key) == sorted(
        by_threads, key=key
    )


def test_files_that_are_missing_are_made_again(folder: Path, compiled: Path, tmp_path) -> None:
    """A manifest says what is done, not where; another folder gets the files, too."""
    (path, *_) = sorted(folder.glob("*.tileirbc"))
    manifest = tmp_path / "m.jsonl"
    results = [
        list(
            tileir.batch(
                [path], "compile", targets="sm_80", executor=make, manifest=manifest, out=out
            )
        )
        for out in (None, tmp_path / "a", tmp_path / "a", tmp_path / "b")
    ]
    assert list(map(len, results)) == [1, 1, 0, 1]
    (made,) = results[-1]
    ptx = (tmp_path / "b" / f"{named(folder, path)}.sm_80.ptx").read_bytes()
    assert made.files == {"sm_80.ptx": ptx}


def test_files_of_other_options_or_contents_are_made_again(folder: Path, tmp_path: Path) -> None:
    """A folder has what the last batch asked for, though all jobs were done before."""
    (path, *_) = sorted(folder.glob("*.tileirbc"))
    where = "-m", tmp_path / "m.jsonl", "-o", tmp_path / "o", path

    def made(*arguments: str) -> tuple[str, bytes]:
        done = call(main, "batch", "compile", *INLINE, "--target", "sm_80", *arguments, *where)
        (ptx,) = (tmp_path / "o").rglob("*.ptx")
        return done.stdout, ptx.read_bytes()

    first, others = made("--num-warps", "4"), made("--num-warps", "8")
    assert first[1] != others[1]
    assert made("--num-warps", "4") == first
    assert made("--num-warps", "4") == ("0 done, 1 done before\n", first[1])
    before = path.read_bytes()
    path.write_bytes(sorted(folder.glob("*.tileirbc"))[1].read_bytes())
    changed = made("--num-warps", "4")
    assert changed[1] != first[1]
    path.write_bytes(before)
    restored = made("--num-warps", "4")
    assert restored == first
    assert len((tmp_path / "m.jsonl").read_text().splitlines()) == 3


def test_a_full_disk_loses_nothing_that_is_told(folder: Path, tmp_path, monkeypatch) -> None:
    """The batch ends where a file cannot be written; with room again, it does what was left."""
    out, manifest = tmp_path / "out", tmp_path / "m.jsonl"
    arguments = "compile", "--target", "sm_80", "-m", manifest, "-o", out, folder
    real, written = outputs.write_output, []

    def write(path: str, data: bytes) -> None:
        if len(written) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        written.append(path)
        real(path, data)

    monkeypatch.setattr(outputs, "write_output", write)
    monkeypatch.setattr("tileir.batches.jobs.CHUNK_JOBS", 1)
    full = call(main, "batch", *arguments[:1], *INLINE, *arguments[1:])
    assert full.returncode == 2
    assert full.stderr.splitlines()[-1].endswith(": No space left on device")
    before = list(read_manifest(str(manifest)))
    made = [name for each in before for name in each["files"]]
    assert len(made) == 2
    monkeypatch.setattr(outputs, "write_output", real)
    done = call(main, "batch", *arguments[:1], *INLINE, *arguments[1:])
    left = 6 - len(before)
    assert done.stdout.startswith(f"{left} done, ")
    assert f", {len(before)} done before" in done.stdout
    assert len(manifest.read_text().splitlines()) == 6
    assert len(list(out.rglob("*.ptx"))) == 3


def test_modules_as_objects_on_an_executor_of_somebody(folder: Path) -> None:
    bytecode = tileir.load(sorted(folder.glob("*.tileirbc"))[0])
    given = [bytecode, ("a/b", bytecode.data), b"nonsense"]
    with ThreadPoolExecutor(1) as executor:
        results = {x.record["file"]: x.record for x in tileir.batch(given, executor=executor)}
        assert executor.submit(len, "abc").result() == 3  # it is left as it was
    assert {name: each["ok"] for name, each in results.items()} == {
        "module 0": True, "a/b": True, "module 2": False,
    }  # fmt: skip


def test_one_path_alone_and_what_is_no_module(folder: Path) -> None:
    """A text is not taken for its characters, nor a number for so many bytes."""
    (path, *_) = sorted(folder.glob("*.tileirbc"))
    for given in (path, str(path)):
        ((record, _),) = tileir.batch(given, executor=make)
        assert (record["file"], record["ok"]) == (named(folder, path), True)
    for wrong in ([3], [("a", "text")], path.read_bytes()):
        with pytest.raises(TypeError, match=r"^module 0 is a (int|str), neither a path"):
            list(tileir.batch(wrong, executor=make))
    for seconds, memory in ((-1, None), (float("nan"), None), (1, 0)):
        with pytest.raises(ValueError, match="not a number above 0"):
            tileir.batch([path], executor=make, seconds=seconds, memory=memory)


def test_options_that_a_verb_does_not_have_are_told_at_once(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"^verify has no option 'strickt', did you mean"):
        tileir.batch([folder], options={"strickt": True})
    with pytest.raises(ValueError, match=r"^stats has no option 'strict'; it has none$"):
        tileir.batch([folder], "stats", options={"strict": True})
    options = {"num_warps": 4, "no_cache": True, "emit": ["plan"]}
    found = tileir.batch([folder], "compile", options=options, executor=make, targets="sm_80")
    assert sum(list(files) == ["sm_80.plan.json"] for _, files in found) == 3


def test_verbs_say_what_their_commands_say(tmp_path: Path, monkeypatch) -> None:
    """Of one module, with the launch that lies beside it."""
    monkeypatch.chdir(tmp_path)
    assert call(main, "smith", "--seed", 3, "-o", "k.tileirbc").returncode == 0
    rows: tuple[tuple[str, list[str], list[str], Callable[[dict], dict]], ...] = (
        ("stats", [], ["--json"], lambda said: said["files"][0]),
        ("run", [], ["--launch", "k.json", "--json"], lambda said: said),
        ("run", ["--check", "undefined"], ["--launch", "k.json", "--json"], lambda said: said),
    )
    for verb, options, alone, part in rows:
        done = call(main, "batch", verb, *INLINE, *options, "-m", "-", "k.tileirbc")
        record = json.loads(done.stdout.splitlines()[-1])  # behind what the kernel prints
        assert record["ok"]
        said = part(json.loads(call(main, verb, *alone, "k.tileirbc").stdout))
        assert record["result"].items() <= said.items()
    for options in ([], ["-g"]):
        call(main, "batch", "dis", *INLINE, *options, "-o", "out", "k.tileirbc")
        text = call(main, "dis", *options, "k.tileirbc").stdout
        assert Path("out/k.tileirbc.mlir").read_text() == text
    os.remove("k.json")
    done = call(main, "batch", "run", *INLINE, "k.tileirbc")
    assert done.stderr == "tileir batch: k.tileirbc: k.json: No such file or directory\n"


def test_resources_are_those_of_the_command(tmp_path: Path, monkeypatch, tool) -> None:
    tool("ptxas", "--version")
    pytest.importorskip("elftools")
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "fixtures" / "13.4" / "vector_add.tileirbc", "k.tileirbc")
    options = "--no-instructions", "--target", "sm_90"
    done = call(main, "batch", "resources", *INLINE, *options, "-m", "-", "k.tileirbc")
    alone = call(main, "resources", *options, "--json", "k.tileirbc")
    (said,) = json.loads(alone.stdout)["files"]
    assert json.loads(done.stdout)["result"]["kernels"] == said["kernels"]


def test_a_folder_to_compare_with_that_is_not_there(folder: Path) -> None:
    done = call(main, "batch", "diff", "--against", "nowhere", folder)
    problem = "tileir batch: --against nowhere: there is no such folder\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", problem)


def test_modules_against_those_of_a_folder(tmp_path: Path, monkeypatch) -> None:
    """By their paths below the folder that was given; what only one of them has is a failure."""
    monkeypatch.chdir(tmp_path)
    for name in ("old/x/same.mlir", "new/x/same.mlir", "old/other.mlir", "new/other.mlir"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("cuda_tile.module @m { entry @k() { return } }")
    Path("new/other.mlir").write_text("cuda_tile.module @m { entry @other() { return } }")
    Path("new/new.mlir").write_text("cuda_tile.module @m {}")
    arguments = "diff", *INLINE, "--against", "old", "-o", "out", "new"
    done = call(main, "batch", *arguments)
    assert done.stderr.splitlines() == [
        "tileir batch: new/new.mlir: old/new.mlir: No such file or directory",
        "tileir batch: new/other.mlir: they differ: @k -> other 1 -> 1 ops 1 changed",
    ]
    assert done.stdout == "3 done (2 of them failed)\n"
    alone = call(main, "diff", "old/other.mlir", "new/other.mlir").stdout
    assert call(main, "diff", "old/x/same.mlir", "new/x/same.mlir").returncode == 0
    Path("old/x/gone.mlir").write_text("cuda_tile.module @m {}")
    Path("old/x/notes.txt").write_text("none")
    done = call(main, "batch", *arguments)
    assert done.stdout == "4 done (3 of them failed)\n"
    (last,) = set(done.stderr.splitlines()) - {
        "tileir batch: new/new.mlir: old/new.mlir: No such file or directory",
        "tileir batch: new/other.mlir: they differ: @k -> other 1 -> 1 ops 1 changed",
    }
    assert last == "tileir batch: old/x/gone.mlir: there is no module of this name any more"
    single = call(main, "batch", "diff", *INLINE, "--against", "old/x", "new/x/same.mlir")
    assert single.stdout == "1 done\n"  # one file says nothing about others
    (made,) = Path("out").rglob("*.diff")
    assert made.read_text().splitlines()[2:] == alone.splitlines()[2:]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["verify", "--executor", "many"], "there is no executor 'many'"),
        (["verify", "--executor", ":made"], "--executor :made: ValueError: Empty module name"),
        (["verify", "--executor", "json:nothing"], "--executor json:nothing: module 'json' has no"),
        (["verify", "--executor", "json:dumps"], "--executor json:dumps: "),
        (["verify", "--target", "sm_80", "--target", "sm_90"], "one target at a time"),
        (["verify", "--target", "sm_81"], "sm_81"),
        (["verify", "--seconds", "0"], "--seconds: '0' is not a number of seconds above 0, up to"),
        (["verify", "--seconds", "1e10"], "--seconds: '1e10' is not a number of seconds above 0"),
        (["verify", "--memory", "99999999999999"], "--memory: '99999999999999' is more than"),
        (["verify", "--cluster", "host:1"], "--cluster host:1: no address such as tcp:"),
        (["verify", "--cluster", "tcp://h:1", "--executor", "threads"], "leave --executor away"),
        (["verify", "-j", "-1"], "-j/--jobs: '-1' is not a number from 1 on"),
        (["verify", "-j", "0"], "-j/--jobs: '0' is not a number from 1 on"),
        (["verify", "--cluster", "tcp://h:1", "-j", "2"], "as many workers as it has"),
        (["verify", "-m", "-", "--json"], "leave --json away"),
        (["compile", "--emit", "stages"], "--emit stages makes no file for each module"),
        (["bake"], "bake"),
    ],
)
def test_wrong_use(folder: Path, arguments: list[str], problem: str) -> None:
    done = call(main, "batch", *arguments, folder)
    assert done.returncode in (2, 4)
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_summary_as_json(folder: Path) -> None:
    done = call(main, "batch", "verify", *INLINE, "--json", folder)
    document = json.loads(done.stdout)
    assert document.pop("seconds") >= 0
    assert document == {
        "schema": 1, "verb": "verify", "done": 6, "failed": 3, "skipped": 0, "skipped_failed": 0,
        "failures": {"invalid": 1, "AssemblyError": 1, "BytecodeError": 1},
        "interrupted": False,
    }  # fmt: skip


def test_what_keeps_nothing_says_so_and_verbs_without_files_take_no_folder(tmp_path: Path) -> None:
    given = (*INLINE, FIXTURES / "13.5")
    note = "tileir batch: nothing is kept: no --output and no --manifest"
    assert call(main, "batch", "dis", *given).stderr.splitlines()[0] == note
    assert note not in call(main, "batch", "dis", "-o", tmp_path / "out", *given).stderr
    assert note not in call(main, "batch", "verify", *given).stderr
    done = call(main, "batch", "verify", "-o", tmp_path / "none", *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert "unrecognized arguments: -o" in done.stderr
