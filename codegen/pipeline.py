"""The passes, in order, for each family of targets.

A pass is a function `(kernel, target) -> kernel` named as its module in `passes`. It may not change
a kernel it was given: it returns it, or a copy with another body or more facts.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from .kernel import Kernel

PASSES: dict[str, tuple[str, ...]] = {
    "host": ("eliminate_dead_ops",),
    "nvptx": ("eliminate_dead_ops", "infer_divisibility", "infer_contiguity"),
}


def run(kernel: Kernel, family: str, target: str) -> Kernel:
    """The kernel after all passes of the family."""
    for name in PASSES[family]:
        kernel = _pass(name)(kernel, target)
    return kernel


def _pass(name: str) -> Callable[[Kernel, str], Kernel]:
    return getattr(import_module(f".{name}", __package__), name)
