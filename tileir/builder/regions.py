"""The regions of an op that is built: they are entered by name, and filled op by op."""

from __future__ import annotations

from typing import Protocol

from tileir.errors import BuildError
from tileir.ir import Op, Value


class Filling(Protocol):
    """The builder in which the regions of an op are filled, as far as the op needs it."""

    pending: Nested | None

    def settle(self) -> None:
        """Finish the op whose regions were filled last: its results become visible."""

    def enter(self, nested: Nested, index: int) -> list[Value]:
        """Begin a region, and return its block arguments."""
        ...

    def leave(self, nested: Nested, failed: bool) -> None:
        """End the region that was entered last."""


class Nested:
    """An op with regions, which ``with`` enters by name: ``with loop.region:``.

    ``with loop:`` enters the first region.

    arguments  the block arguments of the region entered last
    results    the op's results, once its regions are finished
    """

    def __init__(self, kernel: Filling, op: Op) -> None:
        self._kernel = kernel
        self.op = op
        self.arguments: list[Value] = []

    @property
    def results(self) -> tuple[Value, ...]:
        """The op's results."""
        if self._kernel.pending is self:
            self._kernel.settle()
        return tuple(self.op.results)

    @property
    def result(self) -> Value:
        """The first result."""
        return self.results[0]

    def check_complete(self) -> None:
        """Raise BuildError if a region is missing that must not be empty."""
        for row, region in zip(self.op.spec.regions, self.op.regions, strict=True):
            if not region.blocks and (self.op.results or not row.may_be_empty):
                given = "loop" if "continue" in dict(row.gives) else "nested"
                how = f"fill it inside `with {given}.{row.name}:`, {given} being what the call gave"
                raise BuildError(f"{self.op.name}: {row.name} is missing; {how}")

    def __getattr__(self, name: str) -> RegionScope:
        for index, row in enumerate(self.op.spec.regions):
            if row.name == name:
                return RegionScope(self, index)
        there = " and ".join(row.name for row in self.op.spec.regions)
        raise AttributeError(f"{self.op.name} has no region {name}; it has {there}")

    def __enter__(self) -> Nested:
        RegionScope(self, 0).__enter__()
        return self

    def __exit__(self, kind, error, trace) -> None:
        self._kernel.leave(self, failed=kind is not None)


class RegionScope:
    """A context manager that enters and leaves one region."""

    def __init__(self, nested: Nested, index: int) -> None:
        self.nested = nested
        self.index = index

    def __enter__(self) -> list[Value]:
        nested = self.nested
        nested.arguments = nested._kernel.enter(nested, self.index)
        return nested.arguments

    def __exit__(self, kind, error, trace) -> None:
        self.nested._kernel.leave(self.nested, failed=kind is not None)
