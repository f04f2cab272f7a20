"""Kernels by the symbols of their entries: what a compilation, a package and a program have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from tileir.messages.texts import display

Kernel = TypeVar("Kernel")


class Kernels(Mapping[str, Kernel]):
    """A read-only mapping: the symbol of an entry -> its kernel. A KeyError names all symbols."""

    def __init__(self, kernels: Mapping[str, Kernel]) -> None:
        self._kernels = dict(kernels)

    def __getitem__(self, symbol: str) -> Kernel:
        try:
            return self._kernels[symbol]
        except (KeyError, TypeError):  # what cannot be hashed is no symbol either
            known = ", ".join(map(display, self._kernels)) or "none"
            raise KeyError(f"no entry {symbol!r}; there are: {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)
