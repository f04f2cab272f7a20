"""Traced values: printed as NumPy prints arrays, or passed to the caller's function."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from tileir.codegen.scalar.types import memory_bytes
from tileir.ir.arrays import DTYPES
from tileir.types import Scalar

from .messages import write_stdout
from .report import Handler, Report

OnTrace = Callable[[str, np.ndarray, tuple[int, int, int]], None]
"""Takes the name of a value, its elements, and the block."""


def print_handler(site: Mapping[str, Any]) -> Handler:
    """Make a handler that prints each value after its block and its name."""
    return call_handler(site, _print)


def call_handler(site: Mapping[str, Any], function: OnTrace) -> Handler:
    """Make a handler that calls a function with a copy of each value."""

    def handle(report: Report) -> None:
        function(site["name"], array_of(site, report.data), report.block)

    return handle


def _print(name: str, array: np.ndarray, block: tuple[int, int, int]) -> None:
    head = f"block {block}: {name} = "
    write_stdout(f"{head}{np.array2string(array, separator=', ', prefix=head)}\n")


def array_of(tile: Mapping[str, Any], data: int) -> np.ndarray:
    """Copy a tile from the data of a report into an array; pointers become addresses."""
    name, shape, address = tile["element"], tile["shape"], data + tile["offset"]
    dtype = np.dtype(np.uint64) if name == "pointer" else DTYPES[name]
    size = 8 if name == "pointer" else memory_bytes(Scalar(name))
    copied = ctypes.string_at(address, size * prod(shape))
    return np.frombuffer(copied, dtype).reshape(shape).copy()
