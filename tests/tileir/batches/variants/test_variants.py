"""Variants are what compiling each of them alone gives, in the order that is promised."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.tileir.batches.inline import Inline
from tileir.batches.variants.figures import FIGURES, figures_of, order, unfit
from tileir.batches.variants.space import configurations, divided
from tileir.errors import ToolError, UnsupportedError
from tileir.resources.occupancy import occupancy
from tileir.resources.of_kernels import resources_of

VECTOR_ADD = (FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes()


def test_a_space_is_a_product_or_a_list() -> None:
    found = list(configurations({"num_warps": [4, 8], "tile": (16,)}))
    assert found == [{"num_warps": 4, "tile": 16}, {"num_warps": 8, "tile": 16}]
    assert list(configurations(iter(found[:1]))) == found[:1]
    with pytest.raises(TypeError, match="symbols needs a list of values"):
        list(configurations({"symbols": "matmul"}))
    with pytest.raises(ValueError, match="tile has no values"):
        list(configurations({"tile": []}))


def test_options_are_the_compilers_and_all_else_the_frontends() -> None:
    assert divided({"num_warps": 4, "tile": 16}, made=True) == ({"num_warps": 4}, {"tile": 16})
    with pytest.raises(UnsupportedError, match=r"no option 'num_warp', did you mean num_warps\?"):
        divided({"num_warp": 4}, made=False)


@pytest.mark.oracle
def test_figures_are_those_of_each_compilation_alone(tool) -> None:
    for name in ("ptxas", "nvdisasm"):
        tool(name, "--version")
    asked = [3, 2, 1]
    found = tileir.variants(VECTOR_ADD, "sm_80", {"num_warps": asked}, executor=Inline())
    (dropped,) = found.dropped
    assert (dropped.configuration, dropped.failure) == ({"num_warps": 3}, "UnsupportedError")
    assert dropped.reason.startswith("option num_warps is 3, not a power of two")
    assert {each.configuration["num_warps"] for each in found} == {1, 2}
    for each in found:
        compiled = tileir.compile(VECTOR_ADD, "sm_80", **each.configuration)
        (kernel,) = resources_of(compiled)
        assert kernel.occupancy is not None
        assert each.figures == {
            "spilled": kernel.spilled,
            "resident_warps": kernel.occupancy.warps,
            "issued": 0,
            "registers": kernel.registers,
            "shared": kernel.shared,
        }
    assert all(order(one.figures) <= order(two.figures) for one, two in pairwise(found))
    assert str(found).splitlines()[0].split()[0] == "num_warps"


def kernel(**said: Any) -> dict[str, Any]:
    """A kernel as the JSON of `tileir resources` has it."""
    record = {
        "kernel": "matmul", "threads": 256, "registers": 64, "spill_stores": 0, "spill_loads": 0,
        "main_loop": 10, "static_shared": 0, "dynamic_shared": 1024, **said,
    }  # fmt: skip
    shared = record["static_shared"] + record["dynamic_shared"]
    fits = occupancy("sm_90", record["threads"], record["registers"], shared)
    limits = {"blocks": fits.blocks, "warps": fits.warps, "limited_by": list(fits.limited_by)}
    return {**record, "occupancy": limits}


@pytest.mark.parametrize(
    "worse",
    [{"spill_loads": 4}, {"registers": 96}, {"main_loop": 11}, {"registers": 65, "threads": 128}],
)
def test_what_is_worse_comes_later(worse: dict[str, int]) -> None:
    """Spills count more than all else; of several kernels the worst one counts."""
    plain, other = figures_of([kernel()]), figures_of([kernel(), kernel(**worse)])
    assert order(plain) < order(other)
    spilling = figures_of([kernel(spill_stores=4)])
    assert order(spilling) > order(figures_of([kernel(registers=255)]))
    assert list(plain) == list(FIGURES)


@pytest.mark.parametrize(
    ("takes", "said"),
    [
        ({"dynamic_shared": 300_000}, "takes 300,000 bytes of shared memory"),
        ({"threads": 1024, "registers": 96}, "takes 96 registers of 1,024 threads"),
    ],
)
def test_what_fits_no_sm_is_told(takes: dict[str, int], said: str) -> None:
    assert unfit([kernel()], "sm_90") == ""
    told = unfit([kernel(), kernel(**takes)], "sm_90")
    assert told == f"no block of matmul fits an SM of sm_90: it {said}"


def test_a_frontend_refuses_constants() -> None:
    """Nothing is compiled; what is no refusal is raised."""

    def make(tile: int) -> bytes:
        raise {8: ValueError(), 16: ValueError("too small"), 32: ZeroDivisionError("a defect")}[
            tile
        ]

    found = tileir.variants(make, "sm_80", {"tile": [8, 16]}, executor=Inline())
    reasons = [(each.failure, each.reason) for each in found.dropped]
    assert reasons == [("frontend", "ValueError"), ("frontend", "too small")]
    assert str(found) == "dropped: tile=8: ValueError\ndropped: tile=16: too small"
    with pytest.raises(ZeroDivisionError):
        tileir.variants(make, "sm_80", {"tile": [32]}, executor=Inline())


def test_a_text_keeps_its_launch_attributes_and_a_module_does_not() -> None:
    text = (
        "module @m attributes {tt.num_warps = 3 : i32} {\n"
        "  cuda_tile.module @kernels { entry @k() { return } }\n}\n"
    )
    found = tileir.variants(text, "sm_80", [{}], executor=Inline())
    (dropped,) = found.dropped
    assert "num_warps" in dropped.reason
    with pytest.raises(UnsupportedError, match=r"cannot hold .*num_warps.*: give the text"):
        tileir.variants(tileir.assemble(text), "sm_80", [{}], executor=Inline())


def test_a_machine_without_tools_is_no_property_of_a_variant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tileir.tools.nvidia.find", lambda name: None)
    with pytest.raises(ToolError, match="needs ptxas and nvdisasm; install them"):
        tileir.variants(VECTOR_ADD, "sm_80", [{}], executor=Inline())


def test_on_the_host_the_order_is_that_of_the_space() -> None:
    space = [{"cache": False}, {}, {"num_warps": 4}]
    found = tileir.variants(VECTOR_ADD, "host", space, executor=Inline())
    assert [each.configuration for each in found] == space[:2]
    assert [each.figures for each in found] == [{}, {}]
    assert "for GPUs" in found.dropped[0].reason
