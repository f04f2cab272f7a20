"""The registers that an atom multiplies: read from where a factor is staged, or from fragments.

What is staged is read slice by slice along k. `ldmatrix` does it where rows of eight times 16 bytes
are what the lanes hold: lane 4 r + c of a warp gets the 4 bytes number c of row r; or, for elements
of two bytes, of a matrix that lies the other way round. Elements of one byte that lie so are read
as pairs of neighbours, and the pairs taken apart: lanes count pairs of rows then (see `mma_plan`).
Everything else is read by plain loads, as wide as neighbours lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import span
from tileir.codegen.layouts.swizzle import WIDEST
from tileir.codegen.nvptx.emit.fragments import I32, Context, Fragment, thread_position
from tileir.codegen.nvptx.emit.shared_addresses import Places
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.mma_atoms import WORD_BITS
from tileir.codegen.nvptx.schedule.mma_plan import Part, Plan
from tileir.codegen.nvptx.schedule.staged import Staged
from tileir.types import Element

from .factors import as_read

_ROW_LANES = slice(2, 5)
"""The bits of a lane's number that say which row of a matrix it has a part of."""
_ROW_BYTES = 16
_PAIR_BITS = 4
"""Of a row of single bytes: eight pairs."""
_MOST_MATRICES = 2
"""Of `ldmatrix`, in bits: four at once."""


class Factor:
    """One factor of a product; `words` are the registers of the atom at an offset."""

    def __init__(self, ctx: Context, plan: Plan, part: Part) -> None:
        self._ctx, self._plan, self._part = ctx, plan, part
        self._elements = part.own()
        self._known: dict[tuple[int | None, ...], ir.Value] = {}

    def words(self, offset: int) -> list[ir.Value]:
        """The registers that one atom takes of this factor."""
        per, found = self._plan.per_word, []
        for first in range(0, len(self._elements), per):
            own = self._elements[first : first + per]
            key = tuple(None if element is None else element ^ offset for element in own)
            if key not in self._known:
                self._known[key] = self._within(self._word(key))
            found.append(self._known[key])
        return found

    def _word(self, elements: tuple[int | None, ...]) -> ir.Value:
        raise NotImplementedError

    def _within(self, word: ir.Value) -> ir.Value:
        """The register as atoms take it, zero in lanes that are beyond the end of k."""
        if self._part.beyond:
            beyond = self._ctx.thread_has(self._part.beyond)
            word = self._ctx.builder.select(beyond, ir.Constant(word.type, 0), word)
        if word.type.width == 64:
            return self._ctx.builder.bitcast(word, ir.DoubleType())
        return self._ctx.builder.bitcast(word, ir.FloatType()) if self._plan.atom.fused else word

    def _packed(self, bits: Sequence[ir.Value | None]) -> ir.Value:
        """One register of the elements' bits, zero where there is none."""
        builder = self._ctx.builder
        if len(bits) == 1:
            kind = ir.IntType(8 * self._plan.size)
            return ir.Constant(kind, 0) if bits[0] is None else bits[0]
        kind = ir.IntType(WORD_BITS // len(bits))
        word: ir.Value = ir.Constant(ir.VectorType(kind, len(bits)), [0] * len(bits))
        for place, element in enumerate(bits):
            if element is not None:
                word = builder.insert_element(word, element, ir.Constant(I32, place))
        return builder.bitcast(word, I32)


class HeldFactor(Factor):
    """A factor that is in registers, in the layout of the part."""

    def __init__(
        self, ctx: Context, plan: Plan, part: Part, fragment: Fragment, element: Element
    ) -> None:
        super().__init__(ctx, plan, part)
        self._fragment, self._element = fragment, element
        self._read: dict[int, ir.Value] = {}

    def _word(self, elements: tuple[int | None, ...]) -> ir.Value:
        return self._packed([None if at is None else self._bits(at) for at in elements])

    def _bits(self, at: int) -> ir.Value:
        if at not in self._read:
            value, reading = self._fragment[at], self._plan.reading
            self._read[at] = as_read(self._ctx.builder, value, self._element, reading)
        return self._read[at]


class StagedFactor(Factor):
    """A factor in shared memory, of which one slice along k is in registers."""

    def __init__(
        self, ctx: Context, plan: Plan, part: Part, staged: Staged, free: Sequence[int]
    ) -> None:
        """`free`: the bases of what a slice consists of, besides the registers of one atom."""
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
        """Whether `ldmatrix` reads it."""
        return self._matrices is not None

    def open(self, start: int, number: ir.Value | None = None) -> None:
        """Read the slice at an offset, or so many slices further, which is known at run time."""
        self._known, self._words, self._bits = {}, {}, {}
        moving = None if number is None else self._moving(number)
        if self._matrices is not None:
            self._matrices.open(moving)
            self._words = self._matrices.load(start)
        else:
            self._load(start, moving)

    def _moving(self, number: ir.Value) -> tuple[ir.Value, int]:
        """What the number of a slice contributes to places, and the bits that it touches."""
        plan, bases = self._plan, []
        for step in plan.along["k"]:
            if step >= plan.slice:
                bases.append(self._staged.place(self._part.at(k=step)) * plan.size)
        return thread_position(self._ctx.builder, number, bases), reduce(or_, bases, 0)

    def _word(self, elements: tuple[int | None, ...]) -> ir.Value:
        if elements[0] in self._words:
            return self._words[elements[0]]
        return self._packed([None if at is None else self._bits[at] for at in elements])

    def _by_matrices(
        self, packed: list[int], own: list[int], free: Sequence[int]
    ) -> _Matrices | None:
        staged, part, size = self._staged, self._part, self._plan.size
        rows, columns = list(part.lane[_ROW_LANES]), [*packed, *part.lane[: _ROW_LANES.start]]
        for transposed, (inner, outer) in enumerate(((columns, rows), (rows, columns))):
            along = [staged.place(base) for base in inner]
            side_by_side = along == [1 << bit for bit in range(len(along))]
            if side_by_side and size << len(along) == _ROW_BYTES and len(outer) == len(rows):
                return _Matrices(
                    self._ctx, self._staged, part, outer, [*own, *free], bool(transposed)
                )
        inner = [1 << bit for bit in range(_PAIR_BITS)]
        pairs = {staged.place(base): base for base in (*own, *free, *rows)}
        if size == 1 and [pairs.get(place) for place in inner[1:]] == rows and 1 in pairs:
            rest = [base for base in (*own, *free) if base != pairs[1]]
            return _Pairs(self._ctx, staged, part, columns, rest, pairs[1])
        return None

    def _load(self, start: int, moving: tuple[ir.Value, int] | None) -> None:
        """Plain loads, each of as many elements as lie side by side."""
        staged, size, ctx = self._staged, self._plan.size, self._ctx
        at_place = {staged.place(base): base for base in self._free}
        together: list[int] = []
        while size << len(together) < WIDEST and 1 << len(together) in at_place:
            together.append(at_place[1 << len(together)])
        rest = [base for base in self._free if base not in together]
        part = self._part
        thread = [staged.place(base or 0) * size for base in (*part.lane, *part.warp)]
        places = Places(ctx, staged.base, thread, moving)
        unit = self._plan.per_word.bit_length() - 1
        if tuple(together[:unit]) != part.register[:unit]:
            unit = 0
        shape = access.Shape(8 * size << unit, 1 << len(together) - unit)
        found = self._words if unit else self._bits
        for offset in span(rest):
            place = places.at(staged.place(start ^ offset) * size)
            loaded = access.load(ctx.builder, shape, *place, None, None, access.SHARED)
            for step, word in zip(span(together[unit:]), loaded, strict=True):
                found[start ^ offset ^ step] = word


class _Matrices:
    """`ldmatrix`, up to four at once: which of them is a bit of the offset each."""

    def __init__(
        self, ctx: Context, staged: Staged, part: Part, rows: Sequence[int],
        free: Sequence[int], transposed: bool,
    ) -> None:  # fmt: skip
        self._ctx, self._staged, self._transposed = ctx, staged, transposed
        self._chosen, self._rest = list(free[:_MOST_MATRICES]), list(free[_MOST_MATRICES:])
        lanes = [*rows, *self._chosen, *[0] * (_MOST_MATRICES - len(self._chosen))]
        self._thread = [staged.place(base) * staged.size for base in (*lanes, *part.warp)]

    def open(self, moving: tuple[ir.Value, int] | None) -> None:
        self._places = Places(self._ctx, self._staged.base, self._thread, moving)

    def load(self, start: int) -> dict[int, ir.Value]:
        """The registers of a slice, by the offset of their first elements."""
        count = 1 << len(self._chosen)
        found = {}
        for offset in span(self._rest):
            place = self._places.at(self._staged.place(start ^ offset) * self._staged.size)
            words = access.matrices(self._ctx.builder, count, self._transposed, *place)
            for step, word in zip(span(self._chosen), words, strict=True):
                found[start ^ offset ^ step] = word
        return found


class _Pairs(_Matrices):
    """Pairs of single bytes that `ldmatrix` turns.

    A lane gets two pairs of one matrix, which lie in two neighbouring columns; the next matrix has
    the next two columns. Of both the first bytes of each pair are one register, the second another.
    """

    def __init__(
        self, ctx: Context, staged: Staged, part: Part, columns: Sequence[int],
        free: Sequence[int], pair: int,
    ) -> None:  # fmt: skip
        first, self._second, *others = columns
        super().__init__(ctx, staged, part, [first, *others], [self._second, *free], True)
        self._pair = pair

    def load(self, start: int) -> dict[int, ir.Value]:
        """The registers of a slice, by the offset of their first elements."""
        found, halves = {}, super().load(start)
        for offset, word in halves.items():
            if not (offset ^ start) & self._second:
                words = (word, halves[offset ^ self._second])
                found[offset] = access.bytes_of(self._ctx.builder, *words, _FIRST_OF_PAIRS)
                found[offset ^ self._pair] = access.bytes_of(
                    self._ctx.builder, *words, _SECOND_OF_PAIRS
                )
        return found


_FIRST_OF_PAIRS, _SECOND_OF_PAIRS = (0, 2, 4, 6), (1, 3, 5, 7)
