"""Tensor maps in a plan, and what launchers make of them for given arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.codegen import copied_boxes as boxes
from tests.lab.bench import workloads
from tests.lab.bench.workloads.cases import CASES
from tileir import assemble
from tileir.codegen.analysis.memory_ops import is_plain_load
from tileir.codegen.arguments.tensor_maps import entry_for, tensor_maps
from tileir.codegen.emulator.memory.tensor_map import TensorMap
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.launch.parameters import parameter_rows
from tileir.codegen.nvptx.launch.tensor_maps import Twin, guard_rows, map_offsets, map_rows
from tileir.codegen.nvptx.schedule.tensor_recipes import OfParameter, TensorRecipe, TensorRecipes
from tileir.errors import LaunchError


def packed(plan: dict[str, Any], *numbers: int) -> bytes:
    """The arguments as a kernel reads them."""
    found = bytearray()
    for row, number in zip(plan["parameters"], numbers, strict=True):
        found = found.ljust(row["offset"], b"\0")
        bits = 8 * row["size"]
        found += (number & (1 << bits) - 1).to_bytes(row["size"], "little")
    return bytes(found)


def test_maps_lie_behind_the_parameters() -> None:
    plan = boxes.plan()
    assert [row["offset"] for row in plan["parameters"]] == [0, 8, 12, 16, 24]
    assert map_offsets(60, 3) == [64, 192, 320]
    assert map_offsets(0, 2) == [0, 128]
    assert plan["tensor_maps"] == [
        {
            "offset": 64,
            "size": 128,
            "element": "f16",
            "base": {"parameter": 0, "times": 1, "plus": 0},
            "extents": [
                {"parameter": 2, "times": 1, "plus": 0},
                {"parameter": 1, "times": 1, "plus": 0},
            ],
            "strides": [{"parameter": 3, "times": 2, "plus": 0}],
            "box": [64, 16],
            "swizzle": 128,
        }
    ]
    assert plan["twin"] == {"entry": "plain", "block": [64, 1, 1], "dynamic_shared_memory": 0}


def test_the_guard_has_each_condition_once() -> None:
    """Of two bounds for one number, the tighter one."""
    wide = TensorRecipe(
        "f16", OfParameter(0), (OfParameter(2, bits=32), 7), (OfParameter(3, 2),), (64, 1), 128,
        (1, 0), 4,
    )  # fmt: skip
    rows = boxes.plan()["parameters"]
    guard = guard_rows(rows, [boxes.RECIPE, wide, wide])
    assert [(row["parameter"], row["times"], row["divisible_by"]) for row in guard] == [
        (0, 1, 16), (2, 1, 1), (1, 1, 1), (3, 2, 16),
    ]  # fmt: skip
    bounds = {row["parameter"]: (row["at_least"], row["at_most"]) for row in guard}
    assert bounds[2] == (1, 2**31 - 4 * 64)
    assert bounds[1] == (1, 2**31 - 16)
    assert bounds[3] == (16, 2**40 - 1)


BASE, ROWS, COLUMNS, PITCH, OUT = GOOD = (1 << 20, 37, 104, 104, 1 << 21)


@pytest.mark.parametrize(
    ("numbers", "fits"),
    [
        (GOOD, True),
        ((BASE + 16, 1, 1, 8, OUT + 2), True),
        (((1 << 64) - 16, 37, 104, 104, OUT), True),
        ((BASE, 2**31 - 16, 2**31 - 64, 2**31 - 8, OUT), True),
        ((BASE + 8, 37, 104, 104, OUT), False),
        ((0, 37, 104, 104, OUT), False),
        ((BASE, 37, 104, 100, OUT), False),
        ((BASE, 37, 104, 0, OUT), False),
        ((BASE, 37, 104, -104, OUT), False),
        ((BASE, 0, 104, 104, OUT), False),
        ((BASE, 37, 0, 104, OUT), False),
        ((BASE, -1, 104, 104, OUT), False),
        ((BASE, 2**31 - 15, 104, 104, OUT), False),
        ((BASE, 37, 2**31 - 63, 104, OUT), False),
    ],
)
def test_the_guard(numbers: tuple[int, ...], fits: bool) -> None:
    plan = boxes.plan()
    chosen = entry_for("boxes", plan, packed(plan, *numbers))
    assert chosen["entry"] == ("boxes" if fits else "plain")
    assert len(tensor_maps(chosen, packed(plan, *numbers))) == fits
    if not fits:
        assert (chosen["tensor_maps"], chosen["guard"], chosen["twin"]) == ([], [], None)
        assert {**plan, **chosen} == chosen
        with pytest.raises(
            LaunchError, match=r"^boxes: parameter .*, and it has no entry without tensor"
        ):
            entry_for("boxes", {**plan, "twin": None}, packed(plan, *numbers))


def test_strides_are_below_two_to_the_forty() -> None:
    plan = boxes.plan()
    plan["parameters"][3] |= {"type": "i64", "size": 8}
    plan["parameters"][4]["offset"] = 32
    for pitch, entry in ((2**39 - 8, "boxes"), (2**39, "plain")):
        given = packed(plan, BASE, 37, 104, pitch, OUT)
        assert entry_for("boxes", plan, given)["entry"] == entry


def test_plans_without_tensor_maps() -> None:
    plan = boxes.plan(tensor_maps=[], guard=[], twin=None)
    assert entry_for("boxes", plan, packed(plan, *GOOD)) is plan
    assert tensor_maps(plan, packed(plan, *GOOD)) == []


def test_a_twin_differs_in_three_entries() -> None:
    assert Twin("plain", 128, 7).row() == {
        "entry": "plain", "block": [128, 1, 1], "dynamic_shared_memory": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["gemm_persistent", "gemm_batched", "gemm_tf32", "gemm_int8", "fmha_causal", "fmha_backward"],
)
def test_maps_of_arrays(name: str) -> None:
    """The maps of a launch describe the arrays that it is given, dimension by dimension."""
    text = (Path(workloads.__file__).parent / f"{name}.mlir").read_text()
    kernel = KernelIR.of(assemble(text).functions[0])
    recipes = kernel.facts(TensorRecipes)
    found = [recipes.recipe(op) for op in kernel.walk() if is_plain_load(op)]
    found = [each for each in found if isinstance(each, TensorRecipe)]
    assert found
    rows = parameter_rows(kernel, ())
    plan = {"parameters": rows, "tensor_maps": map_rows(rows, found)}
    plan["guard"] = guard_rows(rows, found)
    args = CASES[name]().arguments()
    arrays = {each.ctypes.data: each for each in args if isinstance(each, np.ndarray)}
    numbers = [each.ctypes.data if isinstance(each, np.ndarray) else _bits(each) for each in args]
    given = packed(plan, *numbers)
    chosen = entry_for(name, plan, given)
    for recipe, each in zip(found, tensor_maps(chosen, given), strict=True):
        array = arrays[each.base]
        # Tiles may lie across: then the dimensions but the innermost are in another order.
        sides = sorted(zip(each.extents[1:], each.strides, strict=True))
        assert sides == sorted(zip(array.shape[:-1], array.strides[:-1], strict=True))
        assert (each.extents[0], array.strides[-1]) == (array.shape[-1], array.itemsize)
        assert recipe.boxes * np.prod(each.box) * array.itemsize <= 64 << 10
        assert TensorMap(**each._asdict()).size == array.itemsize


def _bits(number: Any) -> int:
    if isinstance(number, float | np.floating):
        return int(np.float32(number).view(np.uint32))
    return int(number)
