"""Read the operands of atoms into registers: from shared memory, or from fragments.

A staged operand is read slice by slice along k. `ldmatrix` reads it if the lanes need eight rows of
16 bytes: lane 4 r + c of a warp gets the 4 bytes number c of row r; or, for elements of two bytes,
those of the transposed matrix. Elements of one byte that need transposing are read as pairs of
neighbours, and the pairs are split: then lanes count pairs of rows (see `mma_plan`). Everything
else is read by plain loads of as many elements as are adjacent.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import cast

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import span
from tileir.codegen.layouts.swizzle import WIDEST
from tileir.codegen.nvptx.emit.fragments import I32, EmitContext, Fragment, thread_position
from tileir.codegen.nvptx.emit.shared_addresses import SharedAddresses
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.mma_atoms import WORD_BITS
from tileir.codegen.nvptx.schedule.mma_plan import Part, ProductPlan
from tileir.codegen.nvptx.schedule.staged import Staged
from tileir.types import Element

from .operands import as_operand

_ROW_LANES = slice(2, 5)
"""The bits of a lane's number that give the row of the matrix that it has a part of."""
_ROW_BYTES = 16
_PAIR_BITS = 4
"""Log2 of the elements of a row of single bytes: eight pairs."""
_MOST_MATRICES = 2
"""Log2 of the matrices that one `ldmatrix` loads, at most: four."""


class MmaOperand:
    """The operand lhs or rhs of a product, from which atoms take registers."""

    def __init__(self, ctx: EmitContext, plan: ProductPlan, part: Part) -> None:
        self._ctx, self._plan, self._part = ctx, plan, part
        self._elements = part.own()
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

    def _packed(self, bits: Sequence[ir.Value | None]) -> ir.Value:
        """Return one register with the bits of elements, zero for an element of None."""
        builder = self._ctx.builder
        if len(bits) == 1:
            kind = ir.IntType(8 * self._plan.size)
            return ir.Constant(kind, 0) if bits[0] is None else bits[0]
        kind = ir.IntType(WORD_BITS // len(bits))
        word: ir.Value = ir.Constant(ir.VectorType(kind, len(bits)), [0] * len(bits))
        for index, element in enumerate(bits):
            if element is not None:
                word = builder.insert_element(word, element, ir.Constant(I32, index))
        return builder.bitcast(word, I32)


class RegisterOperand(MmaOperand):
    """An operand in registers, in the layout of the part."""

    def __init__(
        self, ctx: EmitContext, plan: ProductPlan, part: Part, fragment: Fragment, element: Element
    ) -> None:
        super().__init__(ctx, plan, part)
        self._fragment, self._element = fragment, element
        self._read: dict[int, ir.Value] = {}

    def _word(self, elements: tuple[int | None, ...]) -> ir.Value:
        return self._packed([None if at is None else self._bits(at) for at in elements])

    def _bits(self, at: int) -> ir.Value:
        if at not in self._read:
            value, operand_type = self._fragment[at], self._plan.operand_type
            self._read[at] = as_operand(self._ctx.builder, value, self._element, operand_type)
        return self._read[at]


class SharedOperand(MmaOperand):
    """An operand in shared memory, of which one slice along k is in registers."""

    def __init__(
        self, ctx: EmitContext, plan: ProductPlan, part: Part, staged: Staged, free: Sequence[int]
    ) -> None:
        """`free` has the bases of a slice beyond those of the registers of one atom."""
        super().__init__(ctx, plan, part)
        self._staged = staged
        own = [base for base in part.register if base]
        packed = plan.per_word.bit_length() - 1
        self._free = [*own, *free]
        self._matrices = None
        if None not in (*part.register, *part.lane):
            self._matrices = self._by_matrices(own[:packed], own[packed:], free)
        self._words: dict[int, ir.Value] = {}
        self._bits: dict[int, ir.Value] = {}

    @property
    def by_matrices(self) -> bool:
        """Whether `ldmatrix` reads the operand."""
        return self._matrices is not None

    def open(self, start: int, number: ir.Value | None = None) -> None:
        """Read the slice at an offset, or the one `number` slices further (known at run time)."""
        self._known, self._words, self._bits = {}, {}, {}
        moving = None if number is None else self._moving(number)
        if self._matrices is not None:
            self._matrices.open(moving)
            self._words = self._matrices.load(start)
        else:
            self._load(start, moving)

    def _moving(self, number: ir.Value) -> tuple[ir.Value, int]:
        """Return what the number of a slice adds to byte offsets, and the mask of those bits."""
        plan, bases = self._plan, []
        for step in plan.along["k"]:
            if step >= plan.slice:
                bases.append(self._staged.offset(self._part.at(k=step)) * plan.size)
        return thread_position(self._ctx.builder, number, bases), reduce(or_, bases, 0)

    def _word(self, elements: tuple[int | None, ...]) -> ir.Value:
        if elements[0] in self._words:
            return self._words[elements[0]]
        return self._packed([None if at is None else self._bits[at] for at in elements])

    def _by_matrices(
        self, packed: list[int], own: list[int], free: Sequence[int]
    ) -> _Matrices | None:
        staged, part, size = self._staged, self._part, self._plan.size
        lane = cast("tuple[int, ...]", part.lane)
        rows, columns = list(lane[_ROW_LANES]), [*packed, *lane[: _ROW_LANES.start]]
        for transposed, (inner, outer) in enumerate(((columns, rows), (rows, columns))):
            along = [staged.offset(base) for base in inner]
            adjacent = along == [1 << bit for bit in range(len(along))]
            if adjacent and size << len(along) == _ROW_BYTES and len(outer) == len(rows):
                return _Matrices(
                    self._ctx, self._staged, part, outer, [*own, *free], bool(transposed)
                )
        inner = [1 << bit for bit in range(_PAIR_BITS)]
        pairs = {staged.offset(base): base for base in (*own, *free, *rows)}
        if size == 1 and [pairs.get(offset) for offset in inner[1:]] == rows and 1 in pairs:
            rest = [base for base in (*own, *free) if base != pairs[1]]
            return _Pairs(self._ctx, staged, part, columns, rest, pairs[1])
        return None

    def _load(self, start: int, moving: tuple[ir.Value, int] | None) -> None:
        """Read a slice by plain loads, each of as many elements as are adjacent."""
        staged, size, ctx = self._staged, self._plan.size, self._ctx
        at_offset = {staged.offset(base): base for base in self._free}
        together: list[int] = []
        while size << len(together) < WIDEST and 1 << len(together) in at_offset:
            together.append(at_offset[1 << len(together)])
        rest = [base for base in self._free if base not in together]
        part = self._part
        thread = [staged.offset(base or 0) * size for base in (*part.lane, *part.warp)]
        addresses = SharedAddresses(ctx, staged.base, thread, moving)
        unit = self._plan.per_word.bit_length() - 1
        if tuple(together[:unit]) != part.register[:unit]:
            unit = 0
        shape = access.AccessShape(8 * size << unit, 1 << len(together) - unit)
        elements = self._words if unit else self._bits
        for offset in span(rest):
            address = addresses.at(staged.offset(start ^ offset) * size)
            loaded = access.load(ctx.builder, shape, *address, None, None, access.SHARED)
            for step, word in zip(span(together[unit:]), loaded, strict=True):
                elements[start ^ offset ^ step] = word


class _Matrices:
    """Reads a slice by `ldmatrix`: up to four matrices at once, at offsets one bit apart."""

    def __init__(
        self,
        ctx: EmitContext,
        staged: Staged,
        part: Part,
        rows: Sequence[int],
        free: Sequence[int],
        transposed: bool,
    ) -> None:
        self._ctx, self._staged, self._transposed = ctx, staged, transposed
        self._chosen, self._rest = list(free[:_MOST_MATRICES]), list(free[_MOST_MATRICES:])
        lanes = [*rows, *self._chosen, *[0] * (_MOST_MATRICES - len(self._chosen))]
        self._thread = [staged.offset(base) * staged.size for base in (*lanes, *part.warp)]

    def open(self, moving: tuple[ir.Value, int] | None) -> None:
        self._addresses = SharedAddresses(self._ctx, self._staged.base, self._thread, moving)

    def load(self, start: int) -> dict[int, ir.Value]:
        """Return the registers of a slice, by the offset of their first elements."""
        count = 1 << len(self._chosen)
        registers = {}
        for offset in span(self._rest):
            address = self._addresses.at(self._staged.offset(start ^ offset) * self._staged.size)
            words = access.ldmatrix(self._ctx.builder, count, self._transposed, *address)
            for step, word in zip(span(self._chosen), words, strict=True):
                registers[start ^ offset ^ step] = word
        return registers


class _Pairs(_Matrices):
    """Reads elements of one byte as pairs that `ldmatrix` transposes.

    A lane gets two pairs of one matrix, from two neighbouring columns; the next matrix has the next
    two columns. The first bytes of the four pairs become one register, the second bytes another.
    """

    def __init__(
        self,
        ctx: EmitContext,
        staged: Staged,
        part: Part,
        columns: Sequence[int],
        free: Sequence[int],
        pair: int,
    ) -> None:
        first, self._second, *others = columns
        super().__init__(ctx, staged, part, [first, *others], [self._second, *free], True)
        self._pair = pair

    def load(self, start: int) -> dict[int, ir.Value]:
        """Return the registers of a slice, by the offset of their first elements."""
        registers, halves = {}, super().load(start)
        for offset, word in halves.items():
            if not (offset ^ start) & self._second:
                words = (word, halves[offset ^ self._second])
                registers[offset] = access.permute_bytes(self._ctx.builder, *words, _FIRST_OF_PAIRS)
                registers[offset ^ self._pair] = access.permute_bytes(
                    self._ctx.builder, *words, _SECOND_OF_PAIRS
                )
        return registers


_FIRST_OF_PAIRS, _SECOND_OF_PAIRS = (0, 2, 4, 6), (1, 3, 5, 7)
