"""What is drawn by lot of ops that are not computed: the same for the same operands, if ops allow
that."""

from __future__ import annotations

import pytest

import tileir
from tileir.codegen.advise.random_runs.machine import observed

TEXT = """\
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{
    %e = iota : tile<64xi32>
    %f = itof %e signed : tile<64xi32> -> tile<64xf32>
    %h = ftof %f : tile<64xf32> -> tile<64xf16>
    %g = ftof %f : tile<64xf32> -> tile<64xbf16>
    {}
    return
  }}
}}
"""
KERNELS = {
    "the same op of the same operands": (
        "%a = mulhii %e, %e : tile<64xi32>\n%b = mulhii %e, %e : tile<64xi32>\n",
        True,
    ),
    "the same bits": (
        (
            "%a = bitcast %h : tile<64xf16> -> tile<64xi16>\n"
            "%b = bitcast %h : tile<64xf16> -> tile<64xi16>\n"
        ),
        True,
    ),
    "other operands": (
        (
            "%d = addi %e, %e : tile<64xi32>\n"
            "%a = mulhii %e, %e : tile<64xi32>\n%b = mulhii %e, %d : tile<64xi32>\n"
        ),
        False,
    ),
    "bits of another type": (
        (
            "%a = bitcast %h : tile<64xf16> -> tile<64xi16>\n"
            "%b = bitcast %g : tile<64xbf16> -> tile<64xi16>\n"
        ),
        False,
    ),
    "memory of its own": (
        (
            "%a = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>\n"
            "%b = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>\n"
        ),
        False,
    ),
}


@pytest.mark.parametrize(("body", "alike"), KERNELS.values(), ids=KERNELS)
def test_what_is_drawn_by_lot(body: str, alike: bool) -> None:
    (function,) = tileir.assemble(TEXT.format(body)).functions
    found = observed(function)
    assert found is not None
    ops = [op for op in function.walk() if op.name in ("mulhii", "bitcast", "alloca")]
    one, other = (found.fingerprints[op.result] for op in ops)
    assert (one == other) is alike
