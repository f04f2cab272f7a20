"""The model on paper: its arithmetic on loops made by hand, and the page in `docs/`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.lab.bench.machine_code.figures import Code
from tests.lab.bench.paper import page
from tests.lab.bench.paper.bounds import Loop, Product, Trip, bound, clocks, in_flight, loop_of
from tests.lab.bench.paper.kernels import MEMORY, TRIPS, texts
from tests.lab.bench.paper.machines import H100

GEMM = TRIPS["gemm_f16_128x128x64"]


def code(*loops: Counter[str], **more: Any) -> Code:
    """A kernel with these loops; of the rest what fits two blocks of 256 threads."""
    given = {"in_flight": 4, "groups": 0, "registers": 120, "threads": 256, "shared": 98304}
    return Code(sum(loops, Counter()), loops, **given | more, target="sm_90")


def loop(**opcodes: int) -> Counter[str]:
    """A loop; underscores stand for points."""
    return Counter({name.replace("_", "."): count for name, count in opcodes.items()})


def test_a_trip_of_a_product() -> None:
    """128 x 128 x 64 in f16 by two warpgroups, as a person counts it."""
    made = loop_of(code(loop(HGMMA_64x128x16=4, UTMALDG_2D=3, IMAD=53)), GEMM, True)
    assert made is not None
    assert (made.warps, made.trips, made.blocks) == (8, 1, 2)
    spent = clocks(made, GEMM, H100)
    assert spent["tensor cores"] == 128 * 128 * 64 / 2048
    assert spent["instructions"] == 60 * 8 / 4
    # Each warpgroup reads 64 x 64 of A and all of B; the next tiles are copied in.
    assert spent["shared memory"] == (2 * (64 + 128) * 64 * 2 + 2 * 128 * 64 * 2) / 128
    assert round(spent["L2"]) == 762
    assert bound(made, GEMM, H100).limit == "L2"


def test_a_round_of_two_trips_and_a_role() -> None:
    """Copies in another loop have warps of their own; what was unrolled counts by its products."""
    loops = loop(HGMMA_64x128x16=8, IMAD=72), loop(UTMALDG_2D=3, IMAD=9)
    made = loop_of(code(*loops, threads=384, registers=168), GEMM, True)
    assert made is not None
    assert (made.warps, made.trips, made.blocks) == (8, 2, 1)
    assert clocks(made, GEMM, H100)["instructions"] == 80 * 8 / 2 / 4
    assert bound(made, GEMM, H100).overlaps
    theirs = loop_of(code(*loops, threads=384, registers=168), GEMM, False)
    assert theirs is not None
    assert (theirs.warps, theirs.trips) == (4, 1)
    assert bound(theirs, GEMM, H100).limit == "nothing overlaps"


def test_barriers_keep_warpgroups_in_step() -> None:
    alone = {"opcodes": loop(HGMMA_64x128x16=4, IMAD=56), "warps": 8, "trips": 1, "blocks": 1,
             "local": 0}  # fmt: skip
    free = bound(Loop(**alone), GEMM, H100)
    for barriers, overlaps in (
        ({"BAR.SYNC.DEFER_BLOCKING": 1}, False),
        ({"BAR.SYNC.DEFER_BLOCKING": 1, "BAR.ARV": 1}, True),
    ):
        opcodes = alone["opcodes"] + Counter(barriers)
        found = bound(Loop(**alone | {"opcodes": opcodes}), GEMM, H100)
        assert found.overlaps == overlaps
        assert (found.rate < free.rate) == (not overlaps)


def test_products_that_stay_under_way_overlap() -> None:
    barrier = {"BAR.SYNC.DEFER_BLOCKING": 1, "HGMMA.64x128x16": 4, "IMAD": 56}
    for wait, overlaps in (("WARPGROUP.DEPBAR.LE", False), ("WARPGROUP.DEPBAR.LE.1", True)):
        made = Loop(Counter(barrier | {wait: 1}), warps=8, trips=1, blocks=1, local=0)
        assert bound(made, GEMM, H100).overlaps == overlaps


def test_products_of_warps_and_shared_accesses() -> None:
    """mma.sync: 62 % of the rate; ldmatrix of four matrices moves 16 bytes a lane."""
    opcodes = loop(HMMA_16816_F32=64, LDSM_16_M88_4=12, LDS_128=1, MUFU_EX2=2, LDGSTS_E=8)
    made = loop_of(code(opcodes), GEMM, True)
    assert made is not None
    assert (made.warps, made.trips) == (8, 1)
    spent = clocks(made, GEMM, H100)
    assert spent["tensor cores"] == 512 / 0.62
    assert spent["shared memory"] == (13 * 16 * 32 * 8 + 32768) / 128
    assert spent["special functions"] == 2 * 32 * 8 / 16


def test_factors_in_registers_are_not_read() -> None:
    assert Product(128, 64, 32).read(2) - Product(128, 64, 32, True).read(2) == 128 * 32 * 2
    assert Trip("e4m3", (Product(64, 64, 32),), 0).fma == 64 * 64 * 32


def test_loads_in_flight() -> None:
    assert in_flight(code(loop(IMAD=1))) == 4 * 16 * 256 * 2


def test_every_kernel_has_a_text() -> None:
    assert set(texts()) == {*TRIPS, *MEMORY}


def test_the_page_keeps_its_words() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(page.BEGIN)
    again = page.replaced(text, "nothing")
    assert again == f"{head}{page.BEGIN}\n\nnothing\n{page.END}{rest.partition(page.END)[2]}"
    for name in (*TRIPS, *MEMORY):
        assert f"\n| {name} | ours |" in text, name


@pytest.mark.oracle
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["gemm_f16_128x128x64", "fmha_causal_128x64", "softmax"])
def test_the_page_is_current(name: str, tool) -> None:
    """If not: python -m tests.lab.bench paper --write."""
    for each in ("ptxas", "nvdisasm"):
        tool(each, "--version")
    if b"V13.5." not in tool("tileiras", "--version").stdout:
        pytest.skip("the page was made with another release of tileiras")
    found = page.tables(page.measured([name]))
    text = page.PAGE.read_text(encoding="utf-8")
    lines = [line for line in found.splitlines() if line.startswith(f"| {name} |")]
    assert len(lines) == 2
    assert [line for line in lines if line not in text] == []
