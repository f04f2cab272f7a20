"""Names of layouts, and their definitions as text, for remarks.

A definition has the base of each bit of the register's, the lane's and the warp's number, and of
the block's in a cluster. `(8,0)` is eight rows down, in a tile of one dimension `8` is eight
elements on; a bit with the base `-` has no effect, so that threads which differ in it hold copies.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir.codegen.layouts.linear_layout import LinearLayout

from .emit.fragments import coordinates


class LayoutNames:
    """The names given to layouts so far; `definitions` has them in order."""

    def __init__(self) -> None:
        self._names: dict[tuple[LinearLayout, tuple[int, ...]], str] = {}
        self._any: dict[LinearLayout, str] = {}
        self.definitions: list[str] = []

    def name(self, layout: LinearLayout, shape: Sequence[int] = ()) -> str:
        """Return the name of a layout of tiles of a shape; without a shape, of any shape."""
        if not shape and layout in self._any:
            return self._any[layout]
        key = layout, tuple(shape) or (1 << layout.bits,)
        if key not in self._names:
            name = self._names[key] = f"#l{len(self._names)}"
            self._any.setdefault(layout, name)
            self.definitions.append(f"layout {name} = {spelled(*key)}")
        return self._names[key]


def spelled(layout: LinearLayout, shape: Sequence[int]) -> str:
    """Return a layout as text.

    ``64x64: register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) -``
    """
    sides = [
        f"{level} {' '.join(_moved(base, shape) for base in bases)}"
        for level, bases in layout.levels.items()
        if bases
    ]
    return f"{'x'.join(map(str, shape))}: {', '.join(sides)}"


def _moved(base: int, shape: Sequence[int]) -> str:
    if base == 0:
        return "-"
    moved = ",".join(map(str, coordinates(shape, base)))
    return moved if len(shape) == 1 else f"({moved})"
