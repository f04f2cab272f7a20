"""The pictures of a kernel on a GPU, as JSON: compiled as far as decisions are made, then read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tileir.bytecode import Bytecode
from tileir.codegen.fresh import compile_fresh
from tileir.codegen.nvptx.reports import remarks
from tileir.codegen.nvptx.state import KernelState, State
from tileir.ir import Op

from .gallery import Gallery
from .loops import loops
from .products import products
from .tiles import accesses, tiles


def pictures(
    bytecode: Bytecode, symbol: str, target: str, number_of: Callable[[Op], int | None]
) -> dict[str, Any]:
    """Return what pictures of a kernel are drawn from; raises what `tileir.compile` does.

    `number_of` gives the number of an op of block IR in Tile IR, None for one that has none.
    """
    found: list[dict[str, Any]] = []

    def record(name: str, state: State) -> None:
        if name == remarks.STAGE:
            found.extend(_drawn(each, number_of) for each in state.kernels if not each.twin_of)

    compile_fresh(
        bytecode,
        target,
        symbols=[symbol],
        checks=[],
        trace=[],
        launch={},
        lineinfo=False,
        portable=False,
        after_stage=record,
        until=remarks.STAGE,
    )
    (drawn,) = found
    return drawn


def _drawn(each: KernelState, number_of: Callable[[Op], int | None]) -> dict[str, Any]:
    gallery = Gallery(number_of)
    rows = {
        "tiles": tiles(each, gallery),
        "accesses": accesses(each, gallery),
        "products": products(each, gallery),
        "loops": loops(each, gallery),
    }
    return {"layouts": gallery.layouts, "memory": gallery.memory, **rows}
