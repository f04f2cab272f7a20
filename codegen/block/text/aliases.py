"""Names of layouts and of offsets in shared memory: `#l0`, `#s0`, in the order of their first use.

One object may serve the texts of several stages, so that a name means the same in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir.codegen.block.notation import spelled_layout, spelled_offsets
from tileir.codegen.layouts.linear_layout import LinearLayout


class AliasNames:
    """The names given so far: to each layout, or offsets, of tiles of one shape."""

    def __init__(self) -> None:
        self._layouts: dict[tuple[LinearLayout, tuple[int, ...]], str] = {}
        self._offsets: dict[tuple[tuple[int, ...], tuple[int, ...]], str] = {}
        self._definitions: dict[str, str] = {}

    def layout(self, layout: LinearLayout, shape: Sequence[int]) -> str:
        """Return the name of a layout of tiles of a shape."""
        key = layout, tuple(shape)
        name = self._layouts.get(key)
        if name is None:
            name = self._layouts[key] = f"#l{len(self._layouts)}"
            self._definitions[name] = spelled_layout(*key)
        return name

    def offsets(self, offsets: Sequence[int], shape: Sequence[int]) -> str:
        """Return the name of the offsets of tiles of a shape."""
        key = tuple(offsets), tuple(shape)
        name = self._offsets.get(key)
        if name is None:
            name = self._offsets[key] = f"#s{len(self._offsets)}"
            self._definitions[name] = spelled_offsets(*key)
        return name

    @property
    def definitions(self) -> list[str]:
        """The lines that define all names so far."""
        return [f"{name} = {text}" for name, text in self._definitions.items()]

    def definition(self, name: str) -> str:
        """Return the line that defines a name."""
        return f"{name} = {self._definitions[name]}\n"
