"""A program that has nothing to do with GPUs behaves as under python itself, which is asked too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tileir.cutile.programs import command, cutile_without_torch, python
from tileir.cutile import cutile_internals
from tileir.cutile.program import main
from tileir.errors import MissingPackageError, UnsupportedError

needs_cutile = pytest.mark.usefixtures("cuda_tile")

SCRIPT = """\
import os, pickle, sys
def kept(): pass
print(sys.argv, __name__, __spec__ and __spec__.name, os.path.basename(sys.path[0]))
print(sys.modules["__main__"].__dict__ is globals(), pickle.loads(pickle.dumps(kept)) is kept)
def fail(how):
    if how == "exit":
        sys.exit(7)
    raise ValueError(how)
fail(sys.argv[1])
"""


@pytest.fixture(scope="module")
def cuda_tile() -> None:
    pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


@needs_cutile
def test_script(script: Path) -> None:
    """What follows its name is its own, whatever it looks like."""
    rest = ["raise", "-m", "--sm"]
    expected = python(script.name, *rest, cwd=script.parent)
    done = cutile_without_torch(script.name, *rest, cwd=script.parent)
    assert done.returncode == expected.returncode != 0
    assert done.stdout == expected.stdout
    assert done.stderr == expected.stderr


@needs_cutile
@pytest.mark.parametrize("how", ["code", "stdin", "syntax", "folder"])
def test_other_kinds_of_program(script: Path, how: str) -> None:
    (script.parent / "__main__.py").write_text(SCRIPT)
    (script.parent / "syntax.py").write_text("if True\n")
    arguments, text = {
        "code": (["-c", "import sys; print(sys.argv, __name__); 1 / 0", "-x"], None),
        "stdin": (["-", "a"], "import sys; print(sys.argv, __name__, __file__)"),
        "syntax": (["syntax.py"], None),
        "folder": ([script.parent, "exit"], None),
    }[how]
    expected = python(*arguments, cwd=script.parent, input=text)
    done = cutile_without_torch(*arguments, cwd=script.parent, input=text)
    seen, wanted = ((d.returncode, d.stdout, d.stderr) for d in (done, expected))
    assert seen == wanted


@pytest.mark.sampled(2)
@needs_cutile
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["script.py", "raise"], None),
        (["script.py", "exit"], None),
        (["-m", "script", "exit"], None),
        (["-c", "import sys, script", "exit"], None),
        (["-c", "import sys; print(sys.argv, sys.path[0]); 1 / 0", "exit"], None),
        (["-"], "import sys; print(sys.argv, sys.path[0]); 1 / 0"),
    ],
)
def test_the_command(arguments: list[str], text: str | None, script: Path, tmp_path: Path) -> None:
    """It has a folder of its own on the search path, which a program must not see."""
    (tmp_path / "bin").mkdir()
    where = {"cwd": script.parent, "input": text}
    expected = python(*arguments, **where)
    done = command(*arguments, folder=tmp_path / "bin", **where)
    seen, wanted = ((d.returncode, d.stdout, d.stderr) for d in (done, expected))
    if arguments[0] == "-m":  # python's own has no frame of runpy
        seen, wanted = seen[:2], wanted[:2]
    assert seen == wanted


@needs_cutile
def test_module(script: Path) -> None:
    expected = python("-m", "script", "exit", cwd=script.parent)
    done = cutile_without_torch("-m", "script", "exit", cwd=script.parent)
    assert (done.returncode, done.stdout) == (7, expected.stdout)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "a program is missing"),
        (["nothing.py"], 2, "nothing.py: No such file or directory"),
        (["-m", "nothing.inside"], 2, "there is no module named 'nothing'"),
        (["-m"], 2, "a program is missing"),
        (["--fast", "script.py"], 2, "unrecognized arguments: --fast"),
        (["--threads", "many", "script.py"], 2, "invalid int value: 'many'"),
        (["--threads", "0", "script.py"], 2, "--threads must be at least 1, not 0"),
        (["--check", "memry", "script.py"], 2, "not 'memry', did you mean memory?"),
        (["--autotune", "none", "script.py"], 2, '--autotune must be "first", "all" or a number'),
        (["--sm", "sm_1000", "-c", ""], 4, "unknown GPU 'sm_1000'"),
        (["--sm", "host", "-c", ""], 4, "unknown GPU 'host'"),
        (["--sm", "sm_1", "-c", ""], 4, "unknown GPU 'sm_1'; known are sm_75, "),
        (["--sm", "sm_12", "-c", ""], 4, "unknown GPU 'sm_12', did you mean sm_12"),
    ],
)
def test_wrong_use(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, before anything is installed."""
    assert main(arguments) == code
    printed = capsys.readouterr()
    (line,) = printed.err.splitlines()
    assert printed.out == ""
    assert line.startswith("tileir cutile: ")
    assert said in line


def test_unknown_version_of_cuda_tile(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one line names the versions that are known, before anything of the program runs."""
    monkeypatch.setattr(cutile_internals, "version", lambda name: "99.0")
    monkeypatch.setattr(cutile_internals, "VERSIONS", ("1.0", "2.0", "3.0"))
    monkeypatch.setattr(cutile_internals.cutile_hooks, "problems", lambda folder: ["a", "b", "c"])
    monkeypatch.setattr(cutile_internals.cutile_hooks, "package", lambda: Path())
    assert main(["-c", "print(1)"]) == 4
    line = (
        "tileir cutile: cuda-tile 99.0 is not known, and not what tileir can change: a, and 2 more"
        "; tested are versions 1.0, 2.0 and 3.0\n"
    )
    assert capsys.readouterr() == ("", line)


def test_without_cuda_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise cutile_internals.PackageNotFoundError(name)

    monkeypatch.setattr(cutile_internals, "version", absent)
    with pytest.raises(MissingPackageError, match=r"it with: pip install cuda-tile$"):
        cutile_internals.check_version()


@needs_cutile
def test_the_real_driver_is_not_replaced() -> None:
    code = "import sys, types; sys.modules['cuda.tile._load_libcuda'] = types.ModuleType('real')\n"
    code += "import tileir.cutile; tileir.cutile.install()"
    done = python("-c", code)
    assert done.stderr.splitlines()[-1] == (
        f"{UnsupportedError.__module__}.UnsupportedError: "
        "cuTile has loaded the CUDA driver; install before the first launch"
    )


def test_what_cutile_does_not_document_stands_in_two_files() -> None:
    folder = Path(cutile_internals.__file__).parent
    users = {path.name for path in folder.rglob("*.py") if "cuda.tile._" in path.read_text()}
    assert users == {"cutile_internals.py", "tuner.py"}


def test_nothing_is_imported_before_it_is_needed() -> None:
    code = "import sys, tileir.cutile, tileir.cutile.program, tileir.cutile.plugin\n"
    code += (
        "print([name for name in ('torch', 'cuda', 'llvmlite', 'pytest') if name in sys.modules])"
    )
    assert python("-c", code).stdout == "[]\n"
