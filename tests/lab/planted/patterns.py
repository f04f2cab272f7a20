"""A compiler that crashes where a module has ops that fit a pattern."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass, field

from tileir import Bytecode
from tileir.ir import Op
from tileir.predicates import Limits
from tileir.predicates.programs import run_on
from tileir.types import Tile

LONGEST_S = 600.0
"""Seconds that a program may take; it takes a fraction of one unless the machine is busy."""


@dataclass(frozen=True)
class Pattern:
    """An op of a name, with some attributes, after others.

    of         each of these computes another one of its operands
    inside     ops around it, the innermost first, others between
    least      elements of its first result, at least
    element    the element type of its first result
    in_region  something in its region fits that
    """

    name: str
    attributes: dict[str, object] = field(default_factory=dict)
    of: tuple[Pattern, ...] = ()
    inside: tuple[str, ...] = ()
    least: int = 0
    element: str = ""
    in_region: Pattern | None = None

    def fits(self, op: object) -> bool:
        """Whether an op is one of these."""
        return (
            isinstance(op, Op)
            and op.name == self.name
            and all(op.attributes.get(slot) == value for slot, value in self.attributes.items())
            and self._typed(op)
            and self._around(op)
            and _matched(self.of, [value.owner for value in op.operand_list()])
            and (
                self.in_region is None
                or any(self.in_region.fits(each) for each in op.walk() if each is not op)
            )
        )

    def _typed(self, op: Op) -> bool:
        if not self.least and not self.element:
            return True
        type = op.results[0].type
        if not isinstance(type, Tile) or type.size < self.least:
            return False
        return not self.element or str(type.element) == self.element

    def _around(self, op: Op) -> bool:
        left, around = list(self.inside), op.parent_op
        while left and around is not None:
            if around.name == left[0]:
                left.pop(0)
            around = around.parent_op
        return not left

    def found(self, data: bytes) -> bool:
        """Whether a file has such an op."""
        functions = Bytecode.parse(data).functions
        return any(self.fits(op) for function in functions for op in function.walk())


def _matched(patterns: tuple[Pattern, ...], owners: list[object]) -> bool:
    """Whether each pattern has an owner of its own."""
    if not patterns:
        return True
    first, rest = patterns[0], patterns[1:]
    return any(
        first.fits(owner) and _matched(rest, owners[:at] + owners[at + 1 :])
        for at, owner in enumerate(owners)
    )


@dataclass(frozen=True)
class Crashing:
    """Holds if a compiler in this process meets the pattern."""

    pattern: Pattern

    @property
    def description(self) -> str:
        """When it holds."""
        return f"a compiler crashes at a {self.pattern.name}"

    def holds(self, data: bytes) -> bool:
        """Whether it crashes."""
        return self.pattern.found(data)


@dataclass(frozen=True)
class Dying:
    """Holds if a compiler that is a program dies of the file, of the defect of a name."""

    defect: str

    @property
    def description(self) -> str:
        """When it holds."""
        return f"a program dies of {self.defect}"

    def holds(self, data: bytes) -> bool:
        """Whether it aborts; who is killed for taking too long does not."""
        command = [sys.executable, "-m", "tests.lab.planted.fake_compiler", self.defect]
        import os
        from pathlib import Path

        root = str(Path(__file__).parents[3])
        ended = run_on(data, command, Limits(LONGEST_S), {**os.environ, "PYTHONPATH": root})
        return ended.code == -signal.SIGABRT
