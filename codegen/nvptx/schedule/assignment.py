"""What the layout steps decide: how many threads, which of them holds what, and where."""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.codegen.layouts.linear_layout import LinearLayout, uniform
from tileir.ir import Op, Value

from .cut_factors import Cut
from .mma_plan import Plan
from .ring_plan import RingPlan
from .staged import Staging


@dataclass(slots=True)
class Assignment:
    """`layouts` holds, for each value, the layouts it is needed in; `homes` where it comes into
    being, if not in all of those; `own` the layouts that ops work in which have no result, or
    another one."""

    threads: int
    layouts: dict[Value, list[LinearLayout]] = field(default_factory=dict)
    homes: dict[Value, list[LinearLayout]] = field(default_factory=dict)
    own: dict[Op, LinearLayout] = field(default_factory=dict)
    products: dict[Op, Plan] = field(default_factory=dict)
    """How matrix products are carried out."""
    staged: dict[Value, Staging] = field(default_factory=dict)
    """Tiles that they read from shared memory."""
    cut: dict[Op, Cut] = field(default_factory=dict)
    """Products that read tiles from there piece by piece."""
    rings: dict[Op, RingPlan] = field(default_factory=dict)
    """Loops that fetch tiles early, which products read from shared memory too."""

    def of(self, value: Value) -> list[LinearLayout]:
        """The layouts a value is needed in."""
        return self.layouts.get(value, [])

    def computed(self, value: Value) -> list[LinearLayout]:
        """The layouts a value comes into being in."""
        return self.homes.get(value) or self.of(value)

    def require(self, value: Value, layout: LinearLayout) -> None:
        layout = uniform(self.threads) if value.type.size == 1 else layout
        wanted = self.layouts.setdefault(value, [])
        if layout not in wanted:
            wanted.append(layout)

    def settle(self, value: Value, layout: LinearLayout) -> None:
        """Give a value a home."""
        self.homes[value] = [uniform(self.threads) if value.type.size == 1 else layout]
