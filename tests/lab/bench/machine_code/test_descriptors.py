"""Descriptors in machine code: what is read out of a listing, and what is checked in."""

from __future__ import annotations

import pytest

from tests.lab.bench.machine_code import descriptors
from tests.lab.bench.machine_code.descriptors import GOLDEN, compiled, golden, kernels, written

LISTING = """
        /*0ba0*/                   ULOP3.LUT UR11, UR10, 0x3ff8, URZ, 0xc0, !UPT ;
        /*0bb0*/                   UMOV UR9, 0x3ff8 ;
        /*0bc0*/                   ULOP3.LUT UR8, UR7, 0x10000, UR9, 0xec, !UPT ;
        /*0bd0*/                   UMOV UR9, 0x40000040 ;
        /*0be0*/                   ULOP3.LUT UR10, UR11, 0x2000000, URZ, 0xfc, !UPT ;
        /*0bf0*/                   UMOV UR11, 0x80060020 ;
        /*0c00*/                   HGMMA.64x128x16.F32.BF16 R88, gdesc[UR8].tnspB, RZ, !UPT ;
        /*0c10*/                   UIADD3 UR8, UR8, 0x2, URZ ;
        /*0c20*/                   UMOV UR14, 0x80 ;
        /*0c30*/                   UMOV UR15, URZ ;
        /*0c40*/                   UIADD3.64 UR10, UR10, UR14, URZ ;
        /*0c50*/                   HGMMA.64x128x16.F32.BF16 R88, gdesc[UR8].tnspB, R88, gsb0 ;
        /*0c60*/              @UP0 UIADD3 UR11, UR11, 0x2, URZ ;
        /*0c70*/                   QGMMA.64x8x32.F32.E4M3.E4M3 R24, R4, gdesc[UR10], R24, gsb0 ;
"""


def test_registers_are_followed() -> None:
    first, second = sorted(descriptors.descriptors(LISTING), key=lambda row: row["instruction"])
    assert first == {
        "instruction": "HGMMA.64x128x16.F32.BF16",
        "a": {"transposed": False, "held": "shared", "mode": 1, "base": 0, "stride": 1024,
              "leading": 16, "offsets": [0, 32]},
        "b": {"transposed": True, "held": "shared", "mode": 2, "base": 3, "stride": 512,
              "leading": 8192, "offsets": [0, 2048]},
    }  # fmt: skip
    assert second["a"] == {"held": "registers"}
    assert second["b"]["held"] == "a descriptor that is not constant"


def test_the_file_is_complete() -> None:
    assert GOLDEN.read_text(encoding="utf-8") == written(golden())
    assert {name: each["tile"] for name, each in golden().items()} == {
        name: tile and list(tile) for name, (_, tile) in kernels().items()
    }


SOME = ("gemm_batched", "gemm_int8", "f16_64x16x64", "f8E5M2_64x64x64", "tf32_64x64x32")
"""Products of each kind, with tiles that tileiras is quick about."""


@pytest.mark.oracle
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SOME)
def test_tileiras_still_makes_them(name: str, tool) -> None:
    """Some of those checked in, as release 13.5 makes them; the module writes them all anew."""
    if b"V13.5." not in tool("tileiras", "--version").stdout:
        pytest.skip("another release of tileiras")
    tool("nvdisasm", "--version")
    text, tile = kernels()[name]
    assert {"tile": tile and list(tile), **compiled(text)} == golden()[name]


COMPARED = (
    "gemm_batched", "gemm_bias_gelu", "gemm_grouped", "gemm_persistent", "gemm_split_k",
    "moe_gather", "conv3x3", "matmul_f16", "gemm_128x256", "gemm_batched_128", "f16_128x256x64",
    "f16_256x128x64", "f16_64x128x32", "f16_64x128x16", "f16_64x32x64", "f16_64x16x64",
    "bf16_64x64x128",
)  # fmt: skip
"""Kernels for which both choose the same instruction, and of which descriptors can be followed."""


@pytest.mark.oracle
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [*COMPARED, *sorted({*kernels()} - {*COMPARED})])
def test_ours_are_those_of_tileiras(name: str, tool) -> None:
    """In ptxas' machine code of our PTX: the instruction, its modifiers, and the descriptors.

    Each warpgroup has its own rows of the left factor, so it starts at fewer places.
    """
    tool("ptxas", "--version")
    tool("nvdisasm", "--version")
    ours, theirs = descriptors.ours(kernels()[name][0]), golden()[name]
    compared = 0
    for mine in ours["products"]:
        for other in theirs["products"]:
            if alike(mine, other):
                compared += 1
                assert [differences(mine, other, side) for side in "ab"] == [[], []]
    if name in COMPARED:
        assert ours["instructions"] == theirs["instructions"]
    if ours["instructions"] == theirs["instructions"] and theirs["products"]:
        assert compared


def alike(mine: dict, other: dict) -> bool:
    """Whether two products are of the same instruction with the same modifiers."""
    turned = [[row[side]["transposed"] for side in "ab"] for row in (mine, other)]
    return mine["instruction"] == other["instruction"] and turned[0] == turned[1]


def differences(mine: dict, other: dict, side: str) -> list[str]:
    """The fields in which the descriptors of a factor differ, where they mean something."""
    a, b = mine[side], other[side]
    found = [name for name in ("mode", "base", "stride") if a[name] != b[name]]
    # What is less than a row says nothing: there is only one column of them.
    if a["transposed"] and max(a["leading"], b["leading"]) > 16 and a["leading"] != b["leading"]:
        found.append("leading")
    if not set(a["offsets"]) <= set(b["offsets"]):
        found.append("offsets")
    return found


def test_differences_are_found() -> None:
    (row,) = golden()["f16_128x256x64"]["products"]
    for name, value in (("mode", 2), ("stride", 512), ("leading", 4096), ("offsets", [64, 65])):
        assert differences({"b": {**row["b"], name: value}}, row, "b") == [name]
    assert differences(row, row, "a") == []
