"""What the layout steps decide: how many threads, which of them holds what, and where."""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.ir import Op, Value

from .layout import LinearLayout, uniform
from .mma_plan import Plan
from .ring_plan import RingPlan


@dataclass(slots=True)
class Staging:
    """A tile to be staged in shared memory (see `staged`): the layout that it is written from, how
    it is read, the bytes of an element then, and where it lies among the bytes that are kept."""

    layout: LinearLayout
    reading: str
    size: int
    images: tuple[int, ...]
    place: int = 0

    @property
    def bytes(self) -> int:
        return self.size << len(self.images)

    @property
    def range(self) -> tuple[int, int]:
        return self.place, self.place + self.bytes


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
