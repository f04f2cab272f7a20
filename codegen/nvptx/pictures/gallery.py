"""The layouts that the pictures of a kernel share, each once, and the numbers of its ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.layouts.shared_offsets import swizzle_of
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op

Row = dict[str, Any]
"""An object of JSON."""


class Gallery:
    """What has been drawn of a kernel so far; `number_of` gives an op's number, None for none."""

    def __init__(self, number_of: Callable[[Op], int | None]) -> None:
        self.number_of = number_of
        self.layouts: list[Row] = []
        self.memory: list[Row] = []

    def layout(self, layout: LinearLayout, shape: Sequence[int]) -> int:
        """Return the index of a layout of tiles in registers: the bases, by what they number."""
        levels = {name: list(bases) for name, bases in layout.levels.items()}
        return _index(self.layouts, {"shape": list(shape), **levels})

    def order(self, kind: Shared) -> int:
        """Return the index of an order of tiles in shared memory: what each bit adds, in bytes."""
        size = memory_bytes(kind.element)
        row = {
            "shape": list(kind.shape),
            "element": str(kind.element),
            "bytes": size,
            "offsets": [offset * size for offset in kind.offsets],
            "slots": kind.slots,
            "swizzle": swizzle_of(kind.offsets, kind.shape, size),
        }
        return _index(self.memory, row)


def _index(rows: list[Row], row: Row) -> int:
    if row not in rows:
        rows.append(row)
    return rows.index(row)
