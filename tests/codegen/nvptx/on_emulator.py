"""Kernels on the emulator instead of a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tileir.codegen import compile, emulator


def launch(
    bytecode: Any, symbol: str, grid: int | Sequence[int], args: list,
    target: str = "sm_90", schedule: str = "random-1",
) -> emulator.Result:  # fmt: skip
    """Compile for a GPU and run; a schedule that is not lock-step shows missing barriers."""
    compiled = compile(bytecode, target)
    return emulator.launch(compiled.ptx, compiled.plan[symbol], grid, args, schedule=schedule)
