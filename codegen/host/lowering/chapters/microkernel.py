"""The GEMM microkernel: lhs times a panel of columns of rhs, one LLVM function for each size.

The function computes the result in register blocks: some rows, some vectors wide. For each step
along K it loads a block's vectors of rhs and, for each row, one element of lhs, which is splat to a
vector. The panel of rhs is as wide as a block, stored as [K][width], read sequentially, and stays
in the L1 cache. lhs and the result are row-major. A step along K is one element, or a word of
several (see `dot_products`).

While it multiplies, it prefetches what the next product will read (see `ahead`), and the block of
the result that comes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

from llvmlite import ir

from tileir.codegen.host.lowering.loops import loop
from tileir.codegen.host.lowering.position import INDEX
from tileir.codegen.host.machine.vector_unit import VectorUnit
from tileir.codegen.llvm.folding_builder import FoldingBuilder
from tileir.codegen.scalar.types import OPAQUE

from . import ahead, dot_products
from .ahead import Lines

K_BLOCK = 256
"""Steps along K between two updates of a block of the result.

A panel of so many rows stays in the L1 cache. And the sum of so many products of 8-bit integers,
each at most 255 * 255, is below 2**24, so f32 represents it exactly.
"""

KINDS = {
    "f32": ir.FloatType(),
    "f64": ir.DoubleType(),
    "i32": ir.IntType(32),
    "bf16x2": ir.IntType(32),
    "i8x4": ir.IntType(32),
}
"""Type names of a `Product` -> LLVM types."""


@dataclass(frozen=True, slots=True)
class Product:
    """A product of an m x k by a k x n matrix, added to a third; extents are powers of two.

    `operand` is the type of lhs and rhs in memory: "f32", "f64", or a word of several elements, of
    which there are k along K. `accumulator` is that of the result: "f32", "f64", or "i32", also for
    f32 operands that hold 8-bit integers. `signs` are those of bytes in words (`dot_products`).
    """

    operand: str
    accumulator: str
    m: int
    n: int
    k: int
    signs: str = ""

    @property
    def bytes(self) -> int:
        """Bytes of one element, of operands and of the result."""
        return 8 if self.operand == "f64" else 4

    @property
    def is_flipped(self) -> bool:
        """Whether lhs has flipped top bits, and a panel of rhs a row more: what to take back."""
        return dot_products.is_flipped(self.signs)

    @property
    def lanes(self) -> int:
        """Elements of one vector."""
        return min(self.n, VectorUnit.of_host().bits // (8 * self.bytes))

    @property
    def block(self) -> tuple[int, int]:
        """Rows and vectors of a block of the result.

        As many of both need the fewest loads; if there are fewer of one, more of the other hide the
        latency of an addition.
        """
        most = VectorUnit.of_host().accumulators
        square = isqrt(most)
        rows = min(self.m, most // min(square, self.n // self.lanes))
        return rows, min(self.n // self.lanes, most // rows)

    @property
    def width(self) -> int:
        """Columns of a block, and of a panel of rhs."""
        return self.block[1] * self.lanes


def function_of(module: ir.Module, product: Product, coming: tuple[Lines, ...] = ()) -> ir.Function:
    """Return `void(ptr lhs, ptr panel, ptr result, i64 number)`, which multiplies one panel.

    It adds the product to columns of the result: `result` is the first element of `width` columns.
    It and the panel are aligned to a vector. `number` is that of the panel. Of each of the `coming`
    tiles follow `ptr start, i64 stride`, and the function prefetches its share of the lines.
    """
    name = (
        f"tileir.mma.{product.operand}{product.signs}.{product.accumulator}"
        f".{product.m}x{product.n}x{product.k}"
    )
    name += "".join(f".{lines.rows}x{lines.each}" for lines in coming)
    if name in module.globals:
        return module.globals[name]
    arguments = [*[OPAQUE] * 3, INDEX, *[OPAQUE, INDEX] * len(coming)]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), arguments), name)
    function.linkage = "internal"
    for attribute in ("noinline", "nounwind"):
        function.attributes.add(attribute)
    for argument in function.args[:3]:
        argument.add_attribute("noalias")
    builder = FoldingBuilder(function.append_basic_block("entry"))
    _Emitter(builder, product, function.args, coming).run()
    builder.ret_void()
    return function


class _Emitter:
    def __init__(
        self,
        builder: FoldingBuilder,
        product: Product,
        arguments: Sequence[ir.Value],
        coming: tuple[Lines, ...],
    ) -> None:
        self._builder = builder
        self._product = product
        self._lhs, self._rhs, self._result, self._number, *starts = arguments
        self._coming = list(zip(coming, starts[::2], starts[1::2], strict=True))
        self._rows, self._vectors = product.block
        self._operand_type = _vector(product.operand, product.lanes)
        self._accumulator_type = _vector(product.accumulator, product.lanes)
        self._apart = product.operand == "f32" and product.accumulator == "i32"
        self._sum_type = self._operand_type if self._apart else self._accumulator_type
        self._align = product.lanes * product.bytes

    def run(self) -> None:
        """Loop over parts of K and blocks of the result."""
        product, builder = self._product, self._builder
        part = min(product.k, K_BLOCK)
        with (
            loop(builder, product.k // part) as number,
            loop(builder, product.m // self._rows) as block,
        ):
            self._prefetch(block)
            self._block(self._times(number, part), part, self._times(block, self._rows))

    def _prefetch(self, block: ir.Value) -> None:
        """Prefetch this block's share of the tiles to come, and the next block of the result."""
        product = self._product
        blocks = product.m // self._rows
        for lines, start, stride in self._coming:
            share = self._plus(self._times(self._number, blocks), block)
            shares = blocks * product.n // product.width
            ahead.prefetch(self._builder, lines, start, stride, share, shares)
        first = self._times(self._plus(block, ir.Constant(INDEX, 1)), self._rows * product.n)
        kind = KINDS[product.accumulator]
        with loop(self._builder, self._rows) as row:
            number = self._plus(first, self._times(row, product.n))
            for v in range(self._vectors):
                # Behind the last block is nothing, so no address is said to be inside of anything.
                column = self._plus(number, ir.Constant(INDEX, v * product.lanes))
                address = self._builder.gep(self._result, [column], source_etype=kind)
                ahead.prefetch_line(self._builder, address, level=1)

    def _offsets(self) -> list[int]:
        """Return where in the result each vector of a block starts, in elements."""
        product = self._product
        return [
            i * product.n + v * product.lanes
            for i in range(self._rows)
            for v in range(self._vectors)
        ]

    def _block(self, start: ir.Value, part: int, first_row: ir.Value) -> None:
        """Update one block by `part` steps along K."""
        product, builder = self._product, self._builder
        rhs = self._at(self._rhs, product.operand, self._times(start, product.width))
        number = self._plus(self._times(first_row, product.k), start)
        lhs = self._at(self._lhs, product.operand, number)
        result = self._at(self._result, product.accumulator, self._times(first_row, product.n))
        addresses = [self._step(result, product.accumulator, number) for number in self._offsets()]
        old = [
            builder.load(address, typ=self._accumulator_type, align=self._align)
            for address in addresses
        ]
        if product.is_flipped:
            old = self._taken_back(old, start)
        accumulators = [ir.Constant(self._sum_type, None)] * len(old) if self._apart else old
        new = self._sum(accumulators, lhs, rhs, part)
        if self._apart:
            new = [
                builder.add(total, builder.fptosi(value, self._accumulator_type))
                for total, value in zip(old, new, strict=True)
            ]
        for address, value in zip(addresses, new, strict=True):
            builder.store(value, address, align=self._align)

    def _taken_back(self, old: list[ir.Value], start: ir.Value) -> list[ir.Value]:
        """Subtract what flipped zeros in lhs add, which is stored behind the panel.

        That is for all of K, so it is done when K starts.
        """
        product, builder = self._product, self._builder
        behind = self._at(self._rhs, "i32", ir.Constant(INDEX, product.k * product.width))
        first = builder.icmp_unsigned("==", start, ir.Constant(INDEX, 0))
        none = ir.Constant(self._accumulator_type, None)
        added = []
        for v in range(self._vectors):
            address = self._step(behind, "i32", v * product.lanes)
            number = builder.load(address, typ=self._accumulator_type, align=self._align)
            added.append(builder.select(first, number, none))
        return [
            builder.sub(value, added[number % self._vectors]) for number, value in enumerate(old)
        ]

    def _sum(
        self, first: list[ir.Value], lhs: ir.Value, rhs: ir.Value, part: int
    ) -> list[ir.Value]:
        """Return the block's accumulators after `part` steps."""
        product, builder = self._product, self._builder
        before = builder.block
        with loop(builder, part) as step:
            accumulators = [builder.phi(self._sum_type) for _ in first]
            panel = self._at(rhs, product.operand, self._times(step, product.width))
            vectors = [
                builder.load(
                    self._step(panel, product.operand, v * product.lanes),
                    typ=self._operand_type,
                    align=self._align,
                )
                for v in range(self._vectors)
            ]
            column = self._at(lhs, product.operand, step)
            new = []
            for i in range(self._rows):
                splat = self._splat(self._step(column, product.operand, i * product.k))
                for v, vector in enumerate(vectors):
                    total = accumulators[i * self._vectors + v]
                    new.append(self._multiply_add(splat, vector, total))
            for phi, start, value in zip(accumulators, first, new, strict=True):
                phi.add_incoming(start, before)
                phi.add_incoming(value, builder.block)
        return new

    def _multiply_add(self, one: ir.Value, other: ir.Value, total: ir.Value) -> ir.Value:
        product = self._product
        if product.operand in dot_products.WORDS:
            return dot_products.multiply_add(
                self._builder, product.operand, product.signs, one, other, total
            )
        return _multiply_add(self._builder, one, other, total)

    def _splat(self, address: ir.Value) -> ir.Value:
        """Load a number and splat it to all lanes."""
        builder, kind = self._builder, KINDS[self._product.operand]
        number = builder.load(address, typ=kind, align=self._product.bytes)
        if self._operand_type == kind:
            return number
        lone = builder.insert_element(
            ir.Constant(self._operand_type, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
        )
        lanes = ir.VectorType(ir.IntType(32), self._product.lanes)
        return builder.shuffle_vector(lone, lone, ir.Constant(lanes, None))

    def _at(self, base: ir.Value, kind: str, number: ir.Value) -> ir.Value:
        return self._builder.gep(base, [number], inbounds=True, source_etype=KINDS[kind])

    def _step(self, base: ir.Value, kind: str, number: int) -> ir.Value:
        return self._at(base, kind, ir.Constant(INDEX, number)) if number else base

    def _times(self, index: ir.Value, factor: int) -> ir.Value:
        return self._builder.mul(index, ir.Constant(INDEX, factor), flags=("nuw", "nsw"))

    def _plus(self, one: ir.Value, other: ir.Value) -> ir.Value:
        return self._builder.add(one, other, flags=("nuw", "nsw"))


def _vector(kind: str, lanes: int) -> ir.Type:
    return KINDS[kind] if lanes == 1 else ir.VectorType(KINDS[kind], lanes)


def _multiply_add(
    builder: ir.IRBuilder, one: ir.Value, other: ir.Value, total: ir.Value
) -> ir.Value:
    """Emit one * other + total, fused where the machine has an instruction for it."""
    kind = total.type
    element, lanes = (
        (kind.element, f"v{kind.count}") if isinstance(kind, ir.VectorType) else (kind, "")
    )
    name = f"llvm.fmuladd.{lanes}{element.intrinsic_name}"
    module = builder.module
    function = module.globals.get(name) or ir.Function(
        module, ir.FunctionType(kind, [kind] * 3), name
    )
    return builder.call(function, [one, other, total])
