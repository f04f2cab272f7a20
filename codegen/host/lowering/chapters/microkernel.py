"""The GEMM microkernel: lhs times a panel of columns of rhs, one LLVM function for each size.

The function computes the result in register blocks: some rows, some vectors wide. For each step
along K it loads a block's vectors of rhs and, for each row, one element of lhs, which is splat to a
vector. The panel of rhs is as wide as a block, stored as [K][width], read sequentially, and stays
in the L1 cache. lhs and the result are row-major.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.host.lowering.loops import loop
from tileir.codegen.host.lowering.position import INDEX
from tileir.codegen.host.machine.vector_unit import VectorUnit
from tileir.codegen.llvm.folding_builder import FoldingBuilder
from tileir.codegen.scalar.types import OPAQUE

K_BLOCK = 256
"""Steps along K between two updates of a block of the result.

A panel of so many rows stays in the L1 cache. And the sum of so many products of 8-bit integers,
each at most 255 * 255, is below 2**24, so f32 represents it exactly.
"""

KINDS = {"f32": ir.FloatType(), "f64": ir.DoubleType(), "i32": ir.IntType(32)}
"""Type names of a `Product` -> LLVM types."""


@dataclass(frozen=True, slots=True)
class Product:
    """A product of an m x k by a k x n matrix, added to a third; extents are powers of two.

    `operand` is the type of lhs and rhs in memory ("f32" or "f64"), `accumulator` that of the
    result: the same, or "i32" for f32 operands that hold 8-bit integers.
    """

    operand: str
    accumulator: str
    m: int
    n: int
    k: int

    @property
    def bytes(self) -> int:
        """Bytes of one element, of operands and of the result."""
        return 8 if self.operand == "f64" else 4

    @property
    def lanes(self) -> int:
        """Elements of one vector."""
        return min(self.n, VectorUnit.of_host().bits // (8 * self.bytes))

    @property
    def block(self) -> tuple[int, int]:
        """Rows and vectors of a block of the result.

        Two vectors and many rows need the fewest loads; if there are fewer of one, more of the
        other hide the latency of an addition.
        """
        most = VectorUnit.of_host().accumulators
        rows = min(self.m, most // min(2, self.n // self.lanes))
        return rows, min(self.n // self.lanes, most // rows)

    @property
    def width(self) -> int:
        """Columns of a block, and of a panel of rhs."""
        return self.block[1] * self.lanes


def function_of(module: ir.Module, product: Product) -> ir.Function:
    """Return `void(ptr lhs, ptr panel, ptr result)`, which adds a product to columns of the result.

    `result` is the first element of `width` columns. It and the panel are aligned to a vector.
    """
    name = f"tileir.mma.{product.operand}.{product.accumulator}.{product.m}x{product.n}x{product.k}"
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [OPAQUE] * 3), name)
    function.linkage = "internal"
    for attribute in ("noinline", "nounwind"):
        function.attributes.add(attribute)
    for argument in function.args:
        argument.add_attribute("noalias")
    builder = FoldingBuilder(function.append_basic_block("entry"))
    _Emitter(builder, product, *function.args).run()
    builder.ret_void()
    return function


class _Emitter:
    def __init__(
        self,
        builder: FoldingBuilder,
        product: Product,
        lhs: ir.Value,
        rhs: ir.Value,
        result: ir.Value,
    ) -> None:
        self._builder = builder
        self._product = product
        self._lhs, self._rhs, self._result = lhs, rhs, result
        self._rows, self._vectors = product.block
        self._operand_type = _vector(product.operand, product.lanes)
        self._accumulator_type = _vector(product.accumulator, product.lanes)
        self._align = product.lanes * product.bytes

    def run(self) -> None:
        """Loop over parts of K and blocks of the result."""
        product, builder = self._product, self._builder
        part = min(product.k, K_BLOCK)
        with (
            loop(builder, product.k // part) as number,
            loop(builder, product.m // self._rows) as block,
        ):
            self._block(self._times(number, part), part, self._times(block, self._rows))

    def _block(self, start: ir.Value, part: int, first_row: ir.Value) -> None:
        """Update one block by `part` steps along K."""
        product, builder = self._product, self._builder
        rhs = self._at(self._rhs, product.operand, self._times(start, product.width))
        number = self._plus(self._times(first_row, product.k), start)
        lhs = self._at(self._lhs, product.operand, number)
        result = self._at(self._result, product.accumulator, self._times(first_row, product.n))
        addresses = [
            self._step(result, product.accumulator, i * product.n + v * product.lanes)
            for i in range(self._rows)
            for v in range(self._vectors)
        ]
        old = [
            builder.load(address, typ=self._accumulator_type, align=self._align)
            for address in addresses
        ]
        apart = product.operand != product.accumulator
        accumulators = [ir.Constant(self._operand_type, None)] * len(old) if apart else old
        new = self._sum(accumulators, lhs, rhs, part)
        if apart:
            new = [
                builder.add(total, builder.fptosi(value, self._accumulator_type))
                for total, value in zip(old, new, strict=True)
            ]
        for address, value in zip(addresses, new, strict=True):
            builder.store(value, address, align=self._align)

    def _sum(
        self, first: list[ir.Value], lhs: ir.Value, rhs: ir.Value, part: int
    ) -> list[ir.Value]:
        """Return the block's accumulators after `part` steps."""
        product, builder = self._product, self._builder
        before = builder.block
        with loop(builder, part) as step:
            accumulators = [builder.phi(self._operand_type) for _ in first]
            row = self._at(rhs, product.operand, self._times(step, product.width))
            vectors = [
                builder.load(
                    self._step(row, product.operand, v * product.lanes),
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
                    new.append(_multiply_add(builder, splat, vector, total))
            for phi, start, value in zip(accumulators, first, new, strict=True):
                phi.add_incoming(start, before)
                phi.add_incoming(value, builder.block)
        return new

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
