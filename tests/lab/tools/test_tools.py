"""The tables of commands: what is told apart, and one real command that is asked and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpus import NEWEST

from .__main__ import main
from .asked import COMMANDS
from .judging import fault, refusal
from .ledger import Ledger
from .running import Ended
from .subjects import prepare, subjects

RIGHT = Ended(0, b"", "", 0.4, 30.0)
TEXT = "entry @{}(%x: tile<i32>) {{\n  %0 = addi %x, %x : tile<i32>\n  return\n}}\n"


@pytest.mark.parametrize(
    ("ended", "what"),
    [
        (RIGHT, ""),
        (RIGHT._replace(code=3, err="tileir dis: k: at 0x0: error: not bytecode"), ""),
        (RIGHT._replace(code=-11), "signal 11"),
        (RIGHT._replace(code=70, err="tileir opt: AssertionError:"), "exit code 70"),
        (RIGHT._replace(code=1, err="Traceback (most recent call last):\n"), "a traceback"),
        (RIGHT._replace(seconds=61.0), "61 CPU seconds"),
    ],
)
def test_what_no_command_may_do(ended: Ended, what: str) -> None:
    assert what in fault(ended)
    assert bool(fault(ended)) == bool(what)


def test_a_refusal_has_a_code_and_a_word() -> None:
    assert refusal(RIGHT._replace(code=3, err="not readable")) == ""
    assert "without a word" in refusal(RIGHT._replace(code=3))
    assert "exit code 6" in refusal(RIGHT._replace(code=6, err="?"))


def test_a_text_of_several_modules_is_several_files(tmp_path: Path) -> None:
    folder, work = tmp_path / "files", tmp_path / "work"
    for name in ("a", "b"):
        (folder / name).mkdir(parents=True)
    work.mkdir()
    both = f"{TEXT.format('f')}// -----\n{TEXT.format('g')}"
    (folder / "a" / "two.mlir").write_text(both)
    (folder / "b" / "k.tileirbc").write_bytes(NEWEST["vector_add"].read_bytes())
    found = subjects(folder, work)
    assert sorted(each.name for each in found) == ["a/two.mlir#0", "a/two.mlir#1", "b/k.tileirbc"]
    assert [each.name[0] for each in found] == ["a", "b", "a"]
    asked = {each.name: prepare(each) for each in found}
    assert asked["a/two.mlir#1"].words["FUNCTION"] == "g"
    arrays = asked["b/k.tileirbc"].options["ARRAYS"]
    assert arrays.count("--array") == 3
    assert all(each.words(asked["a/two.mlir#0"], "-", work) for each in COMMANDS)


def test_a_ledger_loses_no_line_but_the_one_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    Ledger(path).add({"key": "a", "verdict": "right"})
    with path.open("a") as out:
        out.write('{"key": "b", "verd')
    Ledger(path).add({"key": "c", "verdict": "refused"})
    assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == ["a", "c"]


@pytest.mark.parametrize("option", ["--tables", "--commands"])
def test_an_unknown_name_is_wrong_use(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing would be tried, and no defect found."""
    with pytest.raises(SystemExit) as ended:
        main([option, "strip,nonsense" if option == "--commands" else "files,nonsense"])
    assert ended.value.code == 2
    assert f"{option}: there is no nonsense" in capsys.readouterr().err


@pytest.mark.slow
def test_a_command_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """strip writes a module that others read, and refuses a broken one; both are kept."""
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "k.tileirbc").write_bytes(NEWEST["vector_add"].read_bytes())
    (tmp_path / "files" / "broken.mlir").write_text("entry @k() {\n")
    given = [str(tmp_path / "files"), "--tables", "files,stdin", "--commands", "strip"]
    assert main([*given, "--each", "2", "--ledger", str(tmp_path / "ledger")]) == 0
    rows = Ledger(tmp_path / "ledger").rows
    counts = [row["verdict"] for key, row in rows.items() if key.startswith("files")]
    assert sorted(counts) == ["refused", "right"]
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("strip"))
    assert line.split()[1:5] == ["2", "1", "1", "0"]
