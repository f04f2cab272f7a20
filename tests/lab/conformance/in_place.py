"""Kernels of cuTile on a GPU that is not there, in the pytest process and those that tests start.

`tileir.cutile.install(compiler="tileir")` as a program with a GPU calls it, cuTile's own code for
launches, and a stand-in for the driver, which refuses what a driver refuses and runs kernels on the
emulator. Only torch is told that its device "cuda" is the CPU.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from tests.codegen.device import standin as without_cutile
from tests.tileir.cutile.gpu import standin
from tileir.cutile import install, torch_stand_in
from tileir.gpus import capability_of

from . import counting

IN_PLACE = "TILEIR_CONFORMANCE_IN_PLACE"
"""The environment tells processes which GPU there is to be."""


class Counting(standin.CuTilesDriver):
    """Counts kernels that have run."""

    def _run(self, *launch: Any) -> int:
        code = super()._run(*launch)
        counting.launches += code == without_cutile.SUCCESS
        return code


def install_in_place(target: str) -> None:
    """Make the GPU, before anything imports cuTile."""
    with tempfile.TemporaryDirectory() as folder:
        driver = standin.install(Path(folder), capability_of(target), Counting)
    torch_stand_in.install(capability_of(target))
    install(compiler="tileir")
    standin.told_of_memory(driver)
