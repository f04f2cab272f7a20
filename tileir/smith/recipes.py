"""A recipe for every op: what adds it to a kernel so that it has a meaning there."""

from __future__ import annotations

from collections.abc import Callable

from tileir.formats.ops import OPS
from tileir.tools.sampler.draws import Draws

from . import accessing, computing, flowing
from .case import Case
from .scene import Scene

RECIPES: dict[str, Callable[[Scene], None]] = {
    **computing.RECIPES,
    **accessing.RECIPES,
    **flowing.RECIPES,
}
"""Op -> what adds it to a kernel."""

IMPOSSIBLE = {
    "multimem_load_reduce_view_tko",
    "multimem_reduce_view_tko",
    "multimem_store_view_tko",
}
"""Ops on memory of several GPUs, of which there is none here."""


def uncovered() -> list[str]:
    """Return ops without a recipe; those of public-preview content have no meaning yet."""
    known = {*RECIPES, *IMPOSSIBLE}
    ops = [op for op in OPS if op.in_body and not op.since.preview]
    return [op.mnemonic for op in ops if op.mnemonic not in known]


def single(name: str, seed: int) -> Case:
    """Return the kernel of one op that belongs to a seed."""
    scene = Scene(Draws(seed))
    RECIPES[name](scene)
    scene.kernel.return_()
    return scene.case()
