"""The library inside kernels: vector code on the host, no calls and no detours on GPUs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.build import elementwise
from tests.codegen.reference import DTYPES, apply
from tileir.codegen import compile

from .compiled import Function
from .expected import BINARY, OPS, by_numpy, unit

pytestmark = pytest.mark.usefixtures("quiet")

LOOPING = ("remf",)
"""What counts rounds and so stays scalar."""


def inputs(name: str, element: str) -> list[str]:
    second = "i32" if name == "fpowi" else element
    return [element, second] if name in BINARY else [element]


@pytest.mark.parametrize("name", sorted(set(OPS) - set(LOOPING)))
def test_loops_become_vector_code(name: str) -> None:
    function = Function(name, tuple(inputs(name, "f32")))
    assert re.search(r"<\d+ x float>", str(function.module))


@pytest.mark.parametrize("element", ["bf16", "f64"])
@pytest.mark.parametrize("name", OPS)
def test_kernels_on_the_host(name: str, element: str) -> None:
    types = inputs(name, element)
    arrays = [np.linspace(0.1, 9, 32).astype(DTYPES[types[0]])]
    if len(types) == 2:
        arrays.append((np.arange(32) % 5 + 1).astype(DTYPES[types[1]]))
    found = apply(name, arrays, types, element)
    answers = by_numpy(name, arrays)
    assert (np.abs(found.astype(answers.dtype) - answers) <= 2 * unit(answers, element)).all()


@pytest.fixture(scope="module")
def ptx() -> dict[tuple[str, str], str]:
    """Every function on f32 and f64, for a GPU."""
    return {
        (name, element): compile(
            elementwise(name, inputs(name, element), element, 128), "sm_90"
        ).ptx
        for name in OPS
        for element in ("f32", "f64")
    }


def test_gpus_need_no_library(ptx: dict[tuple[str, str], str]) -> None:
    assert not [key for key, text in ptx.items() if re.search(r"\bcall\b|\.extern", text)]


def test_gpus_keep_to_f32(ptx: dict[tuple[str, str], str]) -> None:
    assert not [key for key, text in ptx.items() if key[1] == "f32" and ".f64" in text]


def test_gpus_fuse_only_what_is_fused_here(ptx: dict[tuple[str, str], str]) -> None:
    """Without .rn ptxas might join a product and a sum, which spoils the exact differences."""
    loose = re.compile(r"\b(add|sub|mul)(\.ftz)?\.f(32|64)")
    assert not [key for key, text in ptx.items() if loose.search(text)]


@pytest.mark.oracle
@pytest.mark.parametrize("target", ["sm_75", "sm_90", "sm_120"])
@pytest.mark.parametrize("name", ["tan", "fpowi", "remf", "tanh", "exp"])
def test_nvidia_assembles_it(tool, tmp_path: Path, name: str, target: str) -> None:
    source, binary = tmp_path / "math.ptx", tmp_path / "math.cubin"
    for element in ("f16", "f64"):
        module = elementwise(name, inputs(name, element), element, 128)
        source.write_text(compile(module, target).ptx)
        done = tool("ptxas", f"-arch={target}", "-o", binary, source)
        assert done.returncode == 0, (done.stdout + done.stderr).decode()
