"""A kernel that computes, with the arrays that it is launched with and what is to be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir.bytecode import Bytecode
from tileir.types import Scalar

from .tolerance import Tolerance


@dataclass(slots=True)
class Kept:
    """Elements that were stored: in which array, from where, how many, and how exactly."""

    array: int
    start: int
    count: int
    element: Scalar
    tolerance: Tolerance


@dataclass(slots=True)
class Case:
    """A kernel and how to launch it: `args` are its parameters, arrays or numbers."""

    bytecode: Bytecode
    grid: tuple[int, ...]
    args: list[np.ndarray]
    kept: list[Kept]
    symbol: str = "kernel"
