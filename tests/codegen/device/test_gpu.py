"""The fixtures on the GPU of this machine, ``pytest -m gpu``: that takes cuda-bindings alone."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tests.codegen import copied_boxes as boxes
from tests.corpus import ROOT
from tests.launches import NAMES, newest
from tileir import compile
from tileir.codegen.device.copies import copied
from tileir.codegen.device.image import Image
from tileir.codegen.device.own_target import own_target
from tileir.codegen.nvptx import CompiledEntry
from tileir.errors import DeviceError, KernelAssertionError, MissingPackageError, UnsupportedError
from tileir.gpus import TARGETS

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


@pytest.mark.gpu
@pytest.mark.parametrize("shift", [0, 1, 8])
def test_boxes_of_a_tensor(shift: int, target: str) -> None:
    """By a tensor map, or by the twin where the matrix does not begin at a multiple of 16."""
    if not TARGETS[target].has("tensor copies"):
        pytest.skip("the GPU here has no tensor copies")
    matrix = boxes.matrix()
    part = matrix[:, shift:]
    out = np.full(boxes.expected(part).size, -1, np.float16)
    with copied([matrix, out]) as (there, result):
        place = there.address + shift * matrix.itemsize
        grid, pitch = boxes.grid_of(part), matrix.shape[1]
        kernel = CompiledEntry("boxes", boxes.ELEMENTS, boxes.plan(), Image(lambda _: boxes.ptx()))
        kernel.launch(grid, [place, *part.shape, pitch, result])
    np.testing.assert_array_equal(out, boxes.expected(part))


def _check_elsewhere(name: str, target: str) -> None:
    """In a process of its own."""
    command = [sys.executable, "-m", "tests.codegen.device.launched", name, target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
