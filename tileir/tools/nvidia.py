"""NVIDIA's tools, where they are installed: finding them, and calls of ptxas and nvdisasm."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tileir.errors import ToolError
from tileir.gpus import assembled_for
from tileir.messages.missing_packages import is_installed, missing, needs, pip_install

from .launchers import is_launcher

VARIABLES = ("CUDA_HOME", "CUDA_PATH")
"""Environment variables with the folder of a CUDA toolkit."""
PACKAGES = {
    "tileiras": "nvidia-cuda-tileiras",
    "ptxas": "nvidia-cuda-nvcc",
    "nvdisasm": "nvidia-cuda-nvdisasm",
    "libnvvm": "nvidia-nvvm",
}
"""Tool -> the package on PyPI that has it; a CUDA toolkit has them all."""

_RELEASE = re.compile(r"V(\d+\.\d+\.\d+)")
_CUBIN = "kernel.cubin"
_USAGE = re.compile(
    r"Compiling entry function '(?P<entry>[^']*)'.*?"
    r"(?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads.*?"
    r"Used (?P<registers>\d+) registers(?:, used (?P<barriers>\d+) barriers)?",
    re.DOTALL,
)
"""What `ptxas -v` says of an entry."""
_COUNTED = ("registers", "stores", "loads", "barriers")
_PTX_TARGET = re.compile(r"^\.target (\w+)", re.MULTILINE)


def find(name: str) -> Path | None:
    """Return a tool in a toolkit, in NVIDIA's PyPI packages or on the search path, else None.

    A launcher of ours that has the tool's name is passed over.
    """
    folders = [Path(os.environ[v]) / "bin" for v in VARIABLES if os.environ.get(v)]
    spec = importlib.util.find_spec("nvidia")
    for package in spec.submodule_search_locations or () if spec else ():
        folders += sorted(Path(package).glob("*/bin"))
    on_path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in [*map(str, folders), *on_path]:
        installed = shutil.which(name, path=folder)
        if installed and not is_launcher(Path(installed)):
            return Path(installed)
    return None


def not_there(name: str) -> ToolError:
    """Return the error that a tool is not installed; one without a row comes with tileiras."""
    package = PACKAGES.get(name, PACKAGES["tileiras"])
    return ToolError(f"{name} is not installed; {pip_install(package)}")


def release_of(path: Path) -> str | None:
    """Return the release that a tool prints, such as 13.5.37; None if it prints none."""
    found = _RELEASE.search(output(path, "--version"))
    return found[1] if found else None


def output(path: Path, option: str) -> str:
    """Return all that a tool prints, "" if it cannot be run."""
    try:
        done = subprocess.run(
            [path, option], capture_output=True, text=True, errors="replace", timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


class Usage(NamedTuple):
    """What ptxas says of an entry: registers of a thread, bytes that it spills, barriers."""

    registers: int
    stored: int
    """Bytes of spilled registers that a thread stores to local memory, in all of the code."""
    loaded: int
    barriers: int = 0


class Assembled(NamedTuple):
    """A cubin, and what ptxas says of its entries, by their names in the PTX."""

    cubin: bytes
    usage: dict[str, Usage]


def assemble_verbosely(ptx: str, target: str) -> Assembled:
    """Return the cubin that ptxas makes of PTX for a target, and what it says of its entries."""
    with tempfile.TemporaryDirectory() as folder:
        said = _ptxas(ptx, target, folder, "-v").stderr.decode(errors="replace")
        cubin = Path(folder, _CUBIN).read_bytes()
    usage = {
        row["entry"]: Usage(*(int(row[name] or 0) for name in _COUNTED))
        for row in _USAGE.finditer(said)
    }
    return Assembled(cubin, usage)


def compile_by_tileiras(
    bytecode: bytes, target: str, lines: bool = False, seconds: float | None = None
) -> bytes:
    """Return the cubin that tileiras makes of bytecode for a GPU that it knows.

    It has source lines if they are wanted. ToolError if that takes more than so many seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "kernel.tileirbc"), Path(folder, _CUBIN)
        source.write_bytes(bytecode)
        options = [f"--gpu-name={target}", *(["--lineinfo"] if lines else [])]
        _run("tileiras", *options, "-o", str(cubin), str(source), seconds=seconds)
        return cubin.read_bytes()


def assemble(ptx: str, target: str, lines: bool = False) -> bytes:
    """Return the cubin that ptxas makes of PTX for a target, with source lines if wanted."""
    with tempfile.TemporaryDirectory() as folder:
        _ptxas(ptx, target, folder, *(["-lineinfo"] if lines else []))
        return Path(folder, _CUBIN).read_bytes()


def _ptxas(ptx: str, target: str, folder: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    """Have ptxas make a cubin of PTX in a folder, and return what it says."""
    arch = architecture(ptx, target)
    source = Path(folder, "kernel.ptx")
    source.write_text(ptx)
    cubin = str(Path(folder, _CUBIN))
    return _run("ptxas", *options, f"-arch={arch}", "-o", cubin, str(source))


def architecture(ptx: str, target: str) -> str:
    """Return the GPU for which ptxas assembles PTX that was made for a target."""
    named = _PTX_TARGET.search(ptx)
    return assembled_for(target, named[1] if named else target)


def ptxas_version() -> str:
    """Return what the ptxas that is found says about its version; ToolError if there is none."""
    tool = find("ptxas")
    state = tool.stat() if tool else None
    return _version(tool, state and (state.st_size, state.st_mtime_ns))


@lru_cache(maxsize=8)
def _version(tool: Path | None, state: tuple[int, int] | None) -> str:
    """Return the version of a tool as long as the file has not changed."""
    return _run("ptxas", "--version").stdout.decode(errors="replace").strip()


def disassemble(cubin: bytes, lines: bool = False) -> bytes:
    """Return the machine code of a cubin as nvdisasm prints it, with source lines if wanted."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, _CUBIN)
        file.write_bytes(cubin)
        return _run("nvdisasm", "-c", *(["-g"] if lines else []), str(file)).stdout


def check_installed(what: str, tools: Sequence[str], packages: Sequence[str] = ()) -> None:
    """Raise one error that names all that `what` lacks, of tools and, by their modules, packages.

    ToolError if a tool is missing, MissingPackageError if only packages are.
    """
    absent = [name for name in tools if find(name) is None]
    lacking = [name for name in packages if not is_installed(name)]
    if absent:
        raise ToolError(needs(what, [*absent, *lacking], PACKAGES))
    if lacking:
        raise missing(lacking, what)


def _run(
    name: str, *arguments: str, seconds: float | None = None
) -> subprocess.CompletedProcess[bytes]:
    tool = find(name)
    if tool is None:
        raise not_there(name)
    try:
        done = _ran([str(tool), *arguments], seconds)
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{name} was not done after {seconds:g} s, and was ended") from error
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise ToolError(f"{name} failed: {said}")
    return done


def _ran(command: list[str], seconds: float | None) -> subprocess.CompletedProcess[bytes]:
    """Run a program, and end it and what it has started after so many seconds: TimeoutExpired.

    With a time to keep to, it leads a group of processes, as tileiras starts ptxas. Without, it
    stays in the group of this process, and is ended with that.
    """
    if seconds is None or os.name != "posix":
        return subprocess.run(command, capture_output=True, timeout=seconds)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, process_group=0) as process:
        try:
            out, said = process.communicate(timeout=seconds)
        except BaseException:  # Ctrl-C, too, of which the group hears nothing
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, said)
