"""Sums and scans of narrow floats against exact ones, on the CPU and on the emulator of a GPU."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tileir
from tests.codegen.host.text import Kernel, spelled
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile
from tileir.codegen.analysis.narrow_folds import rounds_narrowly

PRECISIONS = {
    np.dtype("f2"): 11,
    np.dtype(ml_dtypes.bfloat16): 8,
    np.dtype(ml_dtypes.float8_e4m3fn): 4,
    np.dtype(ml_dtypes.float8_e5m2): 3,
}
"""Bits of the significand, the leading one among them."""


@dataclass(frozen=True)
class Fold:
    """A sum, or with `reverse` a scan by addition, of one array along a dimension."""

    shape: tuple[int, ...]
    dim: int
    reverse: bool | None = None

    @property
    def steps(self) -> float:
        """log2 of the elements that are added up."""
        return math.log2(self.shape[self.dim])

    def kernel(self, array: np.ndarray, result: np.ndarray) -> tileir.Bytecode:
        """The module, whose entry `k` gets both arrays."""
        kernel, element = Kernel(), spelled(array.dtype)
        value = kernel.load(array)
        kept = self.kept
        kind = "reduce" if self.reverse is None else "scan"
        backwards = "" if self.reverse is None else f" reverse={str(self.reverse).lower()}"
        start = "0.0" if array.dtype.itemsize > 1 else "0x00"
        kernel.line(
            f"%r = {kind} {value} dim={self.dim}{backwards} identities=[{start} : {element}]"
            f" : {kernel.type(self.shape, element)} -> {kernel.type(kept, element)}"
            f" (%a: tile<{element}>, %b: tile<{element}>) {{"
        )
        operands, summed = ("%a", "%b"), element
        if array.dtype.itemsize == 1:  # there is no arithmetic on them: in f32, and back
            operands, summed = ("%c", "%d"), "f32"
            for name, wide in zip("ab", operands, strict=True):
                kernel.line(f"{wide} = ftof %{name} : tile<{element}> -> tile<f32>")
        kernel.line(f"%s = addf {operands[0]}, {operands[1]} : tile<{summed}>")
        if summed != element:
            kernel.line(f"%t = ftof %s : tile<f32> -> tile<{element}>")
        kernel.line(f"yield {'%s' if summed == element else '%t'} : tile<{element}> }}")
        kernel.store("%r", result, kept)
        return tileir.assemble(kernel.module())

    @property
    def kept(self) -> tuple[int, ...]:
        """The shape of the result."""
        if self.reverse is not None:
            return self.shape
        return self.shape[: self.dim] + self.shape[self.dim + 1 :]

    def exact(self, array: np.ndarray) -> np.ndarray:
        """The result in f64, whose own rounding does not count."""
        rows = np.moveaxis(array.astype("f8"), self.dim, -1)
        if self.reverse is None:
            return np.apply_along_axis(math.fsum, -1, rows)

        turned = rows[..., ::-1] if self.reverse else rows
        sums = np.cumsum(turned, -1)
        return np.moveaxis(sums[..., ::-1] if self.reverse else sums, -1, self.dim)


def on_host(bytecode: tileir.Bytecode, arrays: Sequence[np.ndarray]) -> None:
    compile(bytecode)["k"].launch(1, arrays)


def on_gpu(bytecode: tileir.Bytecode, arrays: Sequence[np.ndarray]) -> None:
    launch(bytecode, "k", 1, list(arrays))


def errors(fold: Fold, array: np.ndarray, run: Callable) -> np.ndarray:
    """The error of each result, beside the sum of the magnitudes that it is a sum of."""
    result = np.zeros(fold.kept or (1,), array.dtype)
    run(fold.kernel(array, result), [array, result])
    of_all = fold.exact(np.abs(array.astype("f8")))
    error = np.abs(result.reshape(fold.kept).astype("f8") - fold.exact(array))
    return error / np.where(of_all == 0, 1, of_all)


def numbers(dtype: np.dtype, shape: tuple[int, ...], kind: str, seed: int) -> np.ndarray:
    """Numbers whose sums do not overflow."""
    random = np.random.default_rng(seed)
    made = {
        "ones": np.ones, "positive": random.random, "signed": random.standard_normal,
    }[kind](shape)  # fmt: skip
    return (made if dtype.itemsize > 1 else made * 2.0**-6).astype(dtype)


FOLDS = [
    Fold(shape, dim, reverse)
    for shape, dim in [((512, 16), 0), ((2, 4096), 1), ((8,), 0), ((4, 64, 8), 1), ((1, 2), 0)]
    for reverse in (None, False, True)
]


def within(steps: float, dtype: np.dtype) -> float:
    """The bound of so many roundings, those of higher order included."""
    return (1 + 2.0 ** -PRECISIONS[dtype]) ** steps - 1


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(FOLDS), st.sampled_from(list(PRECISIONS)),
    st.sampled_from(["ones", "positive", "signed"]), st.integers(0, 2**32),
)  # fmt: skip
def test_the_cpu_rounds_log2_times(fold: Fold, dtype: np.dtype, kind: str, seed: int) -> None:
    array = numbers(dtype, fold.shape, kind, seed)
    assert errors(fold, array, on_host).max() <= within(fold.steps, dtype)


GPU_FOLDS = [
    Fold((512, 16), 0), Fold((2, 1024), 1), Fold((2, 1024), 1, False), Fold((512, 16), 0, True),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["ones", "positive"])
@pytest.mark.parametrize("dtype", PRECISIONS, ids=str)
@pytest.mark.parametrize("fold", GPU_FOLDS, ids=str)
def test_the_cpu_is_no_worse_than_a_gpu_may_be(fold: Fold, dtype: np.dtype, kind: str) -> None:
    """A reduction takes as many steps on both; a scan more on a GPU, where warps have to meet."""
    array = numbers(dtype, fold.shape, kind, 1)
    most = fold.steps if fold.reverse is None else 2 * fold.steps + 1
    assert errors(fold, array, on_gpu).max() <= within(most, dtype)
    assert errors(fold, array, on_host).max() <= within(fold.steps, dtype)


@pytest.mark.parametrize("run", [on_host, on_gpu])
@pytest.mark.parametrize("dim", [0, 1])
def test_ones_are_counted(dim: int, run: Callable) -> None:
    """One by one, a sum in bf16 ends at 256, and one in f16 at 2048."""
    for dtype in (np.dtype("f2"), np.dtype(ml_dtypes.bfloat16)):
        shape = (4096, 4) if dim == 0 else (4, 4096)
        fold = Fold(shape, dim)
        assert not errors(fold, np.ones(shape, dtype), run).any()


BODIES = {
    "addf %a, %b": True,
    "mulf %a, %b": True,
    "maxf %a, %b": False,
    "select %c, %a, %b": False,
}


@pytest.mark.parametrize("body", BODIES)
def test_extremes_are_exact_in_any_order(body: str) -> None:
    for element in ("bf16", "f32"):
        kinds = f"tile<{element}>"
        typed = f"tile<i1>, {kinds}" if "select" in body else kinds
        text = (
            f"entry @k() {{ %c = constant <i1: true> : tile<i1>\n"
            f" %x = constant <{element}: 1.0> : tile<8x{element}>\n"
            f" %r = reduce %x dim=0 identities=[0.0 : {element}] : tile<8x{element}> -> {kinds}"
            f" (%a: {kinds}, %b: {kinds}) {{ %v = {body} : {typed}\n yield %v : {kinds} }}\n"
            " return }"
        )
        [function] = tileir.assemble(text).functions
        [op] = [op for op in function.walk() if op.name == "reduce"]
        assert rounds_narrowly(op) == (BODIES[body] and element == "bf16")
