"""Optimisation remarks: which stage decided what, about which op, why, and from which facts.

Stages keep their decisions in typed fields, or in ops of the block IR; remarks are derived from
these on request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tileir.ir import Op
from tileir.ir.locations import Location


@dataclass(frozen=True, slots=True)
class Remark:
    """One decision about an op, or about a whole kernel: then `op` is None. `entry` is its symbol.

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
        """The op's location in source, if it is known."""
        return None if self.op is None else self.op.location

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what
