"""Sums of products of numbers and symbols: how much work a kernel does, for any trip counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

Symbols = tuple[str, ...]
"""The factors of a term besides its number, sorted; a symbol may be a text such as ceil(n / 64)."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A sum of terms: symbols -> the number that their product is multiplied by."""

    terms: Mapping[Symbols, int] = field(default_factory=dict)

    @property
    def constant(self) -> int | None:
        """The number that it always is; None if it depends on symbols."""
        return self.terms.get((), 0) if self.terms.keys() <= {()} else None

    @property
    def symbols(self) -> tuple[str, ...]:
        """All symbols, sorted."""
        return tuple(sorted({symbol for symbols in self.terms for symbol in symbols}))

    def value(self, symbols: Mapping[str, int]) -> int:
        """Return the number for these values of the symbols; KeyError if one is missing."""
        return sum(
            number * prod(symbols[symbol] for symbol in factors)
            for factors, number in self.terms.items()
        )

    def cut(self, most: int) -> tuple[Formula, int]:
        """Return the first terms, in the order of the text, and how many were left out."""
        ordered = self._ordered()
        return Formula(dict(ordered[:most])), len(ordered[most:])

    def _ordered(self) -> list[tuple[Symbols, int]]:
        present = ((symbols, number) for symbols, number in self.terms.items() if number)
        return sorted(present, key=lambda term: (-len(term[0]), term[0]))

    def __str__(self) -> str:
        texts = [
            " * ".join([f"{number:,}", *symbols] if number != 1 or not symbols else symbols)
            for symbols, number in self._ordered()
        ]
        return " + ".join(texts) or "0"


def total(terms: Iterable[tuple[Symbols, int]]) -> Formula:
    """Return the sum of terms, those of the same symbols as one."""
    found: dict[Symbols, int] = {}
    for symbols, number in terms:
        if number:
            found[symbols] = found.get(symbols, 0) + number
    return Formula(found)
