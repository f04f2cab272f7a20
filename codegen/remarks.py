"""Decisions of the stages as rows: stage, op, what was decided, why, and on what facts.

Stages keep their decisions in typed fields; the rows are made of these on request. Decisions made
during the emission of LLVM IR are recorded at once, as remarks of that stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tileir.ir import Op
from tileir.ir.locations import Location


@dataclass(frozen=True, slots=True)
class Remark:
    """One decision. `op` is None if it is about the whole kernel; `entry` is the kernel's symbol.

    `what` and `why` are for people, without a full stop; `facts` is for programs.
    """

    stage: str
    entry: str
    op: Op | None
    what: str
    why: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def location(self) -> Location | None:
        """The source location of the op, if known."""
        return None if self.op is None else self.op.location

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what
