"""NVIDIA's software on a machine: the driver and its GPUs, and the tools."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tileir.gpus import gpus_among
from tileir.messages.texts import printable
from tileir.tools.nvidia import PACKAGES, VARIABLES, find, output, release_of

_WINDOWS = sys.platform == "win32"
DRIVER = "nvcuda.dll" if _WINDOWS else "libcuda.so.1"
MANAGEMENT = "nvml.dll" if _WINDOWS else "libnvidia-ml.so.1"
_NVVM = "nvvm64_40_0.dll" if _WINDOWS else "libnvvm.so*"

_CAPABILITY = (75, 76)
"""CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR."""

_TEXT = 128
"""Bytes of the buffer for a name."""

TOOLS = {
    "tileiras": "NVIDIA's compiler of Tile IR",
    "ptxas": "PTX to machine code",
    "nvdisasm": "shows machine code",
    "libnvvm": "NVIDIA's compiler of NVVM IR",
}
"""Tool -> its purpose."""

Load = Callable[[str], Any]


def look_at_driver(load: Load = ctypes.CDLL) -> dict[str, Any]:
    """Return the driver's CUDA version, release and GPUs, asked through its C interface.

    The key "problem" says why there are no GPUs; it is None if there are.
    """
    about: dict[str, Any] = {"cuda": None, "release": None, "gpus": [], "problem": None}
    try:
        cuda = load(DRIVER)
    except OSError:
        return about | {"problem": "there is no NVIDIA driver"}
    about["release"] = _release_of_driver(load)
    number = ctypes.c_int()
    try:
        if not cuda.cuDriverGetVersion(ctypes.byref(number)):
            about["cuda"] = f"{number.value // 1000}.{number.value % 1000 // 10}"
        if code := cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(number)):
            return about | {"problem": f"the driver finds no GPU that it can use (error {code})"}
        about["gpus"] = [_gpu(cuda, ordinal) for ordinal in range(number.value)]
    except AttributeError as error:  # so ctypes says that a library lacks a function
        return about | {"problem": f"{DRIVER} is not a whole driver: {printable(str(error))}"}
    return about


def _gpu(cuda: Any, ordinal: int) -> dict[str, Any]:
    device, name, size = ctypes.c_int(), ctypes.create_string_buffer(_TEXT), ctypes.c_size_t()
    cuda.cuDeviceGet(ctypes.byref(device), ordinal)
    cuda.cuDeviceGetName(name, _TEXT, device)
    cuda.cuDeviceTotalMem_v2(ctypes.byref(size), device)
    capability = []
    for attribute in _CAPABILITY:
        number = ctypes.c_int()
        cuda.cuDeviceGetAttribute(ctypes.byref(number), attribute, device)
        capability.append(number.value)
    text = name.value.decode(errors="replace")
    return {"name": text, "capability": capability, "memory": size.value}


def _release_of_driver(load: Load) -> str | None:
    """Return the driver version that nvidia-smi shows, from the library that it uses."""
    try:
        management = load(MANAGEMENT)
    except OSError:
        return None
    text = ctypes.create_string_buffer(_TEXT)
    if management.nvmlInit_v2() or management.nvmlSystemGetDriverVersion(text, _TEXT):
        return None
    return text.value.decode(errors="replace")


def look_at_tool(name: str) -> dict[str, Any]:
    """Return the path of a tool, its release, and the GPUs that its help lists."""
    path = _find_nvvm() if name == "libnvvm" else find(name)
    about = {
        "name": name,
        "purpose": TOOLS[name],
        "path": None if path is None else str(path),
        "release": None,
        "targets": [],
        "package": PACKAGES[name],
    }
    if path is None:
        return about
    if name == "libnvvm":
        return about | {"release": _release_of_nvvm(path)}
    return about | {
        "release": release_of(path),
        "targets": gpus_among(re.findall(r"['=](\w+)\b", output(path, "--help"))),
    }


def _find_nvvm() -> Path | None:
    """Return the library's path in a toolkit, or in NVIDIA's PyPI packages."""
    folders = [Path(os.environ[v], "nvvm") for v in VARIABLES if os.environ.get(v)]
    spec = importlib.util.find_spec("nvidia")
    for package in spec.submodule_search_locations or () if spec else ():
        folders += sorted(Path(package).glob("*/"))
    for folder in folders:
        for inner in ("lib64", "lib", "bin", "bin/x64", "nvvm/lib64", "nvvm/bin"):
            if candidates := sorted((folder / inner).glob(_NVVM)):
                return candidates[0]
    return None


def _release_of_nvvm(path: Path) -> str | None:
    """Return the version of NVVM IR that the library reads."""
    major, minor, debug_major, debug_minor = (ctypes.c_int() for _ in range(4))
    numbers = (major, minor, debug_major, debug_minor)
    try:
        code = ctypes.CDLL(str(path)).nvvmIRVersion(*map(ctypes.byref, numbers))
    except (OSError, AttributeError):
        return None
    return None if code else f"NVVM IR {major.value}.{minor.value}"
