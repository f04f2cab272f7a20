"""`ldmatrix`, `stmatrix`, `movmatrix`: matrices of 8 x 8 elements of 16 bits, between shared memory
and the lanes of a warp, or between lanes.

A row is 16 bytes at an address that one lane gives: lane 8 * i + r has that of row r of matrix i.
Each lane accesses the elements that its registers hold, which are two of one row; transposed, of
one column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.generic import load, store
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.fragments import b_indices, c_indices, gather, scatter
from tileir.codegen.emulator.threads.lanes import WARP, Lanes
from tileir.codegen.emulator.threads.warp import WholeWarps

from .moves import cut, join

ROW_BYTES = 16


class _Matrices:
    """The matrices of an opcode: their number, space, and the elements that a lane accesses."""

    def __init__(self, match: re.Match[str]) -> None:
        self.count, self.space = int(match["count"]), match["space"]
        transposed = bool(match["trans"])
        row, column = np.broadcast_arrays(*(b_indices(8, 8, 2) if transposed else c_indices(8, 8)))
        self.parts = 2 if transposed else 1
        """Accesses for a register: its two elements are neighbours, or each is in its own row."""
        self.row, self.column = row[0].T[: self.parts], column[0].T[: self.parts]

    def addresses(
        self, lanes: Lanes, statement: Statement, mask: Any, address: Any
    ) -> Iterator[list[Any]]:
        """Yield for each matrix the addresses of its accesses, as arrays over the lanes."""
        warps = WholeWarps(lanes, statement, mask)
        (rows,) = warps.held((address,))
        wrong = rows % np.uint64(ROW_BYTES) != 0
        wrong[:, 8 * self.count :] = False
        if wrong.any():
            message = f"the address of a row is no multiple of {ROW_BYTES}"
            raise lanes.error("alignment", message, statement, warps.back(wrong[None])[0])
        for matrix in range(self.count):
            addresses = rows[:, 8 * matrix + self.row] + (2 * self.column).astype(np.uint64)
            yield list(warps.back(addresses.swapaxes(0, 1)))


def loading(match: re.Match[str]) -> Any:
    """`ldmatrix`, which loads a register for each matrix."""
    matrices = _Matrices(match)
    access = Access(4 // matrices.parts)

    def run(lanes: Lanes, statement: Statement, mask: Any, address: Any) -> tuple[Any, ...]:
        registers = []
        for parts in matrices.addresses(lanes, statement, mask, address):
            words = [load(lanes, statement, mask, each, access, matrices.space) for each in parts]
            registers.append(join(tuple(word for (word,) in words)))
        return tuple(registers)

    return run


def storing(match: re.Match[str]) -> Any:
    """`stmatrix`, which stores a register of each matrix."""
    matrices = _Matrices(match)
    access = Access(4 // matrices.parts, writes=True)

    def run(
        lanes: Lanes, statement: Statement, mask: Any, address: Any, words: tuple[Any, ...]
    ) -> None:
        addresses = matrices.addresses(lanes, statement, mask, address)
        for word, parts in zip(words, addresses, strict=True):
            for index, each in enumerate(parts):
                part = (cut(word, index, matrices.parts),)
                store(lanes, statement, mask, each, part, access, matrices.space)

    return run


def transposed(match: re.Match[str]) -> Any:
    """`movmatrix`, which transposes a matrix."""

    def run(lanes: Lanes, statement: Statement, mask: Any, word: Any) -> tuple[Any, ...]:
        warps = WholeWarps(lanes, statement, mask)
        elements = warps.held((word,)).view(np.uint16).reshape(1, warps.count, WARP, 2)
        return warps.back(
            np.ascontiguousarray(scatter(gather(elements, c_indices(8, 8)), b_indices(8, 8, 2)))
            .view(np.uint32)
            .reshape(1, warps.count, WARP)
        )

    return run


_SHAPE = "sync.aligned.m8n8.x(?P<count>[124])(?P<trans>.trans)?(.(?P<space>shared)(::cta)?)?.b16"
effect(f"ldmatrix.{_SHAPE}", "b32* = @", loading, aligned=True)
effect(f"stmatrix.{_SHAPE}", "= @ b32*", storing, aligned=True)
effect("movmatrix.sync.aligned.m8n8.trans.b16", "b32 = b32", transposed, aligned=True)
