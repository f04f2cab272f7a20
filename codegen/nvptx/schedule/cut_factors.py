"""Products whose factors shared memory cannot hold: they are staged piece by piece along k.

The factor is in registers, in the layout that it comes into being in. Again and again all threads
write what they have of the next piece to shared memory, meet, and multiply from there. So pieces
take the memory that ops use while they run, and nothing of what is kept for the whole kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.layouts.linear_layout import LinearLayout, combine
from tileir.codegen.nvptx.emit.shared import SCRATCH
from tileir.ir import Op

from .mma_plan import Plan
from .staged import ALIGNMENT, Staging, images_in_root, root_of, staged_images
from .view_facts import inner_of


@dataclass(frozen=True, slots=True)
class Cut:
    """How a product goes through its factors: `length` is that of a piece along k."""

    length: int
    factors: dict[str, Staging]
    """The factors that are cut, by their slots; the others are at hand as a whole."""

    @property
    def bytes(self) -> int:
        """Of the pieces that are staged at a time."""
        return max(staging.range[1] for staging in self.factors.values())


def cut_factors(
    op: Op, plan: Plan, layouts: Mapping[str, LinearLayout], facts: Divisibility
) -> Cut | None:
    """Cut factors into as few pieces as can be, given the layouts that they are written from.

    None if even the slices that are multiplied at once do not fit, of very many matrices.
    """
    length = plan.extents["k"]
    while length >= plan.slice:
        cut = _cut(op, plan, layouts, facts, length)
        if cut.bytes <= SCRATCH:
            return cut
        length //= 2
    return None


def _cut(
    op: Op, plan: Plan, layouts: Mapping[str, LinearLayout], facts: Divisibility, length: int
) -> Cut:
    factors, place = {}, 0
    for slot, layout in layouts.items():
        value, part = op.operands[slot], plan.part(slot)
        root = root_of(value)
        cut = 0
        for step in plan.along["k"]:
            if step >= length:
                cut |= combine(images_in_root(value), part.at(k=step))
        images = staged_images(root.type.shape, inner_of(root, facts), plan.size, cut)
        factors[slot] = Staging(layout, plan.reading, plan.size, images, place, cut)
        place = -(-factors[slot].range[1] // ALIGNMENT) * ALIGNMENT
    return Cut(length, factors)
