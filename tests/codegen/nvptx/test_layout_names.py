"""How layouts are spelled in remarks."""

from __future__ import annotations

from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.layout_names import spelled


def test_each_level_that_has_bits_has_its_bases() -> None:
    layout = LinearLayout(5, (1, 16), (2,), (0,), (12,))
    assert spelled(layout, (8, 4)) == ("8x4: register (0,1) (4,0), lane (0,2), warp -, block (3,0)")
    assert spelled(LinearLayout(2, (1,), (2,), ()), (4,)) == "4: register 1, lane 2"
