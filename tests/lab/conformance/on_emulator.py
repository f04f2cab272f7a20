"""cuTile's launches on the emulator: kernels are compiled for a GPU instead of the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tileir
from tileir.codegen import emulator
from tileir.cutile import image
from tileir.cutile.options import Options

TARGET = "TILEIR_CONFORMANCE_TARGET"
"""The environment tells processes that tests start what to compile for."""


class OnEmulator:
    """An entry as the driver of `tileir.cutile` launches it."""

    def __init__(self, ptx: str, plan: dict[str, Any], parameters: int) -> None:
        self.ptx, self.plan, self.symbol = ptx, plan, plan["entry"]
        self.info = self
        self.written: tuple[int, ...] = ()
        """The parameters that it writes to; the emulator does not ask."""
        self.offsets = range(0, 8 * parameters, 8)
        """Where arguments would lie in one block; the emulator takes them one by one."""
        self.size = 8 * parameters

    def launch_named(
        self, grid: Sequence[int], args: Sequence[Any], names: Mapping[int, str],
        threads: int | None, allocations: Sequence[Any], progress: object,
    ) -> None:  # fmt: skip
        """Run the grid on the memory of the process."""
        emulator.launch(self.ptx, self.plan, grid, args, allocations=allocations)


def replace_launches(target: str) -> None:
    """Compile for a GPU and launch on the emulator from now on."""

    def compiled(read: tileir.Bytecode, _: Any) -> Mapping[str, OnEmulator]:
        found = tileir.compile(read, target=target)
        return {
            symbol: OnEmulator(found.ptx, plan, len(read.function(symbol).type.parameters))
            for symbol, plan in found.plan.items()
        }

    image._compile = compiled
    setattr(Options, "needs_memory", True)  # noqa: B010  a property; the emulator checks accesses
