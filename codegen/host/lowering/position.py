"""The indices of an element in a tile, as LLVM values, mapped through reshapes and broadcasts.

A loop nest has one position. The positions in the tiles that it reads are derived from that by
index arithmetic, without moving data. Extents are powers of two, so divisions are shifts.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from llvmlite import ir

from tileir.codegen.ops.spec import Coordinates

INDEX = ir.IntType(64)
ZERO = ir.Constant(INDEX, 0)


class Position:
    """One index for each dimension of `shape`. Derived positions are computed once and cached.

    Indices are emitted at the builder's insertion point when they are first used, so a position is
    valid only inside the innermost loop it was made for.
    """

    def __init__(
        self, builder: ir.IRBuilder, shape: Sequence[int], indices: Sequence[ir.Value]
    ) -> None:
        self._builder = builder
        self.shape = tuple(shape)
        self.indices = tuple(
            index if extent > 1 else ZERO for extent, index in zip(self.shape, indices, strict=True)
        )
        self._linear: ir.Value | None = None
        self._derived: dict[tuple, Position] = {}

    @property
    def linear(self) -> ir.Value:
        """Row-major number of the element."""
        if self._linear is None:
            self._linear = _join(self._builder, self.shape, self.indices)
        return self._linear

    def gathered(self, source: tuple[int, ...], coordinates: Coordinates) -> Position:
        """Return the position in a tile of shape `source`; `coordinates` gives its indices.

        For each dimension of `source` they have the dimension of this tile, or None for index 0.
        """
        indices = [ZERO if dim is None else self.indices[dim] for dim in coordinates]
        return self._derive((source, coordinates), source, indices)

    def reshape(self, source: tuple[int, ...]) -> Position:
        """Return the position in a tile of shape `source` that was reshaped to this shape."""
        key = ("reshape", source)
        if source == self.shape:
            return self
        if key in self._derived:
            return self._derived[key]
        indices: dict[int, ir.Value] = {}
        for mine, theirs in _groups(self.shape, source):
            number = _join(
                self._builder, [self.shape[d] for d in mine], [self.indices[d] for d in mine]
            )
            split = _split(self._builder, [source[d] for d in theirs], number)
            indices.update(zip(theirs, split, strict=True))
        made = self._derive(key, source, [indices.get(d, ZERO) for d in range(len(source))])
        if len(self.shape) == 1:
            made._linear = self.linear
        return made

    def shifted(self, key: object, source: tuple[int, ...], starts: Sequence[ir.Value]) -> Position:
        """Return the position in a tile of shape `source`, of which this tile is a slice."""
        if ("shift", key) in self._derived:
            return self._derived["shift", key]
        indices = [
            self._builder.add(index, start, flags=("nuw", "nsw"))
            for index, start in zip(self.indices, starts, strict=True)
        ]
        return self._derive(("shift", key), source, indices)

    def renumbered(self, key: object, source: tuple[int, ...], shift: int, part: int) -> Position:
        """Return position 2**shift * n + part of a tile of rank 1, n being this one's number."""
        if ("number", key) in self._derived:
            return self._derived["number", key]
        amount = ir.Constant(INDEX, abs(shift))
        if shift < 0:
            number = self._builder.lshr(self.linear, amount)
        else:
            number = self._builder.shl(self.linear, amount, flags=("nuw", "nsw"))
        if part:
            number = self._builder.add(number, ir.Constant(INDEX, part), flags=("nuw", "nsw"))
        return self._derive(("number", key), source, [number])

    def _derive(self, key: tuple, shape: tuple[int, ...], indices: Sequence) -> Position:
        if key not in self._derived:
            self._derived[key] = Position(self._builder, shape, indices)
        return self._derived[key]


def _join(builder: ir.IRBuilder, shape: Sequence[int], indices: Sequence[ir.Value]) -> ir.Value:
    """Return the row-major number of the indices."""
    total = ZERO
    for d, (extent, index) in enumerate(zip(shape, indices, strict=True)):
        if extent == 1:
            continue
        stride = prod(shape[d + 1 :])
        term = index
        if stride > 1:
            term = builder.mul(index, ir.Constant(INDEX, stride), flags=("nuw", "nsw"))
        total = term if total is ZERO else builder.add(total, term, flags=("nuw", "nsw"))
    return total


def _split(builder: ir.IRBuilder, shape: Sequence[int], number: ir.Value) -> list[ir.Value]:
    """Return the indices of a row-major number."""
    indices = []
    below = prod(shape)
    first = True
    for extent in shape:
        below //= extent
        if extent == 1:
            indices.append(ZERO)
            continue
        index = number
        if below > 1:
            index = builder.lshr(number, ir.Constant(INDEX, below.bit_length() - 1))
        if not first:
            index = builder.and_(index, ir.Constant(INDEX, extent - 1))
        first = False
        indices.append(index)
    return indices


def _groups(left: tuple[int, ...], right: tuple[int, ...]) -> list[tuple[list[int], list[int]]]:
    """Pair the shortest runs of dimensions of two shapes that have equally many elements.

    Dimensions of extent 1 are left out: their index is always zero.
    """
    lefts = [d for d, extent in enumerate(left) if extent > 1]
    rights = [d for d, extent in enumerate(right) if extent > 1]
    groups = []
    while lefts:
        mine, theirs = [lefts.pop(0)], [rights.pop(0)]
        while (sizes := (_size(left, mine), _size(right, theirs)))[0] != sizes[1]:
            smaller, rest = (mine, lefts) if sizes[0] < sizes[1] else (theirs, rights)
            smaller.append(rest.pop(0))
        groups.append((mine, theirs))
    return groups


def _size(shape: tuple[int, ...], dimensions: list[int]) -> int:
    return prod(shape[d] for d in dimensions)
