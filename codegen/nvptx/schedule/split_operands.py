"""Matrix products whose operands do not fit in shared memory: stage them in pieces along k.

The operand is in registers, in the layout that it is defined in. For each piece, all threads store
their elements of it to shared memory; after a barrier they multiply from there. So pieces take
scratch memory of the op, and nothing of what is allocated for the whole kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.layouts.linear_layout import LinearLayout, combine
from tileir.ir import Op

from .mma_plan import ProductPlan
from .staged import ALIGNMENT, SCRATCH, Staging, bases_in_root, root_of, staged_bases
from .view_facts import inner_of


@dataclass(frozen=True, slots=True)
class SplitOperands:
    """The pieces of a product's operands; `length` is the extent of one piece along k."""

    length: int
    operands: dict[str, Staging]
    """Slot -> how the pieces of the operand are staged; other operands are there as a whole."""

    @property
    def bytes(self) -> int:
        """Bytes of the pieces that are staged at the same time."""
        sizes = (staging.bytes for staging in self.operands.values())
        return sum(-(-size // ALIGNMENT) * ALIGNMENT for size in sizes)


def split_operands(
    op: Op, plan: ProductPlan, layouts: Mapping[str, LinearLayout], facts: Divisibility
) -> SplitOperands | None:
    """Split operands into as few pieces as possible, given the layouts they are stored from.

    None if even the slices that are multiplied at once do not fit: of a very large batch.
    """
    length = plan.extents["k"]
    while length >= plan.slice:
        split = _split(op, plan, layouts, facts, length)
        if split.bytes <= SCRATCH:
            return split
        length //= 2
    return None


def _split(
    op: Op, plan: ProductPlan, layouts: Mapping[str, LinearLayout], facts: Divisibility, length: int
) -> SplitOperands:
    operands = {}
    for slot, layout in layouts.items():
        value, part = op.operands[slot], plan.part(slot)
        root = root_of(value)
        piece_mask = 0
        for step in plan.along["k"]:
            if step >= length:
                piece_mask |= combine(bases_in_root(value), part.at(k=step))
        bases = staged_bases(root.type.shape, inner_of(root, facts), plan.size, piece_mask)
        operands[slot] = Staging(layout, plan.operand_type, plan.size, bases, piece_mask)
    return SplitOperands(length, operands)
