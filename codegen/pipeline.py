"""The stages, in order, for each family of targets.

A stage is a function that takes the state of a module, which has a field for every decision, and
fills in its part. It has the name in the list and is defined in `stages.py` of the family's
package. It may not modify a body that it is given: it replaces the body by a new one.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TypeVar

from .state import State

STAGES: dict[str, tuple[str, ...]] = {
    "nvptx": (
        # Tile IR
        "eliminate_dead_ops",
        "settle_launch", "number_lines", "choose_ptx_version",
        "choose_threads", "place_variables", "choose_atoms", "prefer_layouts", "assign_layouts",
        "pipeline_loops", "place_barriers", "read_ahead", "allocate_memory", "unroll_loops",
        # text
        "emit_llvm", "optimise", "emit_ptx", "describe_launch",
    ),
    "host": (
        "eliminate_dead_ops", "order", "fuse", "place_buffers",
        "emit_llvm", "optimise", "emit_object",
    ),
}  # fmt: skip

S = TypeVar("S", bound=State)
Stage = Callable[[S], None]
Watch = Callable[[str, S], None]
"""Called after each stage with its name and the state."""


def stage_of(family: str, name: str) -> Stage:
    """Return the function of a stage."""
    return getattr(import_module(f".{family}.stages", __package__), name)


def run(family: str, state: S, watch: Watch[S] | None = None, until: str | None = None) -> bool:
    """Run the stages of a family up to the one named `until`; return whether that is the last."""
    names = STAGES[family]
    for name in names:
        stage_of(family, name)(state)
        if watch is not None:
            watch(name, state)
        if name == until:
            return name == names[-1]
    return True
