"""Two numbers in one word: an operation on both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tileir.codegen.emulator.ptx.types import dtype, storage

from .moves import cut, join


def halves(word: Any, kind: str) -> tuple[Any, Any]:
    """The lower and the upper half of a word as numbers."""
    return tuple(cut(word, place, 2).view(dtype(kind)) for place in range(2))


def lifted(function: Callable[..., Any], kind: str, joined: bool = True) -> Callable[..., Any]:
    """A function on numbers of a type as one on words of two of them."""

    def both(*words: Any) -> Any:
        split = [halves(word, kind) for word in words]
        parts = [function(*(pair[place] for pair in split)) for place in range(2)]
        return join(tuple(part.view(storage(kind)) for part in parts)) if joined else tuple(parts)

    return both
