"""Recipes for tensor maps: which loads have one, what is in it, and why others have none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab.bench import workloads
from tests.launches import newest
from tileir import assemble, compile
from tileir.bytecode import Bytecode
from tileir.codegen.analysis.memory_ops import is_plain_load
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.nvptx.schedule.tensor_recipes import OfParameter, TensorRecipe, TensorRecipes

PARAMETERS = (
    "%p: tile<ptr<f16>>, %m: tile<i32>, %n: tile<i64>, %s: tile<i32>, %i: tile<i32>"
    ", %q: tile<ptr<f32>>"
)


def recipes(bytecode: Bytecode, span: int | None = None) -> list[TensorRecipe | Reason]:
    """What is found for the loads of a module, in order."""
    kernels = [KernelIR.of(function, bytecode) for function in bytecode.functions]
    return [
        kernel.facts(TensorRecipes).recipe(op, span)
        for kernel in kernels
        for op in kernel.walk()
        if is_plain_load(op)
    ]


def loading(
    *, before: str = "", base: str = "%p", shape: str = "[%m, 80]", sizes: str = "%m : tile<i32>",
    strides: str = "[%s, 1]", tensor: str = "?x80xf16, strides=[?,1]", tile: str = "64x64",
    view: str = "", kind: str = "partition_view", order: str = "weak", token: str = "",
    index: str = "%i, %i", result: str = "",
) -> Bytecode:  # fmt: skip
    """A kernel with one load."""
    spelled = f"{kind}<tile=({tile}), {view}tensor_view<{tensor}>>"
    makes = "make_partition_view" if kind == "partition_view" else "make_strided_view"
    element = tensor.partition(",")[0].rpartition("x")[2]
    dynamic = [name for name in (shape + strides).replace("]", ",").split(",") if "%" in name]
    types = " : tile<i32>" if dynamic else ""
    return assemble(f"""
    entry @k({PARAMETERS}) {{
      {before}
      %tensor = make_tensor_view {base}, shape = {shape}, strides = {strides}{types}
        -> tensor_view<{tensor}>
      %view = {makes} %tensor : {spelled}
      %tile, %read = load_view_tko {order} %view[{index}]{token}
        : {spelled}, tile<i32> -> tile<{result or f"{tile}x{element}"}>, token
      return
    }}""", version="13.5")  # fmt: skip


def found(**how: Any) -> TensorRecipe:
    (recipe,) = recipes(loading(**how))
    assert isinstance(recipe, TensorRecipe), str(recipe)
    return recipe


def refused(**how: Any) -> str:
    (reason,) = recipes(loading(**how))
    assert isinstance(reason, Reason)
    assert str(reason)  # its sentence has as many facts
    return reason.id


def test_a_matrix() -> None:
    assert found() == TensorRecipe(
        element="f16",
        base=OfParameter(0),
        extents=(80, OfParameter(1)),
        strides=(OfParameter(3, times=2),),
        box=(64, 64),
        swizzle=128,
        dimensions=(1, 0),
        boxes=1,
    )


def test_rows_beyond_the_span_are_further_boxes() -> None:
    recipe = found(tile="32x128")
    assert (recipe.box, recipe.boxes, recipe.swizzle) == ((64, 32), 2, 128)
    recipe = found(tile="128x16")
    assert (recipe.box, recipe.boxes, recipe.swizzle) == ((16, 128), 1, 32)


@pytest.mark.parametrize(
    ("span", "box", "boxes"),
    [(0, (64, 64), 1), (32, (16, 64), 4), (64, (32, 64), 2), (128, (64, 64), 1)],
)
def test_the_span_may_be_given(span: int, box: tuple[int, ...], boxes: int) -> None:
    (recipe,) = recipes(loading(), span)
    assert isinstance(recipe, TensorRecipe)
    assert (recipe.swizzle, recipe.box, recipe.boxes) == (span, box, boxes)


def test_tiles_may_lie_across() -> None:
    """The innermost dimension of a map is that of the tensor, wherever the tile has it."""
    recipe = found(view="", tile="64x32", kind="partition_view", **ACROSS)
    assert (recipe.dimensions, recipe.box) == ((0, 1), (64, 32))
    assert recipe.extents == (80, OfParameter(1))


ACROSS = {"tensor": "?x80xf16, strides=[?,1]>, dim_map=[1, 0"}
"""Text within the type of a view, which ends it and says which dimension is which."""


def spell_across() -> None:
    ACROSS["tensor"] = "?x80xf16, strides=[?,1]"


def test_strided_views_are_like_others() -> None:
    plain = found(tile="64x64")
    assert plain == found(kind="strided_view", view="traversal_strides=[32,16], ")
