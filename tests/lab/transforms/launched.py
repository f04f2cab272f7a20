"""Kernels whose arguments nobody told, launched on the CPU as they are and transformed.

Arguments are made up: memory full of numbers for pointers, a small number for everything else. A
launch that leaves its memory, or does what Tile IR leaves undefined, says nothing; checks find that
out. Of all others every byte of memory must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tileir
from tests.lab.model.elements import dtype
from tileir import Bytecode, TileIRError
from tileir.codegen.api import CHECKS
from tileir.types import Pointer

from .edited import left_out

BYTES = 1 << 16
"""Memory of a pointer parameter."""
GUESSES = (16, 64, 1)
"""Numbers for parameters that are none; the first one under which the launch is defined counts."""
GRID = (2, 2, 1)


def verdicts(bytecode: Bytecode, rewritten: Bytecode | None = None) -> Iterator[tuple[str, str]]:
    """Yield the symbol of each kernel with "same", "different", or "undefined" for any arguments.

    It is compared with itself as the compiler transforms it, or with that of a rewritten module.
    "refused" is what the host does not compile.
    """
    try:
        checked = tileir.compile(bytecode, "host", check=CHECKS, cache=False)
        with left_out():
            plain = tileir.compile(bytecode, "host", cache=False)
        transformed = tileir.compile(rewritten or bytecode, "host", cache=False)
    except TileIRError:
        yield from ((function.name, "refused") for function in bytecode.functions)
        return
    for symbol, kernel in checked.items():
        yield symbol, _verdict(kernel, plain[symbol], transformed[symbol])


def _verdict(checked, plain, transformed) -> str:
    for guess in GUESSES:
        try:
            checked.launch(GRID, _arguments(checked, guess), threads=1)
        except TileIRError:
            continue
        found = []
        for kernel in (plain, transformed):
            arguments = _arguments(kernel, guess)
            kernel.launch(GRID, arguments, threads=1)
            found.append([each.tobytes() for each in arguments if isinstance(each, np.ndarray)])
        return "same" if found[0] == found[1] else "different"
    return "undefined"


def _arguments(kernel, guess: int) -> list:
    """Make up the arguments; the same ones each time. Memory has numbers that every type has."""
    random, arguments = np.random.default_rng(0), []
    for element in kernel.elements:
        if isinstance(element, Pointer):
            type = dtype(element.pointee)
            arguments.append(random.integers(0, 2, BYTES // type.itemsize).astype(type))
        else:
            arguments.append(guess)
    return arguments
