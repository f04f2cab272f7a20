"""A pytest plugin in the place of `tileir.cutile.plugin`: kernels on a GPU that is not there.

`tileir.cutile.install(compiler="tileir")` as a program with a GPU calls it, cuTile's own code for
launches, and a stand-in for the driver, which refuses what a driver refuses and runs kernels on the
emulator. Only torch is told that its device "cuda" is the CPU.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.device import standin as without_cutile
from tests.tileir.cutile.gpu import standin
from tileir.cutile import install, torch_stand_in
from tileir.gpus import capability_of

from . import counting


class Counting(standin.CuTilesDriver):
    """Counts kernels that have run."""

    def _run(self, *launch: Any) -> int:
        code = super()._run(*launch)
        counting.launches += code == without_cutile.SUCCESS
        return code


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before anything imports cuTile."""
    if reason := without_cutile.why_not():
        raise pytest.UsageError(reason)
    capability = capability_of(early_config.known_args_namespace.target)
    driver = standin.install(Path(tempfile.mkdtemp()), capability, Counting)
    torch_stand_in.install(capability)
    install(compiler="tileir")
    standin.told_of_memory(driver)
