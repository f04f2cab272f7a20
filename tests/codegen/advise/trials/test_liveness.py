"""What nothing of a kernel needs: ops that end a kernel or an iteration early are needed."""

from __future__ import annotations

import pytest

import tileir
from tileir.codegen.advise.trials.liveness import needless

TEXT = """\
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{
    %c = constant <i32: 3> : tile<i32>
    %z = constant <f32: 2.0> : tile<f32>
    {}
    return
  }}
}}
"""
LESS = "cmpi less_than {}, %c, signed : tile<i32> -> tile<i1>"
STORE = "%q = offset %p, {} : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
STORE += "%r = store_ptr_tko weak %q, {} : tile<ptr<f32>>, tile<f32> -> token\n"
KERNELS = {
    "a kernel that ends early": (
        f"%d = {LESS.format('%n')}\nif %d {{ return }}\n{STORE.format('%n', '%z')}",
        [],
    ),
    "an iteration that ends early": (
        (
            "for %i in (%c to %n, step %c) : tile<i32> {\n"
            f"%d = {LESS.format('%i')}\nif %d {{ continue }}\n{STORE.format('%i', '%z')}}}\n"
        ),
        [],
    ),
    "what an iteration hands on that ends early": (
        (
            "%x = sin %z : tile<f32>\n%y = cos %z : tile<f32>\n"
            "%s = for %i in (%c to %n, step %c) : tile<i32> "
            "iter_values(%a = %z) -> (tile<f32>) {\n"
            f"%d = {LESS.format('%i')}\nif %d {{ continue %x : tile<f32> }}\n"
            f"{STORE.format('%i', '%a')}continue %a : tile<f32> }}\n"
        ),
        ["cos"],
    ),
    "a loop that ends early, of which nothing is wanted": (
        (
            "for %i in (%c to %n, step %c) : tile<i32> {\n"
            f"%d = {LESS.format('%i')}\nif %d {{ continue }}\n}}\n{STORE.format('%n', '%z')}"
        ),
        ["constant", "for", "cmpi", "if"],
    ),
    "a loop in a loop, of which nothing is wanted": (
        (
            "for %i in (%c to %n, step %c) : tile<i32> {\n"
            "for %j in (%c to %n, step %c) : tile<i32> {\n"
            f"%d = {LESS.format('%j')}\nif %d {{ continue }}\n}}\n{STORE.format('%i', '%z')}}}\n"
        ),
        ["for", "cmpi", "if"],
    ),
}


@pytest.mark.parametrize(("body", "expected"), KERNELS.values(), ids=KERNELS)
def test_what_is_needless(body: str, expected: list[str]) -> None:
    (function,) = tileir.assemble(TEXT.format(body)).functions
    assert [op.name for op in needless(function)] == expected
