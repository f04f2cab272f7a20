"""Fixture discovery, NVIDIA's tools where they are installed, and the update flag for goldens."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the golden files")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether goldens are to be rewritten."""
    return request.config.getoption("--update")


def nvidia_tool(name: str) -> Path | None:
    """The path of one of NVIDIA's tools from its PyPI package, None if it is not installed."""
    spec = importlib.util.find_spec("nvidia")
    for folder in spec.submodule_search_locations if spec else ():
        for candidate in Path(folder).glob(f"*/bin/{name}*"):
            if candidate.stem == name:
                return candidate
    found = shutil.which(name)
    return Path(found) if found else None


@pytest.fixture
def tool():
    """Run one of NVIDIA's tools, or skip with the reason: ``tool("ptxas", "--version")``."""

    def run(name: str, *arguments: object) -> subprocess.CompletedProcess[bytes]:
        path = nvidia_tool(name)
        if path is None:
            pytest.skip(f"{name} is not installed (pip install tileir[test] on Linux or Windows)")
        return subprocess.run([path, *map(str, arguments)], capture_output=True, check=False)

    return run
