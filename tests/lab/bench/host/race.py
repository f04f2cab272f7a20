"""What is compared: launches of a kernel, and what torch and NumPy have for the same arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

RACES: dict[str, Callable[[], Race]] = {}
"""By name, in the order of the rows. A race is made when it is run, as its arrays are large."""


def race(make: Callable[[], Race]) -> Callable[[], Race]:
    """Add a race under the name of the function that makes it."""
    RACES[make.__name__] = make
    return make


@dataclass(frozen=True)
class Launch:
    """A launch of a cuTile kernel: tensors and numbers in order, then its constants."""

    kernel: Any
    grid: tuple[int, ...]
    given: Sequence[torch.Tensor | int | float]
    constants: tuple[int, ...]


@dataclass(frozen=True)
class Race:
    """Launches, one after the other, beside formulations of the same in torch and NumPy.

    `into` has formulations that write into arrays that are there, `anew` those that allocate what
    they return; against these, our side allocates its `results` too. All return what `results`
    are compared with: a tensor or several. `zeroed` are set to zero before each launch, as kernels
    add to them. `moved` is what has to be read and written at least, in bytes; `work` the
    operations of matrix products, on a `unit` of `limits.PEAKS`. `against` is what results are
    compared with instead of what torch gives, where that is random or wrong.
    """

    compared: str
    launches: Sequence[Launch]
    results: Sequence[torch.Tensor]
    into: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    anew: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    numpy: Callable[[], Any] | None = None
    moved: int = 0
    work: int = 0
    unit: str = "f32"
    tolerance: float = 1e-5
    zeroed: Sequence[torch.Tensor] = ()
    against: Callable[[], Any] | None = None


def random(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 1) -> torch.Tensor:
    """Return normally distributed numbers."""
    made = torch.empty(shape).normal_(generator=torch.Generator().manual_seed(seed))
    return made.to(dtype)


def size(*tensors: torch.Tensor) -> int:
    """Return the bytes of tensors."""
    return sum(each.nbytes for each in tensors)


def tiles(extent: int, tile: int) -> int:
    """Return how many tiles cover an extent."""
    return -(-extent // tile)
