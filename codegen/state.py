"""The fields that the states of all families have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .kernel import Kernel


class KernelState(Protocol):
    """A kernel and the decisions about it; each family adds its fields."""

    kernel: Kernel
    dropped: int


class State(Protocol):
    """The argument of the stages of a family: a module and the decisions about it so far."""

    @property
    def kernels(self) -> Sequence[KernelState]:
        """The kernels of the module."""
        ...
