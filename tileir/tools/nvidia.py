"""NVIDIA's tools, for those who have them: where they are, and two that are called."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tileir.errors import ToolError
from tileir.gpus import assembled_for

VARIABLES = ("CUDA_HOME", "CUDA_PATH")
"""Environment variables that say where a CUDA toolkit is installed."""
PACKAGES = {
    "tileiras": "nvidia-cuda-tileiras",
    "ptxas": "nvidia-cuda-nvcc",
    "nvdisasm": "nvidia-cuda-nvdisasm",
    "libnvvm": "nvidia-nvvm",
}
"""Tool -> the package on PyPI that has it; all come with CUDA."""

_PTX_TARGET = re.compile(r"^\.target (\w+)", re.MULTILINE)


def find(name: str) -> Path | None:
    """A tool in a toolkit, in NVIDIA's PyPI packages, or on the search path."""
    folders = [Path(os.environ[v]) / "bin" for v in VARIABLES if os.environ.get(v)]
    spec = importlib.util.find_spec("nvidia")
    for package in spec.submodule_search_locations or () if spec else ():
        folders += sorted(Path(package).glob("*/bin"))
    places = os.pathsep.join(map(str, folders))
    found = shutil.which(name, path=places) or shutil.which(name)
    return Path(found) if found else None


def assemble(ptx: str, target: str, lines: bool = False) -> bytes:
    """The cubin that ptxas makes of PTX for a target, with its source lines if wanted."""
    arch = assembled_for(target, _PTX_TARGET.search(ptx)[1])
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        wanted = ["-lineinfo"] if lines else []
        _run("ptxas", *wanted, f"-arch={arch}", "-o", str(cubin), str(source))
        return cubin.read_bytes()


def disassemble(cubin: bytes, lines: bool = False) -> bytes:
    """The machine code of a cubin as nvdisasm prints it, with source lines if wanted."""
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
