"""NVIDIA's tools, where they are installed: finding them, and calls of ptxas and nvdisasm."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from tileir.errors import ToolError
from tileir.gpus import assembled_for

VARIABLES = ("CUDA_HOME", "CUDA_PATH")
"""Environment variables with the folder of a CUDA toolkit."""
PACKAGES = {
    "tileiras": "nvidia-cuda-tileiras",
    "ptxas": "nvidia-cuda-nvcc",
    "nvdisasm": "nvidia-cuda-nvdisasm",
    "libnvvm": "nvidia-nvvm",
}
"""Tool -> the package on PyPI that has it; a CUDA toolkit has them all."""

_PTX_TARGET = re.compile(r"^\.target (\w+)", re.MULTILINE)


def find(name: str) -> Path | None:
    """Return a tool in a toolkit, in NVIDIA's PyPI packages or on the search path, else None."""
    folders = [Path(os.environ[v]) / "bin" for v in VARIABLES if os.environ.get(v)]
    spec = importlib.util.find_spec("nvidia")
    for package in spec.submodule_search_locations or () if spec else ():
        folders += sorted(Path(package).glob("*/bin"))
    installed = shutil.which(name, path=os.pathsep.join(map(str, folders))) or shutil.which(name)
    return Path(installed) if installed else None


def assemble(ptx: str, target: str, lines: bool = False) -> bytes:
    """Return the cubin that ptxas makes of PTX for a target, with source lines if wanted."""
    arch = architecture(ptx, target)
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        wanted = ["-lineinfo"] if lines else []
        _run("ptxas", *wanted, f"-arch={arch}", "-o", str(cubin), str(source))
        return cubin.read_bytes()


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
    return _run("ptxas", "--version").decode(errors="replace").strip()


def disassemble(cubin: bytes, lines: bool = False) -> bytes:
    """Return the machine code of a cubin as nvdisasm prints it, with source lines if wanted."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "kernel.cubin")
        file.write_bytes(cubin)
        return _run("nvdisasm", "-c", *(["-g"] if lines else []), str(file))


def _run(name: str, *arguments: str) -> bytes:
    tool = find(name)
    if tool is None:
        raise ToolError(f"{name} is not installed; pip install {PACKAGES[name]}")
    done = subprocess.run([tool, *arguments], capture_output=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise ToolError(f"{name} failed: {said}")
    return done.stdout
