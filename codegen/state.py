"""What the states of all families of targets have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .kernel import KernelIR


class KernelState(Protocol):
    """A kernel and the decisions about it; each family adds its fields."""

    kernel: KernelIR
    dropped: int
    """Dead ops that were eliminated."""


class State(Protocol):
    """A module and what has been decided about it so far: the argument of every stage."""

    @property
    def kernels(self) -> Sequence[KernelState]:
        """The kernels of the module."""
        ...
