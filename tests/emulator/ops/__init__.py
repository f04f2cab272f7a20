"""The chapters of the instruction table; importing them fills it."""

from . import conversions, floats, integers, memory, moves, predicates, synchronise

__all__ = ["conversions", "floats", "integers", "memory", "moves", "predicates", "synchronise"]
