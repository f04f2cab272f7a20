"""The launch plan: what a launcher reads."""

from __future__ import annotations

import json

from tileir.codegen import compile
from tileir.codegen.nvptx import plan

from ..build import Kernel
from .compiled import compiled


def test_all_of_it_is_explained() -> None:
    """In the docstring of the module, a name or two stand before each explanation."""
    lines = [line[:23] for line in plan.__doc__.splitlines() if line[23:24] == " "]
    explained = {name.strip() for line in lines for name in line.split(",")}
    assert set(compiled("vector_add", "sm_80").plan["vector_add"]) <= explained


def test_the_plan_is_complete() -> None:
    assert compiled("vector_add", "sm_80").plan["vector_add"] == {
        "schema": 1,
        "entry": "vector_add",
        "target": "sm_80",
        "ptx_target": "sm_80",
        "ptx_version": "7.0",
        "parameters": [
            {"index": 3 * array + place, "type": kind, "size": size, "offset": 16 * array + offset}
            for array in range(3)
            for place, (kind, size, offset) in enumerate(
                [("ptr<f32>", 8, 0), ("i32", 4, 8), ("i32", 4, 12)]
            )
        ],
        "block": [128, 1, 1],
        "cluster": [1, 1, 1],
        "dynamic_shared_memory": 0,
        "heap": 0,
        "grid": ["x", "y", "z"],
        "grid_scale": [1, 1, 1],
        "grid_limits": [2**24 - 1, 65535, 65535],
        "asserts": False,
        "tensor_maps": [],
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


def test_parameters_are_naturally_aligned() -> None:
    kernel = Kernel("mixed", "i8", "f64", "i1", "f16", "ptr<i8>", "i32")
    plan = compile(kernel.module(), "sm_90").plan["mixed"]
    assert [(row["offset"], row["size"]) for row in plan["parameters"]] == [
        (0, 1), (8, 8), (16, 1), (18, 2), (24, 8), (32, 4),
    ]  # fmt: skip


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
