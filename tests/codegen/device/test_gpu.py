"""The fixtures on the GPU of this machine, ``pytest -m gpu``: that takes cuda-bindings alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.corpus import ROOT
from tests.launches import NAMES, newest
from tileir import compile
from tileir.codegen.device.own_target import own_target
from tileir.errors import DeviceError, KernelAssertionError, MissingPackageError, UnsupportedError

from . import standin
from .launched import check_fixture

lost: list[str] = []
"""The fixture after which the driver serves this process no more, if there was one."""


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
        compile(newest(name), target)
    except UnsupportedError:
        pytest.skip("not lowered for GPUs")
    if lost:
        _check_elsewhere(name, target)
        return
    try:
        check_fixture(name, target)
    except (DeviceError, KernelAssertionError):
        lost.append(name)
        raise


def _check_elsewhere(name: str, target: str) -> None:
    """In a process of its own."""
    command = [sys.executable, "-m", "tests.codegen.device.launched", name, target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
