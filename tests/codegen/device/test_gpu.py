"""The fixtures on the GPU of this machine, ``pytest -m gpu``: that takes cuda-bindings alone."""

from __future__ import annotations

import pytest

from tileir.codegen.device.own import own_target
from tileir.errors import DeviceError, MissingPackageError, UnsupportedError

from . import standin
from .launched import NAMES, check_fixture


@pytest.fixture(scope="module")
def target() -> str:
    """The target of the GPU here."""
    if standin.installed:
        pytest.skip("there is no GPU here")
    try:
        return own_target()
    except (DeviceError, MissingPackageError, UnsupportedError) as reason:
        pytest.skip(str(reason))


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMES)
def test_fixture_gives_the_expected_bits(name: str, target: str) -> None:
    try:
        check_fixture(name, target)
    except UnsupportedError:
        pytest.skip("not lowered for GPUs")
