"""Recipes for tensor maps: which loads have one, what is in it, and why others have none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.build import TOKEN, Kernel, tensor
from tests.lab.bench import workloads
from tileir import assemble
from tileir.attributes import DivBy
from tileir.codegen.analysis.memory_ops import is_plain_load
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.nvptx.schedule.tensor_recipes import (
    Condition,
    OfParameter,
    TensorRecipe,
    TensorRecipes,
)
from tileir.ir import Value
from tileir.types import GatherScatterView, StridedView, Tile


def recipes(module: Any, span: int | None = None) -> list[TensorRecipe | Reason]:
    """What is found for the loads of a module, in order."""
    kernels = [KernelIR.of(function) for function in module.functions]
    return [
        kernel.facts(TensorRecipes).recipe(op, span)
        for kernel in kernels
        for op in kernel.walk()
        if is_plain_load(op)
    ]


def kernel(element: str = "f16") -> Kernel:
    """Parameters of a matrix: base, rows, columns, pitch; and one more number."""
    return Kernel("k", f"ptr<{element}>", "i32", "i32", "i32", "i64")


def loading(
    tile: tuple[int, ...] = (64, 64), element: str = "f16", span: int | None = None,
    base: Callable[[Kernel], Value] = lambda k: k.parameters[0],
    rows: Callable[[Kernel], Value] = lambda k: k.parameters[1],
    pitch: Callable[[Kernel], Value] = lambda k: k.parameters[3],
    **more: Any,
) -> TensorRecipe | Reason:  # fmt: skip
    """What is found for a load of a matrix with 80 columns."""
    made = kernel(element)
    view = made.view(
        base(made), [None, 80], tile, strides=[None, 1], dynamic=[rows(made)],
        dynamic_strides=[pitch(made)], **more,
    )  # fmt: skip
    made.load(view, *made.zeros(2))
    (found,) = recipes(made.module(), span)
    return found


def found(*tile: int, **how: Any) -> TensorRecipe:
    recipe = loading(tile or (64, 64), **how)
    assert isinstance(recipe, TensorRecipe), str(recipe)
    return recipe


def refused(*tile: int, **how: Any) -> str:
    reason = loading(tile or (64, 64), **how)
    assert isinstance(reason, Reason)
    assert "{" not in str(reason)
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


@pytest.mark.parametrize(
    ("tile", "element", "box", "boxes", "swizzle"),
    [
        ((32, 128), "f16", (64, 32), 2, 128),
        ((128, 16), "f16", (16, 128), 1, 32),
        ((256, 8), "bf16", (8, 256), 1, 0),
        ((16, 64), "i8", (64, 16), 1, 64),
        ((16, 256), "f8E4M3FN", (128, 16), 2, 128),
        ((16, 64), "f64", (16, 16), 4, 128),
    ],
)
def test_boxes_are_as_wide_as_a_swizzle(
    tile: tuple[int, ...], element: str, box: tuple[int, ...], boxes: int, swizzle: int
) -> None:
    recipe = found(*tile, element=element)
    assert (recipe.box, recipe.boxes, recipe.swizzle) == (box, boxes, swizzle)


@pytest.mark.parametrize(
    ("span", "box", "boxes"),
    [(0, (64, 64), 1), (32, (16, 64), 4), (64, (32, 64), 2), (128, (64, 64), 1)],
)
def test_the_span_may_be_given(span: int, box: tuple[int, ...], boxes: int) -> None:
    recipe = found(span=span)
    assert (recipe.swizzle, recipe.box, recipe.boxes) == (span, box, boxes)


def test_tiles_may_lie_across() -> None:
    """The innermost dimension of a map is that of the tensor, wherever the tile has it."""
    recipe = found(64, 32, dim_map=[1, 0])
    assert (recipe.dimensions, recipe.box) == ((0, 1), (64, 32))
    assert (recipe.extents, recipe.strides) == ((80, OfParameter(1)), (OfParameter(3, 2),))


def test_more_dimensions_follow_from_the_last_to_the_first() -> None:
    made = Kernel("k", "ptr<f32>", "i32", "i32", "i32")
    strides = [None, 1, None, 640]
    view = made.view(
        made.parameters[0], [7, None, 9, 11], [1, 32, 4, 2], strides=strides,
        dynamic=[made.parameters[1]], dynamic_strides=made.parameters[2:],
    )  # fmt: skip
    made.load(view, *made.zeros(4))
    (recipe,) = recipes(made.module())
    assert isinstance(recipe, TensorRecipe)
    assert (recipe.dimensions, recipe.box) == ((1, 3, 2, 0), (32, 2, 4, 1))
    assert recipe.extents == (OfParameter(1), 11, 9, 7)
    assert recipe.strides == (2560, OfParameter(3, 4), OfParameter(2, 4))


def assumed(k: Kernel, value: Value) -> Value:
    return k.op("assume", value, results=[value.type], predicate=DivBy(16))


def test_what_does_not_change_a_number_is_passed() -> None:
    wide = found(rows=lambda k: k.op(
        "exti", assumed(k, k.parameters[1]), results=["i64"], signedness="unsigned"
    ))  # fmt: skip
    assert wide.extents == (80, OfParameter(1, bits=32))
    narrow = found(pitch=lambda k: k.op("trunci", k.parameters[4], results=["i32"]))
    assert narrow.strides == (OfParameter(4, 2, bits=32),)
    assert found(rows=lambda k: k.constant("i32", 90)).extents == (80, 90)


def test_the_base_may_be_moved_by_a_constant() -> None:
    def moved(k: Kernel) -> Value:
        number = k.constant("i32", 24)
        return k.op("offset", assumed(k, k.parameters[0]), number, results=["ptr<f16>"])

    assert found(base=moved).base == OfParameter(0, plus=48)


def test_extents_of_another_view() -> None:
    def rows(k: Kernel) -> Value:
        other = k.op(
            "make_tensor_view", k.parameters[0], (k.parameters[2],), (),
            results=[tensor("f16", [None, 8], [8, 1])],
        )  # fmt: skip
        return k.op("get_tensor_shape", other, results=["i32", "i32"])[0]

    assert found(rows=rows).extents == (80, OfParameter(2, bits=32))


def doubled(k: Kernel) -> Value:
    return k.op("addi", k.parameters[3], k.parameters[3], results=["i32"])


def elsewhere(k: Kernel) -> Value:
    return k.op("offset", k.parameters[0], k.parameters[3], results=["ptr<f16>"])


@pytest.mark.parametrize(
    ("reason", "how"),
    [
        ("computed_base", {"base": elsewhere}),
        ("computed_extent", {"rows": doubled}),
        ("computed_stride", {"pitch": doubled}),
        ("unfit_size", {"pitch": lambda k: k.constant("i32", 84)}),
        ("unfit_size", {"pitch": lambda k: k.constant("i32", 0)}),
        ("unfit_size", {"rows": lambda k: k.constant("i32", 0)}),
        ("padding", {"padding": "nan"}),
        ("padding", {"padding": "neg_zero"}),
        ("packed", {"element": "f4E2M1FN"}),
        ("short_rows", {"tile": (64, 4)}),
        ("short_rows", {"tile": (64, 16), "span": 64}),
        ("large_box", {"tile": (512, 16)}),
        ("large_box", {"tile": (1, 512), "span": 0}),
    ],
)
def test_why_there_is_none(reason: str, how: dict[str, Any]) -> None:
    assert refused(*how.pop("tile", ()), **how) == reason


def test_padding_that_is_zero() -> None:
    assert found(padding="zero") == found()


def test_no_unit_stride() -> None:
    made = kernel()
    pitches = made.parameters[2:4]
    view = made.view(
        made.parameters[0], [8, 8], [8, 8], strides=[None, None], dynamic_strides=pitches
    )
    made.load(view, *made.zeros(2))
    (reason,) = recipes(made.module())
    assert isinstance(reason, Reason)
    assert reason.id == "no_unit_stride"


def test_six_dimensions() -> None:
    made = Kernel("k", "ptr<f32>")
    made.load(made.view(made.parameters[0], [8] * 6, [2] * 5 + [8]), *made.zeros(6))
    (reason,) = recipes(made.module())
    assert str(reason) == "it has more than 5 dimensions"


def test_strided_views_are_like_others_and_gathers_are_not() -> None:
    shape = tensor("f16", [80, 96], [96, 1])
    for kind, row in (
        (StridedView((16, 32), (8, 4), shape, (0, 1)), "make_strided_view"),
        (GatherScatterView((16, 32), shape, 0), "make_gather_scatter_view"),
    ):
        made = kernel()
        whole = made.op("make_tensor_view", made.parameters[0], (), (), results=[shape])
        view = made.op(row, whole, results=[kind])
        index = made.zeros(2)
        if isinstance(kind, GatherScatterView):
            index[0] = made.constant("16xi32", 0)
        made.op(
            "load_view_tko", view, index, results=[Tile(shape.element, (16, 32)), TOKEN],
            memory_ordering_semantics="weak",
        )  # fmt: skip
        (recipe,) = recipes(made.module())
        if isinstance(recipe, Reason):
            assert (row, recipe.id) == ("make_gather_scatter_view", "gathered")
        else:
            assert (row, recipe.box, recipe.strides) == ("make_strided_view", (32, 16), (192,))


def test_loads_through_pointers() -> None:
    made = Kernel("k", "ptr<i32>")
    made.op(
        "load_ptr_tko", made.parameters[0], results=["i32", TOKEN],
        memory_ordering_semantics="weak",
    )  # fmt: skip
    assert recipes(made.module()) == [Reason("through_pointers")]


# Kernels ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "boxes"),
    [
        ("gemm_persistent", ["64x128", "2 of 64x64"]),
        ("gemm_bias_gelu", ["64x128", "2 of 64x64", "2 of 64"]),
        ("gemm_split_k", ["64x128", "2 of 64x64"]),
        ("gemm_batched", ["64x64x1", "2 of 64x64x1"]),
        ("gemm_tf32", ["32x128", "32x64"]),
        ("gemm_int8", ["64x128", "128x64", "4 of 32", "4 of 32"]),
        ("gemm_grouped", ["through_pointers", "64x64", "2 of 64x64x1"]),
        ("conv3x3", ["through_pointers", "64x32x1"]),
        ("fmha_causal", ["2 of 64x128x1"] + 4 * ["2 of 64x64x1"]),
        ("fmha_backward", 4 * ["64x64x1"] + ["padding", "2 of 32x1"]),
        ("gqa_decode", ["through_pointers", "2 of 64x16x1"] + 2 * ["2 of 64x64x1"]),
    ],
)
def test_products_have_recipes(name: str, boxes: list[str]) -> None:
    """As cuTile writes them; the rest are indices and biases, or are gathered."""
    text = (Path(workloads.__file__).parent / f"{name}.mlir").read_text()
    assert [_shown(each) for each in recipes(assemble(text))] == boxes


def _shown(found: TensorRecipe | Reason) -> str:
    if isinstance(found, Reason):
        return found.id
    box = "x".join(map(str, found.box))
    return box if found.boxes == 1 else f"{found.boxes} of {box}"


# Conditions -------------------------------------------------------------------------------------


def test_conditions() -> None:
    """Boxes begin inside of the tensor, so their coordinates end behind it by less than a tile."""
    assert [*found(32, 128).conditions()] == [
        Condition(OfParameter(0), 16, 1, 2**64 - 1),
        Condition(80, 1, 1, 2**31 - 128),
        Condition(OfParameter(1), 1, 1, 2**31 - 32),
        Condition(OfParameter(3, 2), 16, 16, 2**40 - 1),
    ]


def test_numbers_that_the_kernel_cuts_off_are_too_large() -> None:
    (*_, stride) = found(
        pitch=lambda k: k.op("trunci", k.parameters[4], results=["i32"])
    ).conditions()
    assert stride.most == 2 * (2**31 - 1)
