"""The stand-in for the driver, one for all tests of a process."""

from __future__ import annotations

import pytest

from tileir.codegen.device import driver as ours
from tileir.codegen.device import tensor_maps

from . import standin


@pytest.fixture(scope="session")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> standin.Driver:
    if reason := standin.why_not():
        pytest.skip(reason)
    return standin.install(tmp_path_factory.mktemp("driver"))


@pytest.fixture
def driver(_installed: standin.Driver) -> standin.Driver:
    """The stand-in, as after a start."""
    _installed.reset()
    for remembered in (ours.capability, ours.shared_memory, tensor_maps.encode):
        remembered.cache_clear()
    return _installed
