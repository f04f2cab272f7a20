"""What was decided, as rows: which stage, about which op, what, why, and on what facts.

Stages keep what they decide in typed fields, and say it in rows when somebody asks. What is only
decided while LLVM IR is emitted is noted at once, as remarks of that stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tileir.ir import Op
from tileir.ir.locations import Location


@dataclass(frozen=True, slots=True)
class Remark:
    """One decision. `op` is None for what concerns the whole kernel, `entry` the kernel's symbol.

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
        """Where the op is in source, if that is known."""
        return None if self.op is None else self.op.location

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what
