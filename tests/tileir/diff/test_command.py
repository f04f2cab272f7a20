"""`tileir diff` as a command: exit codes, forms of output, what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES, ROOT
from tests.programs import call
from tileir.__main__ import main
from tileir.diff.report import KEYS

ONE, TWO = (str(FIXTURES / "13.1" / f"{name}.tileirbc") for name in ("softmax", "softmax_fast"))
NEWER = str(FIXTURES / "13.5" / "vector_add.tileirbc")


def diff(*arguments: str, data: bytes | None = None):
    done = call(main, "diff", *arguments, data=data)
    assert "Traceback" not in done.stderr
    return done


def test_equal_files_print_nothing() -> None:
    for options in ([], ["--stat"], ["-q"], ["--locations", "--tables"]):
        done = diff(*options, ONE, ONE)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_text_on_standard_input() -> None:
    text = tileir.disassemble(Path(ONE).read_bytes()).encode()
    assert diff(ONE, "-", data=text).returncode == 0
    done = diff("-", TWO, "-U", "0", data=text)
    assert done.returncode == 1
    assert done.stdout.startswith("--- <stdin>  (13.5)\n+++ ")
    assert not [line for line in done.stdout.splitlines()[2:] if line.startswith(" ")]


def test_quiet_and_stat() -> None:
    for form in ([], ["--json"], ["--stat"]):
        done = diff("-q", *form, ONE, TWO)
        assert (done.returncode, done.stdout) == (1, "")
    done = diff("--stat", ONE, TWO)
    assert done.returncode == 1
    assert "34 -> 40 ops" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the pipe")
def test_a_reader_that_leaves_does_not_make_files_equal() -> None:
    piped = f"({sys.executable} -m tileir diff {ONE} {TWO}; echo $? >&2) | true"
    done = subprocess.run(piped, shell=True, cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == "1\n"


def test_json() -> None:
    tree = json.loads(diff("--json", ONE, TWO).stdout)
    assert (tree["schema"], tree["equal"]) == (1, False)
    assert set(tree) <= set(KEYS.replace(",", " ").split())
    assert tree["before"] == {"file": ONE, "version": "13.1", "producer": None}
    rows = [row for row in tree["rows"] if row["subject"] == "op"]
    for row in rows:
        assert row["kind"] in ("inserted", "deleted", "changed", "moved")
        for side in (row["before"], row["after"]):
            assert side is None or side["op"] in (side["text"] or side["op"])
    (function,) = tree["functions"]
    assert function["changed"] + function["inserted"] + function["deleted"] == len(tree["rows"])
    tree = json.loads(diff("--json", ONE, ONE).stdout)
    assert (tree["equal"], tree["rows"]) == (True, [])


def test_json_has_whole_names(tmp_path: Path) -> None:
    one, two = tmp_path / "one.tileir", tmp_path / "two.tileir"
    for path, letter in ((one, "a"), (two, "b")):
        global_ = f"global @{letter * 300} <f32: 1.0> : tile<1xf32>"
        path.write_text(f"{global_}\nentry @{letter * 3000}() {{\n  return\n}}\n")
    tree = json.loads(diff("--json", str(one), str(two)).stdout)
    said = json.dumps(tree)
    for letter in "ab":
        assert f'"{letter * 300}"' in said
        assert f'"{letter * 3000}"' in said
    assert "..." not in said
    assert "bytes" not in said


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["-", "-"], 2, "only be one"),
        (["nowhere", ONE], 2, "nowhere: No such file"),
        ([ONE, __file__], 3, "error"),
        ([ONE, str(FIXTURES / "invalid" / "bad_magic.tileirbc")], 3, "bad_magic"),
        (["--ptx", "sm_90", "--sass", "sm_90", ONE, TWO], 2, "choose one"),
        (["--ptx", "host", ONE, TWO], 2, "needs a GPU"),
        (["--ptx", "sm_9", ONE, TWO], 4, "unknown target"),
        (["--stage", "nope", ONE, TWO], 2, "has no stage 'nope'"),
        (["--target", "sm_90", ONE, TWO], 2, "--target is for --stage"),
        (["--ptx", "sm_90", "--locations", ONE, TWO], 2, "--locations is for modules"),
        (["--stage", "fuse", "--any-order", ONE, TWO], 2, "--any-order is for modules"),
        (["-U", "-1", ONE, TWO], 2, "'-1' is not a number from 0 on"),
        (["-U", "few", ONE, TWO], 2, "'few' is not a number from 0 on"),
        (["--assume-version", "13.9", ONE, TWO], 4, "13.9"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_what_is_refused(arguments: list[str], code: int, said: str) -> None:
    if arguments[0] in ("--ptx", "--stage"):
        pytest.importorskip("llvmlite")
    done = diff(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stdout == ""


def test_what_is_compiled(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite")
    older = str(FIXTURES / "13.1" / "vector_add.tileirbc")
    assert diff("--ptx", "sm_80", older, NEWER).returncode == 0, "dead constants are no difference"
    assert diff("--stage", "hoist_invariants", older, NEWER).returncode in (0, 1)
    ptx = tileir.compile(tileir.load(older), "sm_80").ptx
    one, two = tmp_path / "one.ptx", tmp_path / "two.ptx"
    one.write_text(ptx)
    two.write_text(ptx.replace("add.rn.f32", "sub.rn.f32"))
    assert diff(str(one), str(one)).returncode == 0
    done = diff("--stat", str(one), str(two))
    assert done.returncode == 1
    assert "sub.rn.f32" in done.stdout
    assert diff(str(one), older).returncode == 2, "one is PTX, the other a module"
    assert diff("--ptx", "sm_80", str(one), older).returncode == 0


def test_machine_code(tool) -> None:
    """What ptxas makes, as nvdisasm lists it."""
    pytest.importorskip("llvmlite")
    for name in ("ptxas", "nvdisasm"):
        tool(name, "--version")
    older = str(FIXTURES / "13.1" / "vector_add.tileirbc")
    assert diff("--sass", "sm_80", older, NEWER).returncode == 0
