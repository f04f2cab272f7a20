"""Optimisation remarks: which stage decided what, about which op, why, and from which facts.

Stages keep their decisions in typed fields, or in ops of the block IR; remarks are derived from
these on request. Those with a topic are for people who tune kernels: `Compilation.remarks` has
them, and what `tileiras --remarks` says is folded to the same topics, outcomes and ids of reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tileir.ir import Op
from tileir.ir.locations import Location


class Topic(StrEnum):
    """What a remark is about; the words of a value are those of `--topic`."""

    TENSOR_COPIES = "tensor-copies"
    TENSOR_CORES = "tensor-cores"
    ACCESSES = "accesses"
    INDICES = "indices"
    RINGS = "rings"
    ROLES = "roles"
    OVERLAP = "overlap"
    UNROLLING = "unrolling"
    HINTS = "hints"
    OCCUPANCY = "occupancy"
    REGISTERS = "registers"
    CHECKS = "checks"
    OTHER = "other"


TOPICS: Mapping[Topic, str] = {
    Topic.TENSOR_COPIES: "whether one thread copies whole tiles, by tensor maps (TMA)",
    Topic.TENSOR_CORES: "which instruction multiplies matrices",
    Topic.ACCESSES: "how many bytes each access to global memory has",
    Topic.INDICES: "offsets and indices of 64 bits",
    Topic.RINGS: "which loads of a loop are under way iterations ahead",
    Topic.ROLES: "whether a warp of its own fills rings",
    Topic.OVERLAP: "whether products of an iteration are under way in the next one",
    Topic.UNROLLING: "how often loops are unrolled",
    Topic.HINTS: "which hints, options and attributes were followed",
    Topic.OCCUPANCY: "how many blocks an SM holds, and what limits it",
    Topic.REGISTERS: "registers of a thread, and what ptxas spills",
    Topic.CHECKS: "what a compiler has checked of its own code",
    Topic.OTHER: "what tileir does not know, from another compiler",
}
"""Topic -> what its remarks tell."""


class Outcome(StrEnum):
    """How a decision came out, in LLVM's words for remarks."""

    PASSED = "passed"
    MISSED = "missed"
    ANALYSIS = "analysis"


@dataclass(frozen=True, slots=True)
class Remark:
    """One decision about an op, or about a whole kernel: then `op` is None. `entry` is its symbol.

    `what`, `why` and `change` (what to change in the kernel, if that would help) are for people,
    without a full stop; `facts` is for programs, with the ids of the `reasons`. Remarks without a
    `topic` are details of a stage. `source` is the place of an op that is not at hand.
    """

    stage: str
    entry: str
    op: Op | None
    what: str
    why: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    topic: Topic | None = None
    outcome: Outcome = Outcome.ANALYSIS
    change: str = ""
    source: Location | None = None

    @property
    def location(self) -> Location | None:
        """The op's location in source, if it is known."""
        return self.source if self.op is None else self.op.location

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what
