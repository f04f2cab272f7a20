"""What the loops of a listing of SASS get done; which there are, `tileir.resources.loops` finds."""

from __future__ import annotations

from collections import Counter

from tileir.resources.loops import PRODUCTS_AWAITED, innermost
from tileir.resources.machine_code import multiplies

from . import sass

__all__ = ["PRODUCTS_AWAITED", "bytes_moved", "innermost", "main_loop", "products", "work"]


def main_loop(listing: str) -> Counter[str]:
    """The opcodes of the shortest innermost loop that multiplies most; empty if none does."""
    multiplying = [loop for loop in innermost(listing) if sass.products(loop)]
    return max(
        multiplying, key=lambda loop: (sass.products(loop), -loop.total()), default=Counter()
    )


def bytes_moved(opcodes: Counter[str]) -> int:
    """Bytes of global memory that a thread loads, stores or copies with these instructions."""
    return sum(
        count * _bytes(name)
        for name, count in opcodes.items()
        if name.startswith(("LDG", "STG"))
    )  # fmt: skip


def _bytes(name: str) -> int:
    parts = name.split(".")
    sizes = {"128": 16, "64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2}
    return next((sizes[part] for part in parts if part in sizes), 4)


def products(opcodes: Counter[str]) -> set[str]:
    """The instructions among them that multiply matrices."""
    return {name for name in opcodes if multiplies(name)}


def work(opcodes: Counter[str]) -> int:
    """What a loop gets done: products of matrices, or else bytes of global memory."""
    return sass.products(opcodes) or bytes_moved(opcodes)
