"""Read the operands of atoms into registers: from shared memory, or from fragments.

Of an operand in shared memory, one slice along k is in registers at a time. `schedule.mma_reads`
says how it is read. Where its elements are not those of the atom, registers that have been read are
converted (`machine.operand_conversions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import cast

from llvmlite import ir

from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import combine, span
from tileir.codegen.nvptx.emit.context import I32, Context, thread_position
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.mma_atoms import WORD_BITS, stored_as
from tileir.codegen.nvptx.machine.operand_conversions import IN_ORDER, operand_conversion
from tileir.codegen.nvptx.schedule.mma_plan import ProductPlan
from tileir.codegen.nvptx.schedule.mma_reads import MatrixReads, PlainReads, reads_of
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value

from .exact_conversions import bits_in_memory
from .shared_addresses import SharedAddresses

_FIRST_OF_PAIRS, _SECOND_OF_PAIRS = (0, 2, 4, 6), (1, 3, 5, 7)
"""The bytes of two registers of pairs that become one register of first elements, or of second."""
_HALVES_OF_PAIRS = (0, 2, 1, 3)
"""The bytes of a register of two pairs, the first elements of both and then the second ones."""
_THREAD_BITS_OF_MATRICES = 5
"""Lanes that pass the addresses of the rows of four matrices, in bits of their number."""


class MmaOperand:
    """The operand lhs or rhs of a product, from which atoms take registers."""

    def __init__(self, ctx: Context, plan: ProductPlan, slot: str) -> None:
        self._ctx, self._plan, self._part = ctx, plan, plan.part(slot)
        self._elements = self._part.own()
        self._known: dict[tuple[int | None, ...], ir.Value] = {}

    def words(self, offset: int) -> list[ir.Value]:
        """Return the registers of the operand that the atom at an offset multiplies."""
        per, words = self._plan.per_word, []
        for first in range(0, len(self._elements), per):
            own = self._elements[first : first + per]
            key = tuple(None if element is None else element ^ offset for element in own)
            if key not in self._known:
                self._known[key] = self._within(self._word(key))
            words.append(self._known[key])
        return words

    def _word(self, elements: tuple[int | None, ...]) -> ir.Value:
        raise NotImplementedError

    def _within(self, word: ir.Value) -> ir.Value:
        """Return a register in the type of the atom, zero in lanes beyond the end of k."""
        if self._part.beyond:
            beyond = self._ctx.thread_has(self._part.beyond)
            word = self._ctx.builder.select(beyond, ir.Constant(word.type, 0), word)
        if word.type.width == 64:
            return self._ctx.builder.bitcast(word, ir.DoubleType())
        return self._ctx.builder.bitcast(word, ir.FloatType()) if self._plan.atom.fused else word

    def _packed(self, bits: Sequence[ir.Value | None], size: int) -> ir.Value:
        """Return one register with the bits of elements of `size` bytes, zero for one of None."""
        builder, kind = self._ctx.builder, ir.IntType(8 * size)
        if kind.width >= WORD_BITS:
            return ir.Constant(kind, 0) if bits[0] is None else bits[0]
        count = WORD_BITS // kind.width
        word: ir.Value = ir.Constant(ir.VectorType(kind, count), [0] * count)
        for index, element in enumerate(bits):
            if element is not None:
                word = builder.insert_element(word, element, ir.Constant(I32, index))
        return builder.bitcast(word, I32)


class RegisterOperand(MmaOperand):
    """An operand in registers, in the layout of the atom."""

    def __init__(self, ctx: Context, plan: ProductPlan, slot: str, value: Value) -> None:
        super().__init__(ctx, plan, slot)
        self._fragment, self._element = ctx.fragment(value), value.type.element
        self._read: dict[int, ir.Value] = {}

    def _word(self, elements: tuple[int | None, ...]) -> ir.Value:
        bits = [None if at is None else self._bits(at) for at in elements]
        return self._packed(bits, self._plan.size)

    def _bits(self, at: int) -> ir.Value:
        if at not in self._read:
            builder, stored = self._ctx.builder, stored_as(self._plan.operand_type)
            self._read[at] = bits_in_memory(builder, self._fragment[at], self._element, stored)
        return self._read[at]


class SharedOperand(MmaOperand):
    """An operand in shared memory, of which one slice along k is in registers."""

    def __init__(self, ctx: Context, plan: ProductPlan, slot: str, op: Op) -> None:
        super().__init__(ctx, plan, slot)
        value: Value = op.operands[slot]
        self._address, self._kind = ctx.values[value], cast(Shared, value.type)
        self._size, by = memory_bytes(self._kind.element), op.attributes[f"{slot}_conversion"]
        self._conversion = operand_conversion(self._kind.element.name, plan.operand_type, by or "")
        self._reads = reads_of(plan, slot, self._kind)
        self._words: dict[int, ir.Value] = {}
        self._bits: dict[int, ir.Value] = {}

    def open(self, start: int, number: ir.Value | None = None) -> None:
        """Read the slice at an offset, or the one `number` slices further (known at run time)."""
        self._known, self._words, self._bits = {}, {}, {}
        moving = None if number is None else self._moving(number)
        if isinstance(self._reads, MatrixReads):
            self._read_matrices(self._reads, start, moving)
        else:
            self._load(self._reads, start, moving)

    def _at(self, element: int) -> int:
        """Return where an element lies, in bytes from the address."""
        return combine(self._kind.offsets, element) * self._size

    def _moving(self, number: ir.Value) -> tuple[ir.Value, int]:
        """Return what the number of a slice adds to byte offsets, and the mask of those bits."""
        plan = self._plan
        steps = [step for step in plan.along["k"] if step >= plan.slice]
        bases = [self._at(self._part.at(k=step)) for step in steps]
        return thread_position(self._ctx.builder, number, bases), reduce(or_, bases, 0)

    def _word(self, elements: tuple[int | None, ...]) -> ir.Value:
        if elements[0] in self._words:
            return self._words[elements[0]]
        bits = [None if at is None else self._bits[at] for at in elements]
        return self._converted(self._packed(bits, self._size))[0]

    def _converted(self, word: ir.Value, order: Sequence[int] = IN_ORDER) -> list[ir.Value]:
        """Return the registers of the atom that a register in memory becomes, bytes in an order."""
        return (
            [word]
            if self._conversion is None
            else self._conversion.emit(self._ctx.builder, word, order)
        )

    def _load(self, reads: PlainReads, start: int, moving: tuple[ir.Value, int] | None) -> None:
        """Read a slice by plain loads."""
        builder, part = self._ctx.builder, self._part
        thread = [self._at(base or 0) for base in (*part.lane, *part.warp)]
        addresses = SharedAddresses(self._ctx, self._address, thread, moving)
        bits, count = 8 * self._size << reads.packed, len(reads.together) - reads.packed
        shape = access.AccessShape(bits, 1 << count)
        elements = self._words if reads.packed else self._bits
        for offset in span(reads.rest):
            at = addresses.at(self._at(start ^ offset))
            loaded = access.load(builder, shape, *at, None, None, access.SHARED)
            for step, word in zip(span(reads.together[reads.packed :]), loaded, strict=True):
                elements[start ^ offset ^ step] = word

    def _read_matrices(
        self, reads: MatrixReads, start: int, moving: tuple[ir.Value, int] | None
    ) -> None:
        """Read a slice by `ldmatrix`: registers, by the offset of their first elements."""
        builder = self._ctx.builder
        lanes = (*reads.rows, *reads.chosen)
        lanes += (0,) * (_THREAD_BITS_OF_MATRICES - len(lanes))
        thread = [self._at(base) for base in (*lanes, *self._part.warp)]
        addresses = SharedAddresses(self._ctx, self._address, thread, moving)
        count = 1 << len(reads.chosen)
        for offset in span(reads.rest):
            at = addresses.at(self._at(start ^ offset))
            words = access.ldmatrix(builder, count, reads.transposed, *at)
            for step, word in zip(span(reads.chosen), words, strict=True):
                of_pairs = reads.halves is not None and reads.transposed
                converted = self._converted(word, _HALVES_OF_PAIRS if of_pairs else IN_ORDER)
                apart = (0,) if reads.halves is None else (0, reads.halves)
                for half, register in zip(apart, converted, strict=True):
                    self._words[start ^ offset ^ step ^ half] = register
        if reads.pairs:
            self._words = _split_pairs(builder, self._words, start, *reads.pairs)


def _split_pairs(
    builder: ir.IRBuilder, halves: Mapping[int, ir.Value], start: int, pair: int, second: int
) -> dict[int, ir.Value]:
    """Return registers of elements of one byte, given registers of two pairs each.

    The first bytes of the four pairs of two registers, `second` apart, become one register, their
    second bytes the one that is a `pair` apart.
    """
    registers = {}
    for offset, word in halves.items():
        if not (offset ^ start) & second:
            words = (word, halves[offset ^ second])
            registers[offset] = access.permute_bytes(builder, *words, _FIRST_OF_PAIRS)
            registers[offset ^ pair] = access.permute_bytes(builder, *words, _SECOND_OF_PAIRS)
    return registers


def operand_of(ctx: Context, plan: ProductPlan, slot: str, op: Op) -> MmaOperand:
    """Return the operand of slot lhs or rhs of an `mma` or `mma_scaled`."""
    if isinstance(op.operands[slot].type, Shared):
        return SharedOperand(ctx, plan, slot, op)
    return RegisterOperand(ctx, plan, slot, op.operands[slot])
