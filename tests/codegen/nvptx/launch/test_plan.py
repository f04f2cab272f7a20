"""The launch plan: what a launcher reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.codegen.build import Kernel
from tests.codegen.nvptx.compiled import compiled
from tests.lab import bench
from tileir import assemble
from tileir.codegen import compile
from tileir.codegen.nvptx import plan


def test_all_of_it_is_explained() -> None:
    """In the docstring of the module, a name or two stand before each explanation."""
    lines = [line[:23] for line in plan.__doc__.splitlines() if line[23:24] == " "]
    explained = {name.strip() for line in lines for name in line.split(",")}
    assert set(compiled("vector_add", "sm_80").plan["vector_add"]) <= explained


def test_the_plan_is_complete() -> None:
    assert compiled("vector_add", "sm_80").plan["vector_add"] == {
        "schema": 2,
        "entry": "vector_add",
        "target": "sm_80",
        "ptx_target": "sm_80",
        "ptx_version": "7.0",
        "runs_on": {"capability": [8, 0], "later": True},
        "parameters": [
            {
                "index": 3 * array + place,
                "type": kind,
                "size": size,
                "offset": 16 * array + offset,
                "divisible_by": divisor,
                "written": (array, place) == (2, 0),
            }
            for array in range(3)
            for place, (kind, size, offset, divisor) in enumerate(
                [("ptr<f32>", 8, 0, 16), ("i32", 4, 8, 1), ("i32", 4, 12, 1)]
            )
        ],
        "arrays": [
            {
                "parameter": 3 * array,
                "shape": [{"parameter": 3 * array + 1, "constant": None}],
                "strides": [{"parameter": 3 * array + 2, "constant": 1}],
            }
            for array in range(3)
        ],
        "assumed": [
            {"divisible_by": divisor, "at_least": least, "at_most": most, "read": read}
            for _ in range(3)
            for divisor, least, most, read in (
                (16, None, None, True),
                (1, 0, 2**31 - 1, True),
                (1, None, None, False),
            )
        ],
        "block": [128, 1, 1],
        "cluster": [1, 1, 1],
        "dynamic_shared_memory": 0,
        "heap": 0,
        "grid": ["x", "y", "z"],
        "grid_scale": [1, 1, 1],
        "grid_limits": [2**24 - 1, 65535, 65535],
        "overlaps_grids": False,
        "asserts": False,
        "tensor_maps": [],
        "guard": [],
        "twin": None,
        "roles": [],
        "one_role": None,
        "serial_products": None,
        "copies": [
            {
                "tile": "tile<1024xf32>",
                "source": f"/tileir/fixtures/kernels/elementwise.py:16:{column}",
                "tensor_map": None,
                "reason": "no_tensor_copies",
                "why": "the target has no tensor copies",
            }
            for column in (22, 50)
        ],
        "stores": [
            {
                "tile": "tile<1024xf32>",
                "source": "/tileir/fixtures/kernels/elementwise.py:16:4",
                "tensor_map": None,
                "reason": "no_tensor_copies",
                "why": "the target has no tensor copies",
            }
        ],
        "contract": {
            "num_warps": {"value": 4, "by": "compiler"},
            "cluster_dim": {"value": [1, 1, 1], "by": "compiler"},
            "maxnreg": {"value": None, "by": "compiler"},
            "minnctapersm": {"value": 1, "by": "compiler"},
            "maxclusterrank": {"value": None, "by": "compiler"},
            "blocksareclusters": {"value": False, "by": "compiler"},
        },
    }


def test_the_plan_is_json() -> None:
    plan = compiled("scaled_copy").plan
    assert json.loads(json.dumps(plan)) == plan


def test_the_plan_says_which_gpu_the_ptx_is_for() -> None:
    plan = compiled("vector_add", "sm_107").plan["vector_add"]
    assert (plan["target"], plan["ptx_target"], plan["ptx_version"]) == ("sm_107", "sm_103", "8.8")
    assert plan["runs_on"] == {"capability": [10, 3], "later": True}


def test_parameters_are_naturally_aligned() -> None:
    kernel = Kernel("mixed", "i8", "f64", "i1", "f16", "ptr<i8>", "i32")
    plan = compile(kernel.module(), "sm_90").plan["mixed"]
    assert [(row["offset"], row["size"]) for row in plan["parameters"]] == [
        (0, 1), (8, 8), (16, 1), (18, 2), (24, 8), (32, 4),
    ]  # fmt: skip


ASSUMING = """
entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %m: tile<i32>, %b: tile<i1>) {
  %few = assume bounded<0, ?>, %n : tile<i32>
  %eight = assume div_by<8>, %few : tile<i32>
  %four = assume div_by<4>, %eight : tile<i32>
  BEFORE
  %p16 = assume div_by<16>, %p : tile<ptr<f32>>
  %moved = offset %p16, %four : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %far = assume div_by<512>, %moved : tile<ptr<f32>>
  %x = itof %four signed : tile<i32> -> tile<f32>
  %done = store_ptr_tko weak %far, %x : tile<ptr<f32>>, tile<f32> -> token
  if %b {
    %m64 = assume div_by<64>, %m : tile<i32>
    print_tko "%d", %m64 : tile<i32> -> token
  }
  return
}
"""


@pytest.mark.parametrize(
    ("before", "divisors"), [("", [16, 8, 1, 1]), ("if %b { return }", [1, 8, 1, 1])]
)
def test_what_is_always_assumed_of_parameters(before: str, divisors: list[int]) -> None:
    """Not of what is computed from them, nor where the kernel may not go."""
    plan = compile(assemble(ASSUMING.replace("BEFORE", before)), "sm_90").plan["k"]
    assert [row["divisible_by"] for row in plan["parameters"]] == divisors


def test_blocks_grow_with_the_tile() -> None:
    threads = {}
    for size in (1, 16, 64, 1024, 4096, 16384, 65536):
        kernel = Kernel("copy", "ptr<f32>", "ptr<f32>")
        views = [kernel.view(pointer, [size], [size]) for pointer in kernel.parameters]
        kernel.store(kernel.load(views[0], *kernel.zeros(1)), views[1], *kernel.zeros(1))
        threads[size] = compile(kernel.module(), "sm_90").plan["copy"]["block"][0]
    assert threads == {
        1: 32, 16: 32, 64: 64, 1024: 128, 4096: 128, 16384: 512, 65536: 1024,
    }  # fmt: skip


@pytest.mark.parametrize("op", ["gdc_wait_tko", "gdc_launch_dependents_tko"])
def test_whether_grids_may_overlap(op: str) -> None:
    """The entry says what the PTX has."""
    text = f"entry @k() {{ %t = make_token : token %u = {op} token = %t -> token return }}"
    for target in ("sm_89", "sm_90"):
        found = compile(assemble(text), target)
        assert found.plan["k"]["overlaps_grids"] == ("griddepcontrol" in found.ptx)
        assert found.plan["k"]["overlaps_grids"] == (target == "sm_90")


@pytest.mark.parametrize("target", ["sm_75", "sm_90"])
@pytest.mark.parametrize("name", ["matmul_f16", "softmax"])
def test_what_is_copied_to_shared_memory_is_not_written(name: str, target: str) -> None:
    """Operands of products are staged there, by copies or stores; so are parts of reductions."""
    text = (Path(bench.__file__).parent / "kernels" / f"{name}.mlir").read_text()
    (plan,) = compile(assemble(text), target).plan.values()
    written = [row["written"] for row in plan["parameters"] if row["type"].startswith("ptr")]
    assert written == [False, True] if name == "softmax" else [False, False, True]
