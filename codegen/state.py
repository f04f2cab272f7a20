"""What the states of all families have in common: kernels, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .kernel import Kernel


class KernelState(Protocol):
    """A kernel and what has been decided about it; each family adds its fields."""

    kernel: Kernel
    dropped: int


class State(Protocol):
    """What the stages of a family take: what has been decided so far about a module."""

    @property
    def kernels(self) -> Sequence[KernelState]:
        """The kernels of the module."""
        ...
