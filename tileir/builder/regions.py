"""Where a kernel under construction is: blocks that are being filled, and ops that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tileir.errors import BuildError
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.ops.spec import Region as Row
from tileir.ir import Block, Op, Value
from tileir.ir.region_name import region_name

if TYPE_CHECKING:
    from .kernel import Kernel


class Place:
    """A block being filled: the region's row, and how many values were visible before it."""

    def __init__(self, op: Op | None, row: Row, block: Block, visible: int) -> None:
        self.op = op
        self.row = row
        self.block = block
        self.visible = visible

    def __str__(self) -> str:
        return region_name(self.op, self.row)

    @property
    def end(self) -> Op | None:
        """The terminator, if there is one already."""
        last = self.block.ops[-1] if self.block.ops else None
        return last if last is not None and last.spec.terminator else None

    def check_open(self, spec: Spec) -> None:
        """Refuse an op after the end, or a terminator that does not belong here."""
        if self.end is not None:
            raise BuildError(f"{spec.mnemonic} comes after {self.end.name}, which ends the {self}")
        if spec.terminator and spec.mnemonic not in self.row.terminators:
            ends = " or ".join(self.row.terminators)
            raise BuildError(f"{spec.mnemonic} cannot end the {self}, which ends with {ends}")

    def check_end(self) -> None:
        """Refuse a block that does not end with a terminator."""
        if self.end is None:
            raise BuildError(f"the {self} is not finished: {' or '.join(self.row.terminators)}")


class Nested:
    """An op with regions, by their names: ``with loop.region:``. The op itself enters its first.

    arguments  the block arguments of the region entered last
    results    the op's results, once its regions are finished
    """

    def __init__(self, kernel: Kernel, op: Op) -> None:
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
        """Refuse an op with a region that has to be there and is not."""
        for row, region in zip(self.op.spec.regions, self.op.regions, strict=True):
            if not region.blocks and (self.op.results or not row.may_be_empty):
                given = "loop" if "continue" in dict(row.gives) else "nested"
                how = f"fill it inside `with {given}.{row.name}:`, {given} being what the call gave"
                raise BuildError(f"{self.op.name}: {row.name} is missing; {how}")

    def __getattr__(self, name: str) -> Entry:
        for index, row in enumerate(self.op.spec.regions):
            if row.name == name:
                return Entry(self, index)
        raise AttributeError(f"{self.op.name} has no region {name}")

    def __enter__(self) -> Nested:
        Entry(self, 0).__enter__()
        return self

    def __exit__(self, kind, error, trace) -> None:
        self._kernel.leave(self, failed=kind is not None)


class Entry:
    """One region, to be entered by ``with``."""

    def __init__(self, nested: Nested, index: int) -> None:
        self.nested = nested
        self.index = index

    def __enter__(self) -> list[Value]:
        nested = self.nested
        nested.arguments = nested._kernel.enter(nested, self.index)
        return nested.arguments

    def __exit__(self, kind, error, trace) -> None:
        self.nested._kernel.leave(self.nested, failed=kind is not None)
