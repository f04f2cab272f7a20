"""What holds of all commands: exit codes, one-line errors, files written whole."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, ROOT
from tests.programs import call, fails
from tileir import __version__
from tileir.__main__ import main
from tileir.command_line import running
from tileir.command_line.argument_parser import Parser
from tileir.command_line.command_table import COMMANDS

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
WRONG = FIXTURES / "invalid" / "rules" / "alloca-alignment.tileirbc"
MULTIMEM = FIXTURES / "13.5" / "multimem.tileirbc"


def tileir(*arguments: object, data: bytes | None = None) -> subprocess.CompletedProcess[str]:
    return call(main, *arguments, data=data)


@pytest.mark.parametrize(
    ("source", "target", "code", "message"),
    [
        (FIXTURES / "invalid" / "unknown_opcode.tileirbc", "sm_90", 3, "opcode"),
        (FIXTURES / "invalid" / "no_return.tileirbc", "sm_90", 1, "terminator"),
        (MULTIMEM, "sm_80", 4, "sm_80 has no multicast memory"),
        (VECTOR_ADD, "sm_42", 4, "unknown target"),
        (FIXTURES / "nothing.tileirbc", "sm_90", 2, "No such file"),
    ],
)
def test_an_existing_file_is_left_alone(source, target, code, message, tmp_path: Path) -> None:
    out = tmp_path / "k.ptx"
    out.write_text("precious")
    done = tileir("compile", "--target", target, source, "-o", out)
    fails(done, code, message, lines=0)
    assert out.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [out]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    real, link = tmp_path / "real.ptx", tmp_path / "link.ptx"
    real.write_text("old")
    link.symlink_to(real)
    assert tileir("compile", "--target", "sm_90", VECTOR_ADD, "-o", link).returncode == 0
    assert link.is_symlink()
    assert ".entry" in real.read_text()


def test_a_circle_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    done = tileir("compile", "--target", "sm_90", VECTOR_ADD, "-o", tmp_path / "a")
    fails(done, 2, "symbolic links")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev on Windows")
def test_a_device_is_written_to(tmp_path: Path) -> None:
    out = tmp_path / "out.ptx"
    with out.open("w") as file:
        program = [sys.executable, "-m", "tileir", "compile", "--target", "sm_90"]
        subprocess.run([*program, VECTOR_ADD, "-o", "/dev/stdout"], cwd=ROOT, stdout=file)
    assert ".entry" in out.read_text()
    assert Path("/dev/stdout").is_symlink()


@pytest.mark.parametrize("verb", ["inspect", "dis", "compile", "run"])
def test_what_is_wrong_with_a_file_is_told_under_its_name(verb: str) -> None:
    """Of one file as of several."""
    broken = sorted((FIXTURES / "invalid").glob("*opcode*.tileirbc"))[0]
    done = tileir(verb, broken)
    assert done.returncode == 3
    assert done.stderr.startswith(f"tileir {verb}: {broken}: at 0x")


@pytest.mark.parametrize("verb", ["inspect", "dis"])
def test_what_tileir_as_reads_is_recognised(verb: str) -> None:
    text = tileir(verb, "-", data=b"// a kernel\nentry @k() {\n  return\n}\n")
    assert text.returncode == 3
    assert text.stderr.startswith(f"tileir {verb}: <stdin>: at 0x0 in header")
    assert text.stderr.endswith("(this looks like text; `tileir as` makes bytecode of it)\n")


@pytest.mark.parametrize("verb", ["dis", "compile"])
def test_a_file_is_not_written_over_itself(verb: str, tmp_path: Path) -> None:
    path = tmp_path / "k.tileirbc"
    path.write_bytes(VECTOR_ADD.read_bytes())
    fails(tileir(verb, path, "-o", path), 2, "is what is read; -o names another file")
    assert path.read_bytes() == VECTOR_ADD.read_bytes()


def test_a_defect_is_one_line_and_its_own_code(capsys, monkeypatch) -> None:
    def broken() -> int:
        raise AssertionError("of our own\nmaking")

    monkeypatch.delenv("TILEIR_TRACEBACK", raising=False)
    assert running.guarded("test", broken) == 70
    shown = capsys.readouterr().err
    assert shown.startswith("tileir test: AssertionError: of our own (this is a defect of tileir")
    assert len(shown.splitlines()) == 1
    monkeypatch.setenv("TILEIR_TRACEBACK", "1")
    with pytest.raises(AssertionError):
        running.guarded("test", broken)


CTRL_C = """\
import sys
class Hook:
    def find_spec(self, name, *rest):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Hook())
from tileir.__main__ import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("tileir.command_line.running", "tileir: interrupted\n"),
        ("tileir.commands.compile", "tileir compile: interrupted\n"),
        ("llvmlite", "tileir compile: interrupted\n"),
    ],
)
def test_ctrl_c_while_a_module_is_imported(module: str, told: str) -> None:
    program = [sys.executable, "-c", CTRL_C, module, "compile", "--target", "sm_90", VECTOR_ADD]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", told)


def test_an_error_that_came_of_ctrl_c_is_no_defect(capsys) -> None:
    """NumPy's C code answers an interrupted import with an error of its own."""

    def imports() -> int:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise ImportError("numpy._core.multiarray failed to import") from None

    assert running.guarded("test", imports) == 130
    assert capsys.readouterr().err == "tileir test: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the file")
def test_closed_output_is_survived() -> None:
    command = f"{sys.executable} -m tileir inspect {VECTOR_ADD} >&-"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    piped = f"{sys.executable} -m tileir inspect {VECTOR_ADD} | head -n 1"
    done = subprocess.run(piped, shell=True, cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the pipe")
@pytest.mark.parametrize("given", ["-h", "--version"])
def test_a_reader_that_leaves_is_no_error(given: str) -> None:
    piped = f"({sys.executable} -m tileir {given}; echo $? >&2) | true"
    done = subprocess.run(piped, shell=True, cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == "0\n"


@pytest.mark.skipif(sys.platform == "win32", reason="of POSIX")
@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("verify", WRONG, VECTOR_ADD), 1),
        (("verify", VECTOR_ADD, "no such file"), 2),
        (("stats", VECTOR_ADD, "no such file"), 2),
        (("diff", VECTOR_ADD, WRONG), 1),
        (("diff", "--json", VECTOR_ADD, WRONG), 1),
        (("dis", VECTOR_ADD), 0),
        (("inspect", VECTOR_ADD), 0),
    ],
)
def test_a_reader_that_leaves_changes_no_exit_code(given: Sequence[object], code: int) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    command = [sys.executable, "-m", "tileir", *map(str, given)]
    done = subprocess.run(command, stdout=writes, stderr=subprocess.PIPE, cwd=ROOT, text=True)
    os.close(writes)
    assert done.returncode == code
    assert "BrokenPipe" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="of POSIX")
@pytest.mark.parametrize("full", [False, True])
def test_errors_that_nobody_reads_change_no_exit_code(full: bool) -> None:
    """`tileir verify FILES 2>&1 | head` is no success where a file is wrong."""
    if full and not os.path.exists("/dev/full"):
        pytest.skip("no device that is always full")
    reads, writes = os.pipe()
    os.close(reads)
    target = os.open("/dev/full", os.O_WRONLY) if full else writes
    command = [sys.executable, "-m", "tileir", "verify", "no such file", str(VECTOR_ADD)]
    done = subprocess.run(command, stderr=target, stdout=subprocess.PIPE, cwd=ROOT, text=True)
    assert (done.returncode, VECTOR_ADD.name in done.stdout) == (2, True)
    os.close(writes)
    if full:
        os.close(target)


@pytest.mark.parametrize("verb", COMMANDS)
def test_help_has_examples(verb: str) -> None:
    done = tileir(verb, "--help")
    assert done.returncode == 0
    assert "examples:" in done.stdout


def test_no_command_and_no_such_command() -> None:
    assert tileir().returncode == 2
    fails(tileir("bogus"), 2, "there is no command 'bogus'")
    assert tileir("--version").stdout == f"tileir {__version__}, bytecode 13.1 to 13.5\n"


@pytest.mark.parametrize(
    "given",
    [
        *(["verify"], ["stats"], ["inspect"], ["dis"], ["report", "--json"], ["diff", VECTOR_ADD]),
        *(["run"], ["compile"], ["strip", "--emit", "text"], ["tilelib"], ["package", "--list"]),
        *([verb, "--target", "sm_90"] for verb in ("advise", "remarks", "resources")),
        ["reduce", "--test", "true", "-o", os.devnull],
    ],
    ids=lambda given: given[0],
)
def test_an_empty_file_is_not_readable(given: list, tmp_path: Path) -> None:
    """Neither as bytecode nor as a text, which all commands call so."""
    empty = tmp_path / "empty"
    empty.touch()
    done = tileir(*given, empty)
    assert done.returncode == 3
    assert done.stderr.startswith(f"tileir {given[0]}: {empty}: ")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("compile", "--target", "sm_80", "--target", "sm_90", VECTOR_ADD), "--target"),
        (("run", "--grid", "3", "--gri=1", VECTOR_ADD), "--grid"),
        (("dis", "-o", "a", "--output", "b", VECTOR_ADD), "-o/--output"),
        (("batch", "verify", "-m", "a", "-m", "b", FIXTURES), "-m/--manifest"),
    ],
)
def test_an_option_with_one_value_is_given_once(words: tuple[object, ...], option: str) -> None:
    fails(tileir(*words), 2, f"{option} can be given once (see tileir {words[0]}")


def test_a_parser_parses_again() -> None:
    parser = Parser()
    parser.add_argument("--name")
    parser.add_argument("--each", action="append")
    for _ in range(2):
        given = parser.parse_args(["--name", "a", "--each", "b", "--each", "c"])
        assert (given.name, given.each) == ("a", ["b", "c"])
