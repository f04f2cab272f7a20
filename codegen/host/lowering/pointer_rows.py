"""Tiles of pointers whose rows are neighbours in memory, as gathers of whole rows have them.

Along such a row a mask of comparisons with bounds is true everywhere if it is at both ends. So a
row is accessed as if there were neither indices nor a mask, unless its ends say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.analysis.contiguity import Contiguity
from tileir.codegen.kernel import KernelIR
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.ir import Op, Value

from . import ordering
from .block import Lowering
from .evaluate import Evaluator
from .loops import nest
from .position import INDEX, ZERO, Position

MIN_BYTES = 64
"""Bytes of a row from which on its ends are looked at."""

_KEEPING = ("andi", "assume", "broadcast", "constant", "permute", "reshape")
"""Ops of masks that are true everywhere between two places if all of their operands are."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of pointers: where it is in the tile, and the address of its first element."""

    position: Position
    dim: int
    address: ir.Value
    whole: ir.Value | None
    """Whether the mask is true of all of it; None without a mask."""

    @property
    def strides(self) -> list[ir.Value]:
        """Elements from one of the row to the next, along each dimension of the tile."""
        one = ir.Constant(INDEX, 1)
        return [one if d == self.dim else ZERO for d in range(len(self.position.shape))]

    def at(self, builder: ir.IRBuilder, number: ir.Value) -> Position:
        """Return the position of an element of the row in the tile."""
        indices = list(self.position.indices)
        indices[self.dim] = number
        return Position(builder, self.position.shape, indices)


def row_dimension(lowering: Lowering, pointers: Value, mask: Value | None) -> int | None:
    """Return the dimension along which rows are neighbours in memory; None if there is none."""
    return None if lowering.looks_at_elements else _dimension(lowering.kernel, pointers, mask)


def loads_of_rows(kernel: KernelIR) -> dict[int, int]:
    """Map the ids of loads that want addresses and masks at the ends of rows alone to their sizes.

    These are numbers of elements.
    """
    return {
        id(op): op.results[0].type.size
        for op in kernel.walk()
        if op.name == "load_ptr_tko"
        and ordering.ordering_of(op) is None
        and _dimension(kernel, op.operands["source"], op.operands["mask"]) is not None
    }


def _dimension(kernel: KernelIR, pointers: Value, mask: Value | None) -> int | None:
    runs, shape = kernel.facts(Contiguity), pointers.type.shape
    pointee = pointers.type.pointee
    size = 0 if is_packed(pointee) else memory_bytes(pointee)
    for dim, extent in enumerate(shape):
        if extent * size >= MIN_BYTES and runs[pointers][dim].contiguous >= extent:
            if mask is None or runs[mask][dim].constant >= extent:
                return dim
            if runs[mask][dim].edge >= extent and all(map(_is_kept, _parts(mask))):
                return dim
    return None


@contextmanager
def rows(lowering: Lowering, pointers: Value, mask: Value | None, dim: int) -> Iterator[Row]:
    """Code inside runs for every row of a tile of pointers."""
    builder, shape = lowering.builder, pointers.type.shape
    outer = tuple(1 if d == dim else extent for d, extent in enumerate(shape))
    with nest(builder, outer) as position:
        ends = [list(position.indices) for _ in range(2)]
        ends[1][dim] = ir.Constant(INDEX, shape[dim] - 1)
        first, last = (Evaluator(lowering, Position(builder, shape, each)) for each in ends)
        whole = None
        if mask is not None:
            whole = builder.and_(first.element(mask), last.element(mask))
        address = ordering.pointer(builder, first.element(pointers))
        yield Row(Position(builder, shape, ends[0]), dim, address, whole)


def is_indirect(pointers: Value) -> bool:
    """Whether addresses are computed from numbers that were loaded."""
    stack, seen = [pointers], set()
    while stack:
        value = stack.pop()
        if id(value) in seen or not isinstance(value.owner, Op):
            continue
        seen.add(id(value))
        if value.owner.name in ("load_ptr_tko", "load_view_tko"):
            return True
        if not value.owner.regions:
            stack += value.owner.operand_list()
    return False


def bytes_below(lowering: Lowering, mask: Value | None, size: int) -> ir.Value:
    """Emit the bytes of an array of elements of `size` bytes whose extents are the mask's bounds.

    Zero where the mask has no bounds.
    """
    builder, total = lowering.builder, ir.Constant(INDEX, size)
    factors: dict[int, ir.Value] = {}
    for part in () if mask is None else _parts(mask):
        op = part.owner
        if isinstance(op, Op) and op.name == "cmpi" and op.attributes["signedness"] == "unsigned":
            bound, shape = op.operands["rhs"], part.type.shape
            at = Evaluator(lowering, Position(builder, shape, [ZERO] * len(shape)))
            extent = at.element(bound)
            factors[id(extent)] = extent
    if not factors:
        return ZERO
    for extent in factors.values():
        wide = extent if extent.type == INDEX else builder.zext(extent, INDEX)
        total = builder.mul(total, wide)
    return total


def _parts(mask: Value) -> Iterator[Value]:
    """Yield a mask and what it is combined of, down to comparisons."""
    stack = [mask]
    while stack:
        value = stack.pop()
        yield value
        if isinstance(value.owner, Op) and value.owner.name in _KEEPING:
            stack += value.owner.operand_list()


def _is_kept(part: Value) -> bool:
    if part.type.size == 1:
        return True
    return isinstance(part.owner, Op) and (part.owner.name in _KEEPING or part.owner.name == "cmpi")
