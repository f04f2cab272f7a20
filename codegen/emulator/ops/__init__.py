"""The rows of the instruction table, by groups of instructions; importing them fills it."""

from . import (
    asynchronous,
    atomics,
    calls,
    carries,
    conversions,
    exchange,
    floats,
    hopper,
    integers,
    matrices,
    matrix_memory,
    memory,
    moves,
    multimem,
    predicates,
    synchronise,
)

__all__ = [
    "asynchronous",
    "atomics",
    "calls",
    "carries",
    "conversions",
    "exchange",
    "floats",
    "hopper",
    "integers",
    "matrices",
    "matrix_memory",
    "memory",
    "moves",
    "multimem",
    "predicates",
    "synchronise",
]
