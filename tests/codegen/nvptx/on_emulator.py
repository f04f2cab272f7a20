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
    return run(compile(bytecode, target), symbol, grid, args, schedule)


def run(
    compiled: Any, symbol: str, grid: int | Sequence[int], args: list, schedule: str = "random-1"
) -> emulator.Result:
    """Run what was compiled for a GPU."""
    return emulator.launch(compiled.ptx, compiled.plan[symbol], grid, args, schedule=schedule)
