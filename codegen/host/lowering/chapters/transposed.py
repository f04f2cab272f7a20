"""Operands of matrix products that lie across: squares of words are transposed in registers.

The microkernel wants rows of lhs along K, and panels of rhs along N. An operand that is contiguous
along the other dimension is read in vectors along that one. Copied element by element it takes a
fifth of the time of a product in bf16.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.position import INDEX
from tileir.codegen.host.planning.contiguous import Memory, memory_of
from tileir.codegen.scalar.types import BYTE, memory_bytes, memory_type
from tileir.ir import Op

from .dot_products import FLIPPED_ZERO, WORDS
from .microkernel import KINDS, Product

_ELEMENTS = {"f32": "f32", "f64": "f64", "bf16x2": "bf16", "i8x4": "i8"}
"""Operand type of a microkernel -> element type that its words consist of as it is in memory."""


class Across:
    """An operand that is contiguous along the dimension that the microkernel does not want."""

    def __init__(self, builder: ir.IRBuilder, slot: str, product: Product, memory: Memory) -> None:
        self._builder = builder
        self._product, self._memory, self._slot = product, memory, slot

    def stage(self, number: list[ir.Value], first: ir.Value, count: int, target: ir.Value) -> None:
        """Store `count` rows of lhs, or columns of rhs, from `first` on.

        `number` is the index in the batch, if there is one.
        """
        builder, product = self._builder, self._product
        lanes = product.lanes
        with nest(builder, (count // lanes, product.k // lanes)) as position:
            mine, steps = (self._times(index, lanes) for index in position.indices)
            along_k = self._slot == "rhs"
            vectors = []
            for number_in_square in range(lanes):
                at = ir.Constant(INDEX, number_in_square)
                if along_k:
                    vectors.append(self._vector(number, self._plus(first, mine, at), steps))
                else:
                    vectors.append(self._vector(number, self._plus(first, mine), steps, at))
            for at, vector in enumerate(_transposed(builder, vectors)):
                if along_k:
                    row, column, width = self._plus(steps, ir.Constant(INDEX, at)), mine, count
                else:
                    row, column, width = self._plus(mine, ir.Constant(INDEX, at)), steps, product.k
                place = self._plus(self._times(row, width), column)
                address = builder.gep(target, [place], source_etype=KINDS[product.operand])
                builder.store(vector, address, align=product.bytes)

    def _vector(
        self,
        number: list[ir.Value],
        mine: ir.Value,
        steps: ir.Value,
        at: ir.Value | None = None,
    ) -> ir.Value:
        """Load a vector of words: along K from step `steps`, or along the other dimension.

        If `at` is given, it is the latter, of the words of step `steps` + `at`.
        """
        builder, product = self._builder, self._product
        each, lanes = WORDS.get(product.operand, 1), product.lanes
        words = ir.VectorType(KINDS[product.operand], lanes)
        if at is None:
            address = self._address(number, mine, self._times(steps, each))
            return builder.load(address, typ=words, align=memory_bytes(self._memory.element))
        part = ir.VectorType(memory_type(self._memory.element), lanes)
        step = self._times(self._plus(steps, at), each)
        total = None
        for number_in_word in range(each):
            index = self._plus(step, ir.Constant(INDEX, number_in_word))
            address = self._address(number, mine, index)
            loaded = builder.load(address, typ=part, align=memory_bytes(self._memory.element))
            if each == 1:
                return loaded
            if product.is_flipped:
                flip = ir.Constant(part, [FLIPPED_ZERO] * lanes)
                loaded = builder.xor(loaded, flip)
            shift = number_in_word * words.element.width // each
            loaded = builder.shl(builder.zext(loaded, words), ir.Constant(words, [shift] * lanes))
            total = loaded if total is None else builder.or_(total, loaded)
        return total

    def _address(self, number: list[ir.Value], mine: ir.Value, step: ir.Value) -> ir.Value:
        """Return the address of an element: in a row of lhs or a column of rhs, at a step of K."""
        builder, memory = self._builder, self._memory
        row, column = (mine, step) if self._slot == "lhs" else (step, mine)
        offset = None
        for dimension, index in enumerate([*number, row, column]):
            term = builder.mul(index, memory.bytes_along(builder, dimension))
            offset = term if offset is None else builder.add(offset, term)
        return builder.gep(memory.start, [offset], source_etype=BYTE)

    def _times(self, index: ir.Value, factor: int) -> ir.Value:
        return self._builder.mul(index, ir.Constant(INDEX, factor), flags=("nuw", "nsw"))

    def _plus(self, *indices: ir.Value) -> ir.Value:
        total, *others = indices
        for other in others:
            total = self._builder.add(total, other, flags=("nuw", "nsw"))
        return total


def across(lowering: Lowering, op: Op, slot: str, product: Product, count: int) -> Across | None:
    """Return the operand if squares of its elements can be transposed; `count` rows at once."""
    value, lanes = op.operands[slot], product.lanes
    if op.name == "mmaf_scaled" or value.type.element.name != _ELEMENTS[product.operand]:
        return None
    if product.accumulator == "i32" and product.operand == "f32":
        return None
    if lanes < 4 or count % lanes or product.k % lanes:
        return None
    memory = memory_of(lowering, value)
    if memory is None or not memory.unchanged:
        return None
    if not memory.is_contiguous(len(value.type.shape) - 2):  # M of lhs, K of rhs
        return None
    return Across(lowering.builder, slot, product, memory)


def _transposed(builder: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """Transpose a square of vectors: interleave the first half with the second, log2 times."""
    count = len(rows)
    half = count // 2
    indices = ir.VectorType(ir.IntType(32), count)
    masks = [
        ir.Constant(indices, [n // 2 + start + count * (n % 2) for n in range(count)])
        for start in (0, half)
    ]
    for _ in range(count.bit_length() - 1):
        rows = [
            builder.shuffle_vector(rows[n], rows[n + half], mask)
            for n in range(half)
            for mask in masks
        ]
    return rows
