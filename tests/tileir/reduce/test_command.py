"""`tileir reduce`: the file, the text for reports, JSON, and exit codes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import tileir
from tests.programs import call
from tileir import Bytecode
from tileir.__main__ import main
from tileir.predicates import Verdict
from tileir.reduce import command

from .asking import Unsteady, has, names_of

TEXT = """\
entry @main(%0: tile<i32>, %1: tile<ptr<f32>>) {
  %2 = addi %0, %0 : tile<i32>
  %3 = muli %2, %0 : tile<i32>
  %4 = iota : tile<8xi32>
  return
}
"""


class Has:
    """Holds of modules with an op; the command is told the op as `--test`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.description = f"it has {name}"

    def holds(self, data: bytes) -> bool:
        """Whether there is one."""
        return has(self._name)(Bytecode.parse(data))

    def examine(self, data: bytes) -> Verdict:
        """Whether there is one, and what there is."""
        return Verdict(self.holds(data), " ".join(names_of(Bytecode.parse(data))))


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """A folder with a module; `--test NAME` asks for an op, without starting a program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "predicate_given", lambda given: Has(given.test))
    Path("k.mlir").write_text(TEXT)
    return tmp_path


def reduce(*arguments: object, data: bytes | None = None):
    """What the command does."""
    return call(main, "reduce", *arguments, data=data)


def test_prints_what_goes_into_a_report(files) -> None:
    done = reduce("k.mlir", "--test", "muli", "-o", "small.tileirbc")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "// it has muli (muli return)"
    assert lines[1].startswith("// k.mlir reduced from 4 ops (")
    assert " to 2 ops (" in lines[1]
    left = Path("small.tileirbc").read_bytes()
    assert names_of(Bytecode.parse(left)) == ["muli", "return"]
    again = tileir.assemble(done.stdout, str(Bytecode.parse(left).version))
    assert tileir.disassemble(again) == tileir.disassemble(left)


def test_json(files) -> None:
    done = reduce("--json", "-", "--test", "iota", "-o", "s", data=TEXT.encode())
    assert (done.returncode, done.stderr) == (0, "")
    made = json.loads(done.stdout)
    assert (made["schema"], made["file"], made["predicate"]) == (1, "-", "it has iota")
    assert made["after"] == {"ops": 2, "bytes": Path("s").stat().st_size}
    assert made["ended"] == "finished"
    assert {"name", "tries", "trials", "accepted", "ops"} == set(made["passes"][0])


def test_what_does_not_hold_is_one_error(files) -> None:
    done = reduce("k.mlir", "--test", "subi", "-o", "small.tileirbc")
    assert done.returncode == 1
    assert "does not hold that it has subi" in done.stderr
    assert not Path("small.tileirbc").exists()


def test_that_somebody_is_asked_by_default_is_told(files) -> None:
    for given, hint in ((("--says", "x"), True), (("--says", "x", "--of", "verify"), False)):
        done = reduce("k.mlir", *given, "-o", "small.tileirbc")
        assert done.returncode == 1
        assert "; seen of it: addi muli iota return" in done.stderr
        assert done.stderr.endswith("; --of names who is asked\n") == hint


def test_answers_that_change_are_told(files, monkeypatch) -> None:
    monkeypatch.setattr(command, "predicate_given", lambda given: Unsteady(2))
    done = reduce("k.mlir", "-o", "small.tileirbc")
    assert done.returncode == 1
    assert "not always the same" in done.stderr
    assert "UNSTABLE" in done.stdout
    assert Path("small.tileirbc").exists()


def test_an_interrupt_leaves_a_file(files, monkeypatch) -> None:
    class Interrupted(Has):
        def holds(self, data: bytes) -> bool:
            if len(names_of(Bytecode.parse(data))) < 3:
                raise KeyboardInterrupt
            return super().holds(data)

    monkeypatch.setattr(command, "predicate_given", lambda given: Interrupted("muli"))
    done = reduce("k.mlir", "-o", "small.tileirbc", "--jobs", 1)
    assert done.returncode == 130
    assert "muli" in names_of(Bytecode.parse(Path("small.tileirbc").read_bytes()))


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        (["k.mlir", "--test", "muli"], 2, "-o/--output"),
        (["k.mlir", "--test", "muli", "-o", "k.mlir"], 2, "is what is read"),
        (["k.mlir", "--test", "muli", "-o", "-", "--json"], 2, "has standard output for itself"),
        (["k.mlir", "--test", "muli", "-o", "s", "--within", "0"], 2, "--within"),
        (["k.mlir", "--test", "muli", "-o", "s", "--jobs", "0"], 2, "--jobs"),
        (["no.mlir", "--test", "muli", "-o", "s"], 2, "no.mlir"),
        (["bad.mlir", "--test", "muli", "-o", "s"], 3, "bad.mlir"),
    ],
)
def test_wrong_use(files, wrong: list[str], code: int, said: str) -> None:
    Path("bad.mlir").write_text("entry @f() {")
    done = reduce(*wrong)
    assert done.returncode == code
    assert said in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the command is a script of sh")
def test_a_program_decides(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.mlir").write_text(TEXT)
    Path("ask.sh").write_text('test "$(wc -c < "$1")" -gt 110\n')
    done = reduce("k.mlir", "--test", "sh ask.sh", "-o", "small.tileirbc", "--jobs", 2)
    assert done.returncode == 0, done.stderr
    assert Path("small.tileirbc").stat().st_size > 110
