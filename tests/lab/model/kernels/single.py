"""A random kernel for every op, in which that op has a meaning."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tileir.formats.ops import OPS
from tileir.tools.sampler.draws import Draws

from . import accessing, computing, flowing
from .scene import Case

RECIPES: dict[str, Callable[[Draws], Case]] = {
    **{name: partial(computing.computing, name) for name in computing.NAMES},
    **accessing.RECIPES,
    **flowing.RECIPES,
}
"""Op -> a kernel of it."""

IMPOSSIBLE = {
    "multimem_load_reduce_view_tko",
    "multimem_reduce_view_tko",
    "multimem_store_view_tko",
}
"""Ops on memory of several GPUs, of which there is none here."""


def uncovered() -> list[str]:
    """Ops that no kernel is made of; those of public-preview content have no meaning yet."""
    known = {*RECIPES, *IMPOSSIBLE}
    ops = [op for op in OPS if op.in_body and not op.since.preview]
    return [op.mnemonic for op in ops if op.mnemonic not in known]


def single(name: str, seed: int) -> Case:
    """The kernel of an op that belongs to a seed."""
    return RECIPES[name](Draws(seed))
