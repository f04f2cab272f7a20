"""How a tile in registers is stored to shared memory by `stmatrix`.

One instruction stores up to four matrices of 8 x 8 elements of 16 bits, each row to 16 bytes at an
address that a lane gives. It is `ldmatrix` the other way: lane 4 r + c of a warp has the 4 bytes
number c of row r in a register, or, transposed, two elements of column r. So it fits wherever the
bits of a lane's number, and the lowest bits of that of a register, are those of the 16 bytes, as
they are in the accumulators of matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, log2
from tileir.codegen.layouts.shared_offsets import parts_of
from tileir.codegen.scalar.types import memory_bytes

_ROW_LANES = slice(2, 5)
"""The bits of a lane's number that say which row of a matrix it has a part of."""
_ROW_BYTES, _WORD_BYTES, _PAIR_BYTES = 16, 4, 2
_MOST_MATRICES = 2
"""Log2 of the matrices that one instruction stores, at most."""


@dataclass(frozen=True, slots=True)
class MatrixStores:
    """A tile is stored by `stmatrix`. All numbers are bases: elements of the tile.

    `word` are those of the bits that number the elements of a register, `rows` of the bits that
    number the rows of a matrix, `chosen` of the bits that number the matrices of one instruction,
    `rest` of the bits that number instructions.
    """

    word: tuple[int, ...]
    rows: tuple[int, ...]
    chosen: tuple[int, ...]
    rest: tuple[int, ...]
    transposed: bool


def matrix_stores(layout: LinearLayout, kind: Shared) -> MatrixStores | None:
    """Return how `stmatrix` stores a tile from a layout to memory of this type; None if it cannot.

    Memory has elements as registers have them, and room for all of them.
    """
    size = memory_bytes(kind.element)
    if parts_of(kind.offsets) or size > _WORD_BYTES or not all(layout.thread):
        return None
    at_offset = {combine(kind.offsets, base): base for base in layout.register}
    word = [at_offset.get(1 << bit) for bit in range(log2(_WORD_BYTES // size))]
    known = [base for base in word if base is not None]
    lanes = list(layout.lane[: _ROW_LANES.start])
    rows = list(layout.lane[_ROW_LANES])
    if len(known) == len(word) and _adjacent([*known, *lanes], kind):
        return _stores(layout, kind, known, rows, False)
    free = [base for base in layout.register if base]
    if size == _PAIR_BYTES and _adjacent(rows, kind) and free:
        return _stores(layout, kind, free[:1], [free[0], *lanes], True)
    return None


def _stores(
    layout: LinearLayout,
    kind: Shared,
    word: Sequence[int],
    rows: Sequence[int],
    transposed: bool,
) -> MatrixStores | None:
    free = [base for base in layout.register if base not in word]
    chosen, rest = free[:_MOST_MATRICES], free[_MOST_MATRICES:]
    elements = _ROW_BYTES // memory_bytes(kind.element)
    apart = [combine(kind.offsets, base) for base in (*rows, *free, *layout.warp)]
    if any(offset % elements for offset in apart):
        return None
    return MatrixStores(tuple(word), tuple(rows), tuple(chosen), tuple(rest), transposed)


def _adjacent(bases: Sequence[int], kind: Shared) -> bool:
    """Whether bases number neighbours in memory."""
    return [combine(kind.offsets, base) for base in bases] == [1 << i for i in range(len(bases))]
