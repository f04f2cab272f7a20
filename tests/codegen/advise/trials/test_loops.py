"""What is known of loops before they run: whether they have an iteration."""

from __future__ import annotations

import pytest

import tileir
from tileir.codegen.advise.trials.loops import runs


@pytest.mark.parametrize(
    ("compared", "lower", "upper", "known"),
    [
        ("", "0", "5", True),
        ("", "5", "5", False),
        ("", "-1", "5", True),
        ("", "0", "-1", False),
        ("", "0", "%n", False),
        ("unsigned ", "-1", "5", False),
        ("unsigned ", "0", "-1", True),
    ],
)
def test_constant_bounds_tell_whether_a_loop_runs(
    compared: str, lower: str, upper: str, known: bool
) -> None:
    low = f"%low = constant <i32: {lower}> : tile<i32>"
    high = "" if upper == "%n" else f"%high = constant <i32: {upper}> : tile<i32>"
    bound = upper if upper == "%n" else "%high"
    text = f"""cuda_tile.module @m {{ entry @k(%n: tile<i32>) {{
      %one = constant <i32: 1> : tile<i32>
      {low}
      {high}
      for {compared}%c in (%low to {bound}, step %one) : tile<i32> {{ }}
      return }} }}"""
    (loop,) = [op for op in tileir.assemble(text).functions[0].walk() if op.name == "for"]
    assert runs(loop) is known
