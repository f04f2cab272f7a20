"""transformers' Llama and Qwen with kernels of cuTile, on the CPU; they share one process."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.tileir.cutile.programs import cutile, output

pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")
pytestmark = [
    pytest.mark.slow,
    *(
        pytest.mark.skipif(
            importlib.util.find_spec(name) is None, reason=f"{name} is not installed"
        )
        for name in ("torch", "transformers")
    ),
]


@pytest.fixture(scope="module")
def checked() -> list[str]:
    return output(cutile(Path(__file__).parent / "transformers_program.py"))


@pytest.mark.parametrize("model", ["llama", "qwen2", "qwen3"])
@pytest.mark.parametrize("what", ["blocks float32", "blocks bfloat16", "model"])
def test_inference(model: str, what: str, checked: list[str]) -> None:
    assert f"{model} {what}" in checked


def test_training(checked: list[str]) -> None:
    assert "llama training" in checked
