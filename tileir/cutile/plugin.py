"""A pytest plugin to test cuTile programs on the CPU: ``pytest -p tileir.cutile.plugin``.

The CPU is installed as the GPU before any conftest.py is imported, or, with ``--cutile-gpu``, our
compiler as NVIDIA's. Without ``-p``, nothing happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tileir.errors import TileIRError

from . import ON_GPU, OPTIONS, flag, install
from .children import adopt

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of ``python -m tileir.cutile``, under longer names."""
    group = parser.getgroup("cutile", "cuTile on the CPU")
    for name, option in OPTIONS.items():
        group.addoption(f"--cutile-{flag(name)}", dest=f"cutile_{name}", **option)
    group.addoption("--cutile-gpu", **ON_GPU | {"dest": "cutile_compiler"})
    group.addoption(
        "--cutile-children", action="store_true", help="so for all Python processes of the tests"
    )


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Install before the first conftest.py is imported."""
    given = early_config.known_args_namespace
    try:
        options = {name: getattr(given, f"cutile_{name}") for name in (*OPTIONS, "compiler")}
        install(**options)
        if given.cutile_children:
            adopt(options)
    except TileIRError as error:
        import pytest

        raise pytest.UsageError(str(error)) from None


def pytest_report_header(config: pytest.Config) -> str:
    """Return a line for pytest's header: whether tests of this run see a GPU."""
    if config.getoption("cutile_compiler"):
        return "cuTile: kernels run on the GPU, compiled by tileir"
    return f"cuTile: kernels run on the CPU, as {config.getoption('cutile_sm')}"
