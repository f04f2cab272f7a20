"""The stages of a compilation, in order, for each family of targets.

A stage is a function in `stages.py` of the family's package, under the name in this list. It takes
the state of a module, which has a field for every decision, and fills in its own fields or changes
what an earlier stage decided. The body of a kernel is a copy, which stages may edit.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TypeVar

from tileir.formats.forks import not_forking
from tileir.messages.wording import did_you_mean

from .optional_stages import stages_left_out
from .stage_verifier import verifier_for
from .state import State

STAGES: dict[str, tuple[str, ...]] = {
    "nvptx": (
        # Tile IR
        "eliminate_dead_ops", "share_common_ops", "hoist_invariants", "count_loops",
        "settle_launch", "split_tiles", "number_lines", "choose_threads", "place_variables",
        "choose_atoms", "choose_ptx", "prefer_layouts", "assign_layouts",
        # block IR
        "to_block_ir", "fold_conversions", "store_tensors", "choose_copies", "choose_occupancy",
        "pipeline_loops", "add_twins", "specialise_warps", "overlap_products", "place_barriers",
        "place_fences", "allocate_memory", "unroll_loops",
        # text
        "emit_llvm", "optimise", "emit_ptx", "describe_launch",
    ),
    "host": (
        "eliminate_dead_ops", "share_common_ops", "hoist_invariants",
        "order", "fuse", "place_buffers",
        "emit_llvm", "optimise", "emit_object",
    ),
}  # fmt: skip

S = TypeVar("S", bound=State)
OfFamily = TypeVar("OfFamily")
"""The state of a family. Pyright does not specialise an alias whose variable is bound."""
StageFunction = Callable[[OfFamily], None]
AfterStage = Callable[[str, OfFamily], None]
"""A function that is called after each stage, with the stage's name and the state."""


def stage_of(target_family: str, name: str) -> StageFunction:
    """Return the function of a stage."""
    with not_forking:
        return getattr(import_module(f".{target_family}.stages", __package__), name)


def unknown_stage(target_family: str, name: str) -> str | None:
    """Return "has no stage ...", to follow the name of a target, if there is none of that name."""
    names = STAGES[target_family]
    if name in names:
        return None
    return f"has no stage {name!r}{did_you_mean(name, names)}; there are: {', '.join(names)}"


def run(
    target_family: str,
    state: S,
    after_stage: AfterStage[S] | None = None,
    until: str | None = None,
    *,
    since: str | None = None,
) -> bool:
    """Run the stages of a family from `since` up to `until`; return whether the last one has run.

    ValueError if the family has no stage of that name. Before `emit_llvm`, the state is verified
    after each stage where that is asked for (see `stage_verifier`).
    """
    for name in (since, until):
        if name is not None and (problem := unknown_stage(target_family, name)):
            raise ValueError(f"{target_family} {problem}")
    names = STAGES[target_family]
    emission = names.index("emit_llvm")
    first = 0 if since is None else names.index(since)
    verifier = verifier_for(target_family, state) if first < emission else None
    left_out = stages_left_out(target_family)
    for number, name in enumerate(names[first:], first):
        if name not in left_out:
            stage_of(target_family, name)(state)
        if verifier is not None and number < emission:
            verifier.check(name, state)
        if after_stage is not None:
            after_stage(name, state)
        if name == until:
            return name == names[-1]
    return True
