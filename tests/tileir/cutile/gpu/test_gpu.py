"""Kernels of cuTile compiled by tileir for a GPU, launched on a stand-in for the driver."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.codegen.device import standin
from tests.tileir.cutile.programs import WITHOUT_TORCH, cutile_without_torch, output, python
from tileir.cutile import install, plugin
from tileir.errors import UnsupportedError

HERE = Path(__file__).parent
pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
def test_launches(gpu: str, tmp_path: Path) -> None:
    if reason := standin.why_not():
        pytest.skip(reason)
    program = HERE / "gpu_program.py"
    names = re.findall(r"^def (test_\w+)", program.read_text(), re.MULTILINE)
    assert output(python(program, tmp_path, gpu, path=WITHOUT_TORCH)) == names
