"""The plan of a loop's ring of buffers: the tiles that it holds, and their offsets in a buffer."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.analysis.early_loads import EarlyLoad
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.ir import Op

from .staged import Staged


@dataclass(frozen=True, slots=True)
class Fetched:
    """A load that is made early: which thread copies what, and to which byte of a buffer."""

    early: EarlyLoad
    layout: LinearLayout
    offset: int
    bases: tuple[int, ...]
    size: int
    """Bytes of one element."""

    def staged(self, builder: ir.IRBuilder, buffer: ir.Value) -> Staged:
        """Return the tile in the buffer at an address (i32)."""
        base = builder.add(buffer, ir.Constant(buffer.type, self.offset))
        return Staged(base, self.bases, self.size)


@dataclass(frozen=True, slots=True)
class RingPlan:
    """The ring of a loop: its tiles, the bytes of one buffer (`size`), and how many there are.

    `beside` is the matrix product during which the next buffer is filled; if it is None, that
    happens at the start of an iteration.
    """

    fetched: tuple[Fetched, ...]
    size: int
    stages: int
    beside: Op | None
