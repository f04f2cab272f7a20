"""Packed types (f16x2, bf16x2, f32x2): operations on both halves of a word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tileir.codegen.emulator.ptx.types import dtype, storage

from .moves import cut, join


def halves(word: Any, kind: str) -> tuple[Any, Any]:
    """Return the lower and the upper half of a word as numbers."""
    return tuple(cut(word, index, 2).view(dtype(kind)) for index in range(2))


def lifted(function: Callable[..., Any], kind: str, joined: bool = True) -> Callable[..., Any]:
    """Return a function on numbers as one on words of two; its result is a word, or a pair."""

    def both(*words: Any) -> Any:
        split = [halves(word, kind) for word in words]
        parts = [function(*(pair[index] for pair in split)) for index in range(2)]
        return join(tuple(part.view(storage(kind)) for part in parts)) if joined else tuple(parts)

    return both
