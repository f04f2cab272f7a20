"""Rows of pointers that are neighbours: masks that are true of all, of some, at both ends only."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tileir.codegen import compile

WIDTH = 64
MASKS = {
    "below": "%m = cmpi less_than %i, %high, signed : {kind}xi32> -> {kind}xi1>",
    "unsigned": "%m = cmpi less_than %i, %high, unsigned : {kind}xi32> -> {kind}xi1>",
    "from": "%m = cmpi greater_than_or_equal %i, %low, signed : {kind}xi32> -> {kind}xi1>",
    "between": """
        %m0 = cmpi less_than %i, %high, signed : {kind}xi32> -> {kind}xi1>
        %m1 = cmpi greater_than_or_equal %i, %low, signed : {kind}xi32> -> {kind}xi1>
        %m = andi %m0, %m1 : {kind}xi1>""",
    "outside": """
        %m0 = cmpi less_than %i, %low, signed : {kind}xi32> -> {kind}xi1>
        %m1 = cmpi greater_than_or_equal %i, %high, signed : {kind}xi32> -> {kind}xi1>
        %m = ori %m0, %m1 : {kind}xi1>""",
    "apart": """
        %m0 = cmpi equal %i, %low, signed : {kind}xi32> -> {kind}xi1>
        %m1 = cmpi equal %i, %high, signed : {kind}xi32> -> {kind}xi1>
        %m = xori %m0, %m1 : {kind}xi1>""",
}
NUMPY = {
    "below": lambda i, low, high: i < high,
    "unsigned": lambda i, low, high: i < high % (1 << 32),
    "from": lambda i, low, high: i >= low,
    "between": lambda i, low, high: (i < high) & (i >= low),
    "outside": lambda i, low, high: (i < low) | (i >= high),
    "apart": lambda i, low, high: (i == low) ^ (i == high),
}


def copying(mask: str) -> str:
    """A kernel that copies a row where the mask is true; elsewhere it reads 7 and writes none."""
    kind = f"tile<{WIDTH}"
    spread = "\n".join(
        f"%{name}1 = reshape %{name}0 : tile<{element}> -> tile<1x{element}>\n"
        f"%{name} = broadcast %{name}1 : tile<1x{element}> -> {kind}x{element}>"
        for name, element in (
            ("x", "ptr<f32>"), ("y", "ptr<f32>"), ("z", "ptr<f32>"), ("low", "i32"), ("high", "i32")
        )
    )  # fmt: skip
    return f"""entry @k(%x0: tile<ptr<f32>>, %y0: tile<ptr<f32>>, %z0: tile<ptr<f32>>,
                        %low0: tile<i32>, %high0: tile<i32>) {{
        {spread}
        %i = iota : {kind}xi32>
        %seven = constant <f32: 7.0> : {kind}xf32>
        {MASKS[mask].format(kind=kind)}
        %xs = offset %x, %i : {kind}xptr<f32>>, {kind}xi32> -> {kind}xptr<f32>>
        %ys = offset %y, %i : {kind}xptr<f32>>, {kind}xi32> -> {kind}xptr<f32>>
        %zs = offset %z, %i : {kind}xptr<f32>>, {kind}xi32> -> {kind}xptr<f32>>
        %read, %t0 = load_ptr_tko weak %xs, %m, %seven
            : {kind}xptr<f32>>, {kind}xi1>, {kind}xf32> -> {kind}xf32>, token
        %t1 = store_ptr_tko weak %ys, %read : {kind}xptr<f32>>, {kind}xf32> -> token
        %t2 = store_ptr_tko weak %zs, %read, %m
            : {kind}xptr<f32>>, {kind}xf32>, {kind}xi1> -> token
        return
    }}"""


@pytest.mark.parametrize("mask", MASKS)
def test_masks_decide_of_each_element(mask: str) -> None:
    kernel = compile(tileir.assemble(copying(mask)))["k"]
    i = np.arange(WIDTH)
    for low, high in [(0, WIDTH), (10, 50), (0, WIDTH - 1), (1, 200), (-5, -1), (50, 10), (0, 0)]:
        x, y, z = np.arange(1, WIDTH + 1, dtype=np.float32), *np.full((2, WIDTH), 9, np.float32)
        kernel.launch(1, [x, y, z, low, high])
        chosen = NUMPY[mask](i, low, high)
        np.testing.assert_array_equal(y, np.where(chosen, x, 7), err_msg=f"{low} {high}")
        np.testing.assert_array_equal(z, np.where(chosen, x, 9), err_msg=f"{low} {high}")


def test_checks_look_at_each_element() -> None:
    """A row as a whole would be read beyond its array unnoticed."""
    with pytest.raises(tileir.KernelError, match="load_ptr_tko"):
        compile(tileir.assemble(copying("from")), check="memory")["k"].launch(
            1, [*np.zeros((3, WIDTH - 1), np.float32), 0, 0]
        )
