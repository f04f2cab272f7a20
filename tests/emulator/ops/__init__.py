"""The chapters of the instruction table; importing them fills it."""

from . import (
    atomics,
    calls,
    conversions,
    exchange,
    floats,
    integers,
    matrices,
    matrix_memory,
    memory,
    moves,
    predicates,
    synchronise,
)

__all__ = [
    "atomics", "calls", "conversions", "exchange", "floats", "integers", "matrices",
    "matrix_memory", "memory", "moves", "predicates", "synchronise",
]  # fmt: skip
