"""What a row of the block IR says beyond one of Tile IR: its part in what is under way.

Passes and the verifier know ops by these facts, which `op_facts` lists, and not by their names.
"""

from __future__ import annotations

from dataclasses import dataclass

from tileir.formats.ops import spec

COPY, COMMIT, WAIT = "copy", "commit", "wait"
"""Kinds of rows: a copy to shared memory that is under way once it is committed, its commit, which
makes a flight, and the wait for a flight."""


@dataclass(frozen=True, slots=True)
class Memory(spec.Constraint):
    """Shared memory, or mbarriers in it; `effects` is what the op does there.

    Without effects, the op only says which memory it is about.
    """

    effects: str = spec.NO_MEMORY_EFFECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(spec.Row):
    """One op of the block IR that is not of Tile IR."""

    kind: str = ""
    """One of the kinds above, if any."""
    same_memory: str = ""
    """The operand slot whose memory the results are: in the slot of `turn`, if it has one."""
    layout_of: str = ""
    """The slot of the tile whose layout says which thread accesses which bytes of shared memory."""
    async_proxy: bool = False
    """Whether it accesses shared memory through the async proxy instead of the generic one."""
    by_first_warp: bool = False
    """Whether the first warp alone executes it, all of whose lanes go on behind it."""
    for_all: bool = False
    """Whether all threads see what a wait has waited for, through either proxy; else this one."""
