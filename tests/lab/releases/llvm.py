"""The joints with llvmlite: LLVM's version, and the code that it makes of our kernels."""

from __future__ import annotations

import hashlib
from pathlib import Path

import tileir
from tests.corpus import FIXTURES
from tileir.doctor import self_checks
from tileir.doctor.packages import packages

KERNELS = ("vector_add", "matmul")
TARGETS = ("sm_90",)


def release(folder: Path | None) -> dict[str, str]:
    """The version of LLVM, and whether pip may install this llvmlite beside tileir."""
    import llvmlite
    from llvmlite import binding

    (row,) = [package for package in packages() if package.name == "llvmlite"]
    allowed = row.supports(llvmlite.__version__)
    return {
        "LLVM": ".".join(map(str, binding.llvm_version_info)),
        "allowed": "yes" if allowed else f"no, {row.wanted} is",
    }


def ptx(folder: Path | None) -> dict[str, str]:
    """The PTX of some fixtures."""
    found = {}
    for name in KERNELS:
        path = FIXTURES / "13.4" / f"{name}.tileirbc"
        for target in TARGETS:
            text = tileir.compile(tileir.load(path), target, cache=False).ptx or ""
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            found[f"{name} for {target}"] = f"{len(text.splitlines())} lines, {digest}"
    return found


def host(folder: Path | None) -> dict[str, str]:
    """Whether a kernel runs on the CPU."""
    return {"runs": self_checks.problem_of(self_checks.check_host) or "yes"}


JOINTS = {"LLVM": release, "PTX": ptx, "CPU": host}
