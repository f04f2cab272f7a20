"""How the operands of a matrix product get into registers, slice by slice along k.

`ldmatrix` reads an operand in shared memory if the lanes need eight rows of 16 bytes: lane 4 r + c
of a warp gets the 4 bytes number c of row r; or, for elements of two bytes, those of the transposed
matrix. Elements of one byte that need transposing are read as pairs of neighbours, and the pairs
are split: then lanes count pairs of rows (see `mma_plan`). Everything else is read by plain loads
of as many elements as are adjacent.

Elements in memory may be narrower than the atom's (`machine.operand_conversions`): then a register
that is read becomes two, of neighbours along k, or of a pair of rows or columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from tileir.codegen.block.op_facts import ASYNC_PROXY
from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import combine, log2
from tileir.codegen.layouts.swizzle import WIDEST
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op

from .mma_plan import ProductPlan, plan_of

REGISTERS, LDMATRIX, LOADS = "registers", "ldmatrix", "plain loads"
DESCRIPTORS = "descriptors"
"""How an operand is read."""

MOST_ATOMS = 256
"""The most atoms that are emitted one after the other; for more, a loop along k is emitted."""
_REGISTERS = 4
"""Accumulators of the usual atom; those of larger ones count as several atoms."""

_ROW_LANES = slice(2, 5)
"""The bits of a lane's number that give the row of the matrix that it has a part of."""
ROW_BYTES = 16
"""Bytes of a row of the matrices that `ldmatrix` reads."""
_WORD_BYTES = 4
_PAIR_BITS = 4
"""Log2 of the elements of a row of single bytes: eight pairs."""
_MOST_MATRICES = 2
"""Log2 of the matrices that one `ldmatrix` loads, at most: four."""


@dataclass(frozen=True, slots=True)
class MatrixReads:
    """A slice is read by `ldmatrix`. All numbers are bases: elements of the operand.

    `rows` are those of the bits that number the rows of a matrix, `chosen` of the bits that number
    the matrices of one instruction, `rest` of the bits that number instructions. Elements of one
    byte are read as `pairs`: a lane gets two of them of one matrix, which are one base apart, and
    the next two columns in the matrix at the other.
    Of elements that are narrower than the atom's, a register becomes two, which are `halves` apart:
    the halves of the word that is read, or, transposed, its even and its odd bytes.
    """

    rows: tuple[int, ...]
    chosen: tuple[int, ...]
    rest: tuple[int, ...]
    transposed: bool
    pairs: tuple[int, int] | None = None
    halves: int | None = None

    @classmethod
    def of(
        cls,
        rows: Sequence[int],
        free: Sequence[int],
        transposed: bool,
        pairs: tuple[int, int] | None = None,
        halves: int | None = None,
    ) -> MatrixReads:
        """Return the reads in which each instruction loads as many matrices as it can."""
        chosen, rest = free[:_MOST_MATRICES], free[_MOST_MATRICES:]
        return cls(tuple(rows), tuple(chosen), tuple(rest), transposed, pairs, halves)


@dataclass(frozen=True, slots=True)
class PlainReads:
    """A slice is read by plain loads, each of the elements that the bases `together` combine.

    `rest` has the bases of the bits that number loads. `packed` is log2 of the elements that are
    loaded as one word, which is a register of the atom if it is not 0.
    """

    together: tuple[int, ...]
    rest: tuple[int, ...]
    packed: int


def reads_of(plan: ProductPlan, slot: str, kind: Shared) -> MatrixReads | PlainReads:
    """Return how the operand of slot lhs or rhs, of this type, is read."""
    part = plan.part(slot)
    dim = "m" if slot == "lhs" else "n"
    free = [step * part.weights[dim][1] for step in plan.along[dim]]
    free += [part.at(k=step) for step in plan.along["k"] if step < plan.slice]
    own = [base for base in part.register if base]
    reads = None
    if None not in (*part.register, *part.lane):
        reads = _by_matrices(plan, slot, kind, own, free)
    return reads or _by_loads(plan, slot, kind, [*own, *free])


def read_by(op: Op, slot: str) -> str:
    """Return how an operand of a product is read: one of the words above."""
    kind = op.operands[slot].type
    if not isinstance(kind, Shared):
        return REGISTERS
    if op.name in ASYNC_PROXY:
        return DESCRIPTORS
    return LDMATRIX if isinstance(reads_of(plan_of(op), slot, kind), MatrixReads) else LOADS


def slices_of(op: Op, plan: ProductPlan) -> range:
    """Return where the slices along k start that an `mma` or `mma_scaled` op multiplies."""
    end = op.attributes["end"]
    return range(op.attributes["first"] or 0, plan.extents["k"] if end is None else end, plan.slice)


def in_memory(op: Op) -> bool:
    """Whether both operands of a product are in shared memory."""
    return all(isinstance(op.operands[slot].type, Shared) for slot in ("lhs", "rhs"))


def slices_in_loop(op: Op) -> bool:
    """Whether an `mma` op becomes a loop over its slices: then both operands are in memory."""
    if op.name != "mma" or not in_memory(op):
        return False
    plan = plan_of(op)
    steps = sum(len(plan.along[dim]) for dim in "mnb")
    registers = len(plan.acc.own()) * (len(slices_of(op, plan)) * plan.slice // plan.atom.k or 1)
    return (registers << steps) // _REGISTERS > MOST_ATOMS


def _by_matrices(
    plan: ProductPlan, slot: str, kind: Shared, own: Sequence[int], free: Sequence[int]
) -> MatrixReads | None:
    """Return how `ldmatrix` reads an operand; None if it cannot."""
    lane, size = cast("tuple[int, ...]", plan.part(slot).lane), memory_bytes(kind.element)
    rows, pairs = list(lane[_ROW_LANES]), lane[: _ROW_LANES.start]
    at_offset = {combine(kind.offsets, base): base for base in (*own, *free, *rows)}
    # The elements of a register in memory, and of one in the atom: the first ones of those.
    word = [at_offset.get(1 << bit) for bit in range(log2(max(_WORD_BYTES // size, 1)))]
    packed = plan.per_word.bit_length() - 1
    columns, others = [*own[:packed], *pairs], [*own[packed:], *free]
    halves = word[packed:]
    if word[:packed] == list(own[:packed]) and all(base in others for base in halves):
        inner = cast("list[int]", [*word, *pairs])
        if _adjacent(inner, kind) and size << len(inner) == ROW_BYTES:
            rest = [base for base in others if base not in halves]
            return MatrixReads.of(rows, rest, False, halves=halves[0] if halves else None)
    if _adjacent(rows, kind) and size << len(rows) == ROW_BYTES and len(columns) == len(rows):
        return MatrixReads.of(columns, others, True)
    inner = [1 << bit for bit in range(_PAIR_BITS)]
    if size == 1 and [at_offset.get(offset) for offset in inner[1:]] == rows and 1 in at_offset:
        pair = at_offset[1]
        if plan.size > size:
            free = [base for base in others if base != pair]
            return MatrixReads.of(columns, free, True, halves=pair)
        first, second, *last = columns
        free = [second, *(base for base in others if base != pair)]
        return MatrixReads.of([first, *last], free, True, (pair, second))
    return None


def _adjacent(bases: Sequence[int], kind: Shared) -> bool:
    """Whether bases number neighbours in memory."""
    return [combine(kind.offsets, base) for base in bases] == [1 << i for i in range(len(bases))]


def _by_loads(plan: ProductPlan, slot: str, kind: Shared, free: Sequence[int]) -> PlainReads:
    size = memory_bytes(kind.element)
    at_offset = {combine(kind.offsets, base): base for base in free}
    together: list[int] = []
    while size << len(together) < WIDEST and 1 << len(together) in at_offset:
        together.append(at_offset[1 << len(together)])
    packed = plan.per_word.bit_length() - 1 if size == plan.size else 0
    if tuple(together[:packed]) != plan.part(slot).register[:packed]:
        packed = 0
    rest = tuple(base for base in free if base not in together)
    return PlainReads(tuple(together), rest, packed)
