"""Whole kernels on the CPU: the fixtures bit for bit, and sizes that no tile divides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import FIXTURES, OLDEST_AND_NEWEST, name_of
from tests.launches import NAMES, Launch
from tests.tileir.builder.test_module import described
from tileir.bytecode import Bytecode
from tileir.codegen import compile
from tileir.errors import UnsupportedError

GPU_ONLY = {"multimem"}
"""Fixtures that no CPU can run."""


def parse(path: Path) -> Bytecode:
    return Bytecode.parse(path.read_bytes())


def code(bytecode: Bytecode) -> list:
    """All that a module computes, without where it stands in a source."""
    kernels = [
        (function.name, function.type, [op[:-1] for op in described(function.body)])
        for function in bytecode.functions
    ]
    return [kernels, bytecode.globals]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in GPU_ONLY])
def test_fixture_gives_the_expected_arrays(name: str, named: Callable) -> None:
    """Bit for bit, unless the launch states a tolerance: for math functions, and sums of floats.

    Of the newest version, and of the oldest if it is other code.
    """
    about, seen = Launch(name), []
    for path in [path for path in OLDEST_AND_NEWEST if path.stem == name][::-1]:
        with named(name_of(path)):
            bytecode = parse(path)
            if code(bytecode) not in seen:
                seen.append(code(bytecode))
                arrays = about.arrays()
                kernel = compile(bytecode)[about.entry]
                kernel.launch(about.grid, about.arguments(arrays), threads=2)
                about.check(arrays)


SIZES = (1, 2, 1023, 1024, 1025, 3 * 1024 + 5)


@pytest.mark.parametrize("name", ["vector_add", "vector_add_i32", "vector_add_f64"])
@pytest.mark.parametrize("version", ["13.1", "13.4"])
def test_vector_add_at_any_size(version: str, name: str) -> None:
    kernel = compile(parse(FIXTURES / version / f"{name}.tileirbc"))[name]
    dtype = kernel_dtype(kernel)
    random = np.random.default_rng(1)
    for size in SIZES:
        x, y = (random.integers(-(2**30), 2**30, size).astype(dtype) for _ in range(2))
        z = np.full(size + 16, 77, dtype)
        kernel.launch(-(-size // 1024), [x, size, 1, y, size, 1, z, size, 1])
        assert (z[:size] == x + y).all()
        assert (z[size:] == 77).all(), "wrote beyond the tensor"


def kernel_dtype(kernel) -> np.dtype:
    names = {"f32": "float32", "f64": "float64", "i32": "int32"}
    return np.dtype(names[kernel.info.elements[0].pointee.name])


@pytest.mark.parametrize("shape", [(1, 1), (16, 32), (15, 33), (17, 31), (40, 70), (3, 200)])
def test_two_dimensions_at_any_size(shape: tuple[int, int]) -> None:
    kernel = compile(parse(FIXTURES / "13.4" / "scaled_copy.tileirbc"))["scaled_copy"]
    rows, columns = shape
    x = np.random.default_rng(2).standard_normal((rows, columns + 3)).astype(np.float32)
    z = np.full((rows + 1, columns + 5), 77, np.float32)
    grid = (-(-rows // 16), -(-columns // 32))
    sizes = [rows, columns, columns + 3, 1], [rows, columns, columns + 5, 1]
    kernel.launch(grid, [x, *sizes[0], z, *sizes[1]])
    expected = np.full_like(z, 77)
    expected[:rows, :columns] = x[:, :columns] * np.float32(1.5)
    np.testing.assert_array_equal(z, expected)


def test_one_thread_and_four_agree() -> None:
    kernel = compile(parse(FIXTURES / "13.4" / "vector_add.tileirbc"))["vector_add"]
    size = 700 * 1024 + 17
    x, y = np.random.default_rng(5).standard_normal((2, size)).astype(np.float32)
    one, four = np.zeros_like(x), np.zeros_like(x)
    for threads, z in ((1, one), (4, four)):
        kernel.launch(701, [x, size, 1, y, size, 1, z, size, 1], threads=threads)
    assert (one == four).all()
    assert (one == x + y).all()


def test_the_loops_are_vectorised() -> None:
    compiled = compile(parse(FIXTURES / "13.4" / "vector_add.tileirbc"))
    text = compiled.assembly
    if not any(register in text for register in ("%rdi", "%rax")):
        pytest.skip("the names of the registers are those of x86")
    assert "addps" in text


def test_what_no_cpu_has_is_reported_at_once() -> None:
    with pytest.raises(UnsupportedError, match="multicast memory exists on GPUs only") as caught:
        compile(parse(FIXTURES / "13.5" / "multimem.tileirbc"))
    found = caught.value.diagnostics
    assert len(found) >= 2
    assert all(item.severity == "error" and item.kind == "unsupported" for item in found)
    assert all(item.function and item.offset for item in found)
    assert any(".py:" in item.location for item in found)
    assert all(str(item) in str(caught.value) for item in found)
