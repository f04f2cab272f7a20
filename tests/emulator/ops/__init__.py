"""The chapters of the instruction table; importing them fills it."""

from . import (
    atomics,
    calls,
    conversions,
    exchange,
    floats,
    integers,
    memory,
    moves,
    multimem,
    predicates,
    synchronise,
)

__all__ = [
    "atomics", "calls", "conversions", "exchange", "floats", "integers", "memory", "moves",
    "multimem", "predicates", "synchronise",
]  # fmt: skip
