"""What the states of all families of targets have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from tileir.ir import Op

from .kernel import KernelIR


class KernelState(Protocol):
    """A kernel and the decisions about it; each family adds its fields."""

    kernel: KernelIR
    dropped: int
    """Dead ops that were eliminated."""
    shared: Mapping[Op, int]
    """Op -> the number of equal ones that it took the place of."""
    hoisted: Mapping[Op, Op]
    """Op -> the outermost loop that it was moved out of."""


class State(Protocol):
    """A module and what has been decided about it so far: the argument of every stage."""

    @property
    def kernels(self) -> Sequence[KernelState]:
        """The kernels of the module."""
        ...

    @property
    def observed(self) -> bool:
        """Whether checks or traces tell of single ops, so that each has to stay in its place."""
        ...
