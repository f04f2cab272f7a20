"""tileir in the place of tileiras: its launcher, and a frontend that finds it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

import tileir
from tests.corpus import FIXTURES, ROOT
from tileir.__main__ import main
from tileir.codegen import tileiras_remarks
from tileir.errors import Diagnostic, ToolError, UnsupportedError
from tileir.messages.missing_packages import is_installed
from tileir.tileiras import compiler, identity, program
from tileir.tileiras.compiler import FAILED, NO_SUCH_GPU, UNREADABLE, WRONG_USE
from tileir.tools import nvidia
from tileir.tools.launchers import is_launcher

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
NVIDIAS = "tileiras: NVIDIA (R) Cuda Tile IR optimizing assembler\n... release 13.5, V13.5.37\n"
posix = pytest.mark.skipif(os.name != "posix", reason="launchers are for Linux and macOS")
needs_cutile = pytest.mark.skipif(not is_installed("cuda.tile"), reason="cuda-tile is not there")


def call(*arguments: object, **options: object) -> int:
    return program.main([*map(str, arguments)], options)


@pytest.fixture
def launcher(tmp_path: Path, capsys) -> Path:
    assert main(["tileiras", "install", str(tmp_path / "bin"), "--num-warps", "4"]) == 0
    said = capsys.readouterr().out
    assert "It is compile-only; tileir cutile --gpu launches kernels of cuTile." in said
    return tmp_path / "bin" / "tileiras"


# The command line -----------------------------------------------------------------------------


def test_a_cubin(tmp_path: Path, tool, capsys) -> None:
    tool("ptxas", "--version")  # or skip
    out, remarks = tmp_path / "out.cubin", tmp_path / "remarks.yaml"
    line = [VECTOR_ADD, "-o", out, "--gpu-name", "sm_75", "-O3"]
    assert (
        call(*line, "--remarks=all", "--remark-format=yaml", f"--remarks-output-file={remarks}")
        == 0
    )
    plain = out.read_bytes()
    assert plain[:4] == b"\x7fELF"
    said = remarks.read_bytes()
    assert capsys.readouterr() == ("", "")
    assert call(*line, "--lineinfo", "--remarks=memory") == 0
    assert b".debug_line" in out.read_bytes()
    assert b".debug_line" not in plain
    assert "vector_add: remark[" in capsys.readouterr().out
    check_remarks(said)


def check_remarks(said: bytes) -> None:
    """They are read as those of tileiras are, and cuTile finds nothing in them to repair."""
    pytest.importorskip("yaml")
    compiled = tileir.compile(tileir.load(VECTOR_ADD), "sm_75")
    ours = {(each.what, each.why, each.outcome, str(each.entry)) for each in compiled.remarks}
    folded = tileiras_remarks.fold(said)
    assert {(each.what, each.why, each.outcome, each.entry) for each in folded} == ours
    assert any(each.location and each.location.line == 16 for each in folded)
    if is_installed("cutile_cache"):
        from cutile_cache._remarks import cleanup  # pyright: ignore

        assert cleanup(said.decode()) == said.decode()


def test_options_of_the_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are those of `tileir.compile`."""
    seen = []
    monkeypatch.setattr(nvidia, "find", lambda name: Path(name))
    monkeypatch.setattr(nvidia, "assemble", lambda ptx, *_: seen.append(ptx) or b"cubin")
    for options in ({}, {"num_warps": 8}):
        line = VECTOR_ADD, "-o", tmp_path / "out", "--gpu-name", "sm_80"
        assert call(*line, **options) == 0
    assert ".reqntid 256" not in seen[0]
    assert ".reqntid 256" in seen[1]
    assert (tmp_path / "out").read_bytes() == b"cubin"


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (["--fast"], WRONG_USE, "option --fast is not known"),
        (["--lineinfo"], WRONG_USE, "no file of bytecode is named"),
        ([VECTOR_ADD], WRONG_USE, r"no output file is named \(-o FILE\)"),
        ([VECTOR_ADD, "-o", "x"], NO_SUCH_GPU, "no GPU is named"),
        ([VECTOR_ADD, "-o", "x", "--gpu-name=sm_70"], NO_SUCH_GPU, "unknown GPU 'sm_70'"),
        ([VECTOR_ADD, "-o", "x", "--gpu-name=host"], NO_SUCH_GPU, "unknown GPU 'host'"),
        (["none", "-o", "x", "--gpu-name=sm_90"], UNREADABLE, "unable to read input file 'none'"),
        ([ROOT / "LICENSE", "-o", "x", "--gpu-name=sm_90"], UNREADABLE, "at 0x0 in header"),
    ],
)
def test_errors(line: list, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(nvidia, "find", lambda name: Path(name))
    assert call(*line) == code
    assert re.match(f"error: {said}", capsys.readouterr().err)


def test_without_ptxas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """One sentence says what is needed; PTX is not passed off as a cubin."""
    monkeypatch.setattr(nvidia, "find", lambda name: None)
    assert call(VECTOR_ADD, "-o", tmp_path / "out", "--gpu-name", "sm_90") == FAILED
    assert capsys.readouterr().err == (
        "error: a cubin needs NVIDIA's ptxas, and it is not installed (pip install"
        " nvidia-cuda-nvcc); a PTX file is no cubin\n"
    )
    assert not (tmp_path / "out").exists()


def test_versions_and_help(capsys) -> None:
    assert call("--list-versions") == 0
    assert capsys.readouterr().out.split() == ["13.1", "13.2", "13.3", "13.4", "13.5"]
    assert call("--help") == call() == 0


# Errors -----------------------------------------------------------------------------------------

LOCATED = Diagnostic(
    "error", "unsupported", "no such\nthing", function="k", location="a b.py:12:7", op="addf"
)
ELSEWHERE = Diagnostic("error", "unsupported", "nor that", location="c.py:3:1, inlined at d.py:4:2")


@needs_cutile
@pytest.mark.parametrize(
    ("error", "message", "line"),
    [
        (UnsupportedError("2 ops are not supported:", [LOCATED, ELSEWHERE]),
         "2 ops are not supported:\naddf: no such thing (in k)\nnor that", ("a b.py", 12, 7)),
        (ToolError("ptxas failed: many\nlines"), "ptxas failed: many lines", None),
    ],
)  # fmt: skip
def test_cutile_reads_errors(error: Exception, message: str, line: tuple | None) -> None:
    from cuda.tile._compile import _parse_tileir_stderr  # pyright: ignore

    found, where = _parse_tileir_stderr(compiler.worded(error))
    assert found == message
    assert where.is_unknown() if line is None else (where.filename, where.line, where.col) == line


# Who compiled -----------------------------------------------------------------------------------


def test_the_version_says_who_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """It changes with all that changes a cubin, and cuTile.jl finds the version it looks for."""
    monkeypatch.setattr(nvidia, "find", lambda name: None)
    texts = [identity.version_text({}), identity.version_text({"num_warps": 4})]
    texts.append(identity.version_text({"num_warps": 8}))
    for module, name, value in (
        (identity, "_llvmlite", lambda: "1"), (identity, "_sources", lambda: "1"),
        (identity, "_ptxas", lambda: "1"), (identity.tileir, "__version__", "1"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
        texts.append(identity.version_text({}))
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert text.startswith("tileir ")
        assert re.search(r"V(\d+\.\d+\.\d+)", text)[1] == "13.5.0"
    assert identity._spelled({"b": 2, "a": 1}) == "a=1, b=2"


@needs_cutile
def test_entries_of_ours_and_of_nvidias_never_answer_each_other(tmp_path: Path) -> None:
    from cutile_cache import _cache  # pyright: ignore

    versions = NVIDIAS, identity.version_text({}), identity.version_text({"num_warps": 4})
    keys = [_cache.cache_key(version, "sm_90", 3, b"bytecode") for version in versions]
    for key in keys:
        _cache.cache_store(str(tmp_path), key, key.encode())
    assert [_cache.cache_lookup(str(tmp_path), key) for key in keys] == [k.encode() for k in keys]
    assert len(set(keys)) == 3


# The launcher -----------------------------------------------------------------------------------


@posix
def test_the_launcher(launcher: Path, tmp_path: Path) -> None:
    """It works from any folder, with nothing in its environment, whoever finds it."""
    done = subprocess.run(
        [launcher, "--version"], cwd=tmp_path, env={}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("; options num_warps=4\n")
    assert is_launcher(launcher)
    assert not is_launcher(Path(sys.executable))
    assert not is_launcher(tmp_path)


@posix
def test_nothing_of_others_is_overwritten(launcher: Path, tmp_path: Path, capsys) -> None:
    assert main(["tileiras", "install", str(launcher.parent)]) == 0
    assert "num_warps" not in launcher.read_text()
    assert os.listdir(launcher.parent) == ["tileiras"]
    (tmp_path / "tileiras").write_text("NVIDIA's")
    assert main(["tileiras", "install", str(tmp_path)]) == 2
    assert "is there, and no launcher of ours" in capsys.readouterr().err
    assert (tmp_path / "tileiras").read_text() == "NVIDIA's"


@posix
def test_searches_pass_it_over(
    launcher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a toolkit and on the search path; what comes behind it is found."""
    real = tmp_path / "tileiras"
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    monkeypatch.setattr(nvidia.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setenv("PATH", f"{launcher.parent}{os.pathsep}{tmp_path}")
    assert nvidia.find("tileiras") == real
    real.unlink()
    assert nvidia.find("tileiras") is None
    assert nvidia.find("ptxas") is None


# cuTile without NVIDIA's compiler --------------------------------------------------------------

EXPORT = """\
import io, warnings
warnings.simplefilter("error")
import cuda.tile as ct
from cuda.tile import _compile
from cuda.tile.compilation import (
    ArrayConstraint, CallingConvention, ConstantConstraint, KernelSignature, export_kernel,
)

@ct.kernel
def double(x, tile: ct.Constant[int]):
    ct.store(x, (0,), 2 * ct.load(x, (0,), (tile,)))

vector = ArrayConstraint(
    ct.float32, 1, index_dtype=ct.int32, base_addr_divisible_by=16, stride_constant=[1],
    stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False,
)
signature = KernelSignature(
    [vector, ConstantConstraint(16)], CallingConvention.cutile_python_v2(), "double"
)
file = io.BytesIO()
export_kernel(double, [signature], file, gpu_code="sm_90", output_format="cubin")
print(_compile._find_compiler_bin().path, file.getvalue()[:4], b"double" in file.getvalue())
"""

FAILING = """\
#!/bin/sh
[ "$1" = --version ] && exec cat "$0.version"
case "$1" in *probe*) exit 0;; esac
echo 'error: it compiles' >&2
exit 5
"""
"""It says what the launcher says of itself, and compiles nothing."""


@pytest.fixture
def without_tileiras(launcher: Path, tmp_path: Path) -> SimpleNamespace:
    """An environment that has cuda-tile and nothing of NVIDIA's compiler; `run` runs a program."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    packages = next((tmp_path / "venv").glob("lib/python*/site-packages"))
    for name in ("cuda.tile", "cutile_cache", "typing_extensions"):
        path = Path(find_spec(name).origin)
        path = path.parent if path.name == "__init__.py" else path
        place = packages / "cuda" if name.startswith("cuda.") else packages
        place.mkdir(exist_ok=True)
        (place / path.name).symlink_to(path)
    path = os.pathsep.join([str(launcher.parent), "/usr/bin", "/bin"])
    environment = {"PATH": path, "CUDA_TILE_CACHE_DIR": str(tmp_path / "cache")}
    environment["HOME"] = str(tmp_path)
    (tmp_path / "program.py").write_text(EXPORT)

    def run() -> subprocess.CompletedProcess[str]:
        command = [tmp_path / "venv/bin/python", tmp_path / "program.py"]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    return SimpleNamespace(run=run, cache=tmp_path / "cache", launcher=launcher)


@posix
@needs_cutile
def test_cutile_without_nvidias_compiler(without_tileiras: SimpleNamespace, tool) -> None:
    """Its cache has our cubin under our name, and answers for it, and for nothing else."""
    from cutile_cache import _cache  # pyright: ignore

    tool("ptxas", "--version")  # or skip
    launcher, run = without_tileiras.launcher, without_tileiras.run
    right = f"{launcher} {b'ELF'!r} True\n".replace("b'", r"b'\x7f")
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, right, "")
    (entry,) = _cache.cache_entries(str(without_tileiras.cache))
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True).stdout
    assert entry.metadata.compiler_version == version.strip()
    assert entry.metadata.kernel_names == ["double"]
    assert entry.metadata.remarks.startswith("--- !")
    (launcher.parent / "tileiras.version").write_text(version)
    launcher.write_text(FAILING)
    assert run().stdout == right
    (launcher.parent / "tileiras.version").write_text(NVIDIAS)
    assert "it compiles" in run().stderr
