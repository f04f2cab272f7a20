"""What goes through the ring of a loop, and where in a buffer each tile lies."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.analysis.early_loads import EarlyLoad
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.ir import Op

from .staged import Staged


@dataclass(frozen=True, slots=True)
class Fetched:
    """A load that is made early: which thread copies what, and where in a buffer it goes."""

    early: EarlyLoad
    layout: LinearLayout
    place: int
    images: tuple[int, ...]
    size: int
    """Bytes of an element."""

    def staged(self, builder: ir.IRBuilder, buffer: ir.Value) -> Staged:
        """The tile in a buffer."""
        place = builder.add(buffer, ir.Constant(buffer.type, self.place))
        return Staged(place, self.images, self.size)


@dataclass(frozen=True, slots=True)
class RingPlan:
    """What goes through the ring of a loop, the bytes of one buffer, and the number of buffers.

    `beside` is the op of the loop's body during which the next tiles are fetched; None if that has
    to happen first of all.
    """

    fetched: tuple[Fetched, ...]
    size: int
    stages: int
    beside: Op | None
