"""What is told, and what still works, where optional packages are not installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tests.corpus import FIXTURES, ROOT
from tests.tileir.commands.test_disassemble import COLOUR, on_terminal
from tileir import compile as compile_bytecode
from tileir.errors import MissingPackageError
from tileir.messages import missing_packages
from tileir.messages.missing_packages import CODEGEN, missing, needing, supported_versions

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
ARGUMENTS = ["--zeros", "8:f32", "--arg", 8, "--arg", 1] * 3

WITHOUT = """\
import sys
from tileir.__main__ import main
missing, *arguments = sys.argv[1:]
sys.modules |= dict.fromkeys(missing.split(","))
sys.exit(main(arguments))
"""


def without(missing: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command where these packages, joined by commas, cannot be imported."""
    program = [sys.executable, "-c", WITHOUT, missing, *map(str, arguments)]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("missing", "given", "install"),
    [
        ("llvmlite", ["compile", VECTOR_ADD], 'it with: pip install "llvmlite>=0.50,<0.51"'),
        ("llvmlite", ["compile", "--target", "sm_90", "--emit", "stages", VECTOR_ADD], "llvmlite"),
        ("llvmlite", ["run", "--target", "gpu", *ARGUMENTS, VECTOR_ADD], 'install "llvmlite>='),
        ("llvmlite", ["run", "--target", "gpu", "--json", *ARGUMENTS, VECTOR_ADD], "llvmlite"),
        ("llvmlite", ["run", "--target", "sm_90", *ARGUMENTS, VECTOR_ADD], 'install "llvmlite>='),
        ("numpy", ["run", *ARGUMENTS, VECTOR_ADD], "it with: pip install numpy"),
        ("ml_dtypes", ["run", *ARGUMENTS, VECTOR_ADD], 'it with: pip install "ml_dtypes>=0.5"'),
        (
            ",".join(CODEGEN), ["compile", "--target", "sm_90", VECTOR_ADD],
            'needs llvmlite, numpy and ml_dtypes; install them with: pip install "llvmlite>=0.50,<',
        ),
        ("llvmlite,numpy", ["run", "--emulate", "sm_90", *ARGUMENTS, VECTOR_ADD], '<0.51" numpy\n'),
        ("numpy", ["cutile", "examples/saxpy.py"], "cuTile on the CPU needs numpy; "),
        ("numpy", ["remarks", "remarks.yaml"], "it with: pip install numpy"),
        ("cuda", ["run", "--target", "gpu", *ARGUMENTS, VECTOR_ADD], 'install "cuda-bindings>='),
        ("cuda", ["run", "--target", "sm_90", "--json", *ARGUMENTS, VECTOR_ADD], "cuda-bindings"),
    ],
)  # fmt: skip
def test_without_a_package_the_way_to_get_it_is_said(
    missing: str, given: list, install: str
) -> None:
    """By the names of packages on PyPI, where this project is not."""
    done = without(missing, *given)
    said = done.stdout if "--json" in given else done.stderr
    assert done.returncode == 5
    assert install in said
    assert "tileir[" not in said
    assert len((done.stdout + done.stderr).splitlines()) == 1


@pytest.mark.parametrize("verb", ["compile", "run", "cutile"])
def test_help_needs_no_optional_package(verb: str) -> None:
    done = without("llvmlite,numpy,ml_dtypes,rich,pygments", verb, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--threads" in done.stdout or "--num-warps" in done.stdout


def test_without_llvmlite_python_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_) -> None:
        raise ModuleNotFoundError("No module named 'llvmlite'", name="llvmlite")

    monkeypatch.setattr("tileir.codegen.api.import_module", absent)
    with pytest.raises(MissingPackageError, match=r'pip install "llvmlite>=0\.50,<0\.51"$'):
        compile_bytecode(VECTOR_ADD.read_bytes())


PYTHON = """\
import sys
sys.modules |= dict.fromkeys(["numpy", "ml_dtypes"])
import tileir
from tileir.builder import splat
for ask in (lambda: tileir.emulator.load, splat(1.5, "4xf32").array):
    try:
        ask()
    except tileir.MissingPackageError as error:
        print(error)
"""


def test_what_python_needs_arrays_for() -> None:
    done = subprocess.run([sys.executable, "-c", PYTHON], cwd=ROOT, capture_output=True, text=True)
    needs = 'needs numpy and ml_dtypes; install them with: pip install numpy "ml_dtypes>=0.5"'
    assert done.stdout.splitlines() == [f"the emulator {needs}", f"an array {needs}"]


def test_other_modules_that_are_missing_are_defects() -> None:
    with pytest.raises(ModuleNotFoundError) as caught, needing(CODEGEN, "it"):
        import no_such_module  # noqa: F401  # pyright: ignore
    assert not isinstance(caught.value, MissingPackageError)
    assert str(missing(["a"], "it")) == "it needs a; install it with: pip install a"


def test_what_pip_is_told_are_the_versions_of_the_project() -> None:
    """Of pyproject.toml, as pip's own library reads them; what only tests need is left out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    told = [line for name in ("codegen", "gpu", "resources", "batch") for line in extras[name]]
    wanted = [Requirement(line) for line in told if not line.startswith("tileir")]
    assert len(wanted) == 7
    for line in wanted:
        assert SpecifierSet(supported_versions(line.name)) == line.specifier, line
    assert supported_versions("nvidia-cuda-nvcc") == supported_versions("no-such-package") == ""


def test_extras_for_tests_are_those_that_bring_the_tests() -> None:
    """And that of the documentation; others are for users."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    bring = {name for name, lines in extras.items() if "tileir[test]" in lines}
    found = {name for name in extras if missing_packages._FOR_TESTS.search(f"extra == '{name}'")}
    assert found == bring | {"test", "docs"}


@pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal")
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "given", [["inspect", VECTOR_ADD], ["dis", VECTOR_ADD], ["verify", VECTOR_ADD], ["doctor"]]
)
def test_without_colours_text_is_plain(given: list) -> None:
    """On a terminal as elsewhere; with them it is the same text, in colours."""
    plain = on_terminal(*given, program=["-c", WITHOUT, "rich,pygments"])
    assert "\x1b" not in plain
    if given != ["doctor"]:  # which says that they are missing
        assert COLOUR.sub("", on_terminal(*given)) == plain


def test_a_reader_that_leaves_needs_no_colours() -> None:
    program = [sys.executable, "-c", WITHOUT, "rich.console", "inspect", str(VECTOR_ADD)]
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(program, cwd=ROOT, stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
