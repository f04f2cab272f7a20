"""Scans whose identities are not what a fold may start with, bit for bit as on the CPU."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel, spelled
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile

ROWS = [
    ("i1", "andi", "true"),
    ("i1", "ori", "false"),
    ("f4", "addf", "0.0 : f32"),
    ("f4", "maxf", "0xFF800000 : f32"),
    ("f4", "mulf", "1.0 : f32"),
    ("f2", "addf", "0.0 : f16"),
    ("bf16", "maxf", "0xFC00 : f16"),
]
"""NumPy's element, op, identity."""


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("dtype", "name", "identity"), ROWS)
def test_the_first_element_is_kept_as_it_is(
    dtype: str, name: str, identity: str, reverse: bool
) -> None:
    kind = np.dtype({"i1": bool, "bf16": ml_dtypes.bfloat16}.get(dtype, dtype))
    rng = np.random.default_rng(0)
    array = rng.integers(0, 2, (4, 256)).astype(kind)
    if kind.kind != "b":
        array[0], array[1] = -0.0, np.nan
        array[2] = (rng.standard_normal(256) / 8 + 1).astype(kind)
    results = [np.zeros_like(array), np.zeros_like(array)]
    kernel, element = Kernel(), spelled(array.dtype)
    value, tile = kernel.load(array), kernel.type(array.shape, element)
    kernel.line(
        f"%t = scan {value} dim=1 reverse={str(reverse).lower()} identities=[{identity}] : {tile}"
        f" -> {tile} (%a: tile<{element}>, %b: tile<{element}>) {{\n"
        f" %c = {name} %a, %b : tile<{element}>\n yield %c : tile<{element}> }}"
    )
    kernel.store("%t", results[0])
    bytecode = tileir.assemble(kernel.module())
    launch(bytecode, "k", 1, [array, results[0]])
    compile(bytecode)["k"].launch(1, [array, results[1]])
    found, expected = (np.where(each == each, each, 99) for each in results)
    exact = name not in ("addf", "mulf")
    if exact:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found.astype("f8"), expected.astype("f8"), rtol=1e-2)
    if kind.kind != "b":
        np.testing.assert_array_equal(np.signbit(found[0]), np.signbit(expected[0]))


@pytest.mark.parametrize("yielded", ["%a", "%b", "%c"])
def test_a_body_may_hand_on_what_it_was_given(yielded: str) -> None:
    """Then what it computes beside has no neutral element that counts."""
    array, found = np.arange(1, 257, dtype="i4").reshape(1, 256), np.zeros((1, 256), "i4")
    kernel = Kernel()
    value, tile = kernel.load(array), kernel.type(array.shape, "i32")
    kernel.line(
        f"%t = scan {value} dim=1 reverse=false identities=[0 : i32] : {tile} -> {tile}"
        " (%a: tile<i32>, %b: tile<i32>) {\n"
        f" %c = addi %a, %b : tile<i32>\n yield {yielded} : tile<i32> }}"
    )
    kernel.store("%t", found)
    launch(tileir.assemble(kernel.module()), "k", 1, [array, found])
    expected = {"%a": np.ones_like(array), "%b": array, "%c": array.cumsum(axis=1)}
    np.testing.assert_array_equal(found, expected[yielded])
