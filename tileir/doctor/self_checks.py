"""Checks of tileir itself with a small kernel, and the state of its cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tileir
from tileir.formats.version import SUPPORTED

_KERNEL = """\
entry @twice(%place: tile<ptr<f32>>) {
  %number, %read = load_ptr_tko weak %place : tile<ptr<f32>> -> tile<f32>, token
  %twice = addf %number, %number : tile<f32>
  %written = store_ptr_tko weak %place, %twice token=%read
    : tile<ptr<f32>>, tile<f32> -> token
  return
}
"""


def check_reading() -> None:
    """Convert the kernel from text to bytecode of every version, and back."""
    bytecode = tileir.assemble(_KERNEL)
    text = tileir.disassemble(bytecode)
    for version in SUPPORTED:
        older = bytecode.to_version(version)
        again = tileir.Bytecode.parse(older.build(), strict=True)
        if tileir.disassemble(again) != text or tileir.verify(again):
            raise RuntimeError(f"bytecode {version} is not read as it was written")


def check_llvm() -> None:
    """Load LLVM."""
    import tileir.codegen.llvm  # noqa: F401


def check_host() -> None:
    """Run the kernel on this CPU."""
    import numpy as np

    number = np.array([3], np.float32)
    tileir.compile(tileir.assemble(_KERNEL), cache=False)["twice"].launch(1, [number])
    if number[0] != 6:
        raise RuntimeError(f"twice 3 is {number[0]} on this CPU")


def check_ptx() -> None:
    """Compile the kernel to PTX."""
    if ".entry twice(" not in tileir.compile(tileir.assemble(_KERNEL), "sm_90", cache=False).ptx:
        raise RuntimeError("the PTX lacks its entry")


def problem_of(check: Callable[[], None]) -> str | None:
    """Return the error that a check raises, on one line; None if it raises none."""
    try:
        check()
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}".splitlines()[0]
    return None


def look_at_cache() -> dict[str, Any]:
    """Return the folder of compiled kernels, their number and their size."""
    from tileir.codegen.cache.folder import find_cache

    cache = find_cache()
    if cache is None:
        return {"folder": None, "entries": 0, "bytes": 0, "limit": 0}
    sizes = cache.sizes()
    return {
        "folder": str(cache.folder),
        "entries": len(sizes),
        "bytes": sum(sizes),
        "limit": cache.limit,
    }
