"""Types and attributes for an op that only computes, drawn by the sampler within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from tileir.formats.ops.spec import Op
from tileir.formats.version import LATEST, Version
from tileir.ir import Value
from tileir.tools.sampler.attributes import attribute
from tileir.tools.sampler.draft import Draft, Unfit
from tileir.tools.sampler.draws import Draws
from tileir.tools.sampler.pool import Pool
from tileir.tools.sampler.relations import RELATIONS
from tileir.tools.sampler.rows import Rows, rows
from tileir.types import Tile, Type

HIGHEST_RANK = 8


class SmallPool(Pool):
    """Types of few elements, of ordinary memory."""

    def __init__(self, version: Version, draws: Draws, largest: int) -> None:
        self.largest = largest
        super().__init__(version, draws)
        self.attributes = (None,)
        self.shapes = [self.new_shape(rank) for rank in (draws.below(3), draws.between(2, 4))]
        self.shapes.append(self.new_shape(draws.below(HIGHEST_RANK + 1)))

    def new_shape(self, rank: int) -> tuple[int, ...]:
        """Powers of two with a product that is small enough."""
        left, sizes = self.largest.bit_length() - 1, []
        for _ in range(rank):
            exponent = min(self.draws.below(5), left)
            left -= exponent
            sizes.append(1 << exponent)
        return tuple(self.draws.shuffled(sizes))

    def shape(self, least: int = 0, most: int = HIGHEST_RANK) -> tuple[int, ...]:
        return super().shape(least, most)


class SmallDraft(Draft):
    """A draft with tiles of few elements, of any rank."""

    def set(self, name: str, *types: Type) -> None:
        largest = cast("SmallPool", self.pool).largest
        if any(isinstance(type, Tile) and type.size > largest for type in types):
            raise Unfit(f"{self.spec.mnemonic}: {name} is too large")
        super().set(name, *types)

    def tile(self, name: str, *, most: int = HIGHEST_RANK, **rest) -> Tile:
        return super().tile(name, most=most, **rest)


@dataclass
class Source:
    """What a draft asks of what grows a module: values that are there already."""

    draws: Draws
    pool: Pool
    visible: Sequence[Value] = ()
    globals: Sequence = ()
    rows: Rows = field(default_factory=lambda: rows(LATEST))

    def some_visible(self, count: int) -> list[Value]:
        """Some of the values, drawn at random."""
        if not self.visible:
            return []
        return [self.draws.pick(self.visible) for _ in range(count)]


FIXED = {"overflow": "none"}
"""Attributes that would be promises about numbers nobody knows yet."""

TRIES = 50


def drafted(source: Source, spec: Op, tries: int = TRIES) -> Draft:
    """An op with all types and attributes. Unfit if none is found."""
    for left in reversed(range(tries)):
        draft = SmallDraft(source, spec)
        try:
            if spec.mnemonic in RELATIONS:
                RELATIONS[spec.mnemonic](draft)
            draft.complete()
            for slot in spec.attributes:
                fixed = FIXED.get(slot.name)
                draft.attributes[slot.name] = fixed or attribute(draft, slot)
        except Unfit:
            if not left:
                raise
            continue
        return draft
    raise Unfit(spec.mnemonic)
