"""The product of a matrix and a few columns of another, as one LLVM function for each size.

The function walks the result in blocks that fit the vector registers: some rows of it, some vectors
wide. For each step along K a block takes its vectors of the right factor and one number a row of
the left one, which is spread over a vector. The columns it gets are a panel as wide as a block,
[K][width], which is read in the order in which it lies and stays in the nearest cache meanwhile.
Left factor and result are row-major.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.host.lowering.loops import loop
from tileir.codegen.host.lowering.position import INDEX
from tileir.codegen.host.machine.vector_unit import VectorUnit
from tileir.codegen.scalar.types import OPAQUE

LONGEST = 256
"""Steps along K between two visits of a block of the result.

A panel of so many rows stays in the nearest cache. And so many products of two numbers of eight
bits, each at most 255 * 255, have a sum below 2**24, which f32 represents exactly.
"""

KINDS = {"f32": ir.FloatType(), "f64": ir.DoubleType(), "i32": ir.IntType(32)}
"""LLVM types of the names that a `Product` has."""


@dataclass(frozen=True, slots=True)
class Product:
    """A product of an m x k by a k x n matrix that is added to a third; extents are powers of two.

    `factor` is the type both factors have in memory ("f32" or "f64"), `total` that of the result:
    the same, or "i32" for factors in f32 that hold integers of eight bits.
    """

    factor: str
    total: str
    m: int
    n: int
    k: int

    @property
    def bytes(self) -> int:
        """Size of one element, of factors and of the result."""
        return 8 if self.factor == "f64" else 4

    @property
    def lanes(self) -> int:
        """Elements of one vector."""
        return min(self.n, VectorUnit.of_host().bits // (8 * self.bytes))

    @property
    def block(self) -> tuple[int, int]:
        """Rows and vectors of a block of the result.

        Two vectors and many rows need the fewest loads; where there is less of one, more of the
        other hides how long an addition takes.
        """
        most = VectorUnit.of_host().accumulators
        rows = min(self.m, most // min(2, self.n // self.lanes))
        return rows, min(self.n // self.lanes, most // rows)

    @property
    def width(self) -> int:
        """Columns of a block, and of a panel of the right factor."""
        return self.block[1] * self.lanes


def function_of(module: ir.Module, product: Product) -> ir.Function:
    """`void(ptr left, ptr panel, ptr result)`: adds their product to `width` columns of the result.

    `result` is the first element of those columns. It and the panel are aligned to a vector.
    """
    name = f"tileir.mma.{product.factor}.{product.total}.{product.m}x{product.n}x{product.k}"
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [OPAQUE] * 3), name)
    function.linkage = "internal"
    for attribute in ("noinline", "nounwind"):
        function.attributes.add(attribute)
    for argument in function.args:
        argument.add_attribute("noalias")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    _Emitter(builder, product, *function.args).run()
    builder.ret_void()
    return function


class _Emitter:
    def __init__(
        self,
        builder: ir.IRBuilder,
        product: Product,
        left: ir.Value,
        right: ir.Value,
        result: ir.Value,
    ) -> None:
        self._builder = builder
        self._product = product
        self._left, self._right, self._result = left, right, result
        self._rows, self._vectors = product.block
        self._factor = _vector(product.factor, product.lanes)
        self._total = _vector(product.total, product.lanes)
        self._align = product.lanes * product.bytes

    def run(self) -> None:
        """Loop over parts of K and blocks of the result."""
        product, builder = self._product, self._builder
        part = min(product.k, LONGEST)
        with (
            loop(builder, product.k // part) as number,
            loop(builder, product.m // self._rows) as block,
        ):
            self._block(self._times(number, part), part, self._times(block, self._rows))

    def _block(self, start: ir.Value, part: int, first_row: ir.Value) -> None:
        """`part` steps of one block."""
        product, builder = self._product, self._builder
        right = self._at(self._right, product.factor, self._times(start, product.width))
        number = self._plus(self._times(first_row, product.k), start)
        left = self._at(self._left, product.factor, number)
        result = self._at(self._result, product.total, self._times(first_row, product.n))
        places = [
            self._step(result, product.total, i * product.n + v * product.lanes)
            for i in range(self._rows)
            for v in range(self._vectors)
        ]
        old = [builder.load(place, typ=self._total, align=self._align) for place in places]
        apart = product.factor != product.total
        sums = [ir.Constant(self._factor, None)] * len(old) if apart else old
        new = self._sum(sums, left, right, part)
        if apart:
            new = [
                builder.add(total, builder.fptosi(value, self._total))
                for total, value in zip(old, new, strict=True)
            ]
        for place, value in zip(places, new, strict=True):
            builder.store(value, place, align=self._align)

    def _sum(
        self, first: list[ir.Value], left: ir.Value, right: ir.Value, part: int
    ) -> list[ir.Value]:
        """The block's sums after `part` steps."""
        product, builder = self._product, self._builder
        before = builder.block
        with loop(builder, part) as step:
            sums = [builder.phi(self._factor) for _ in first]
            row = self._at(right, product.factor, self._times(step, product.width))
            vectors = [
                builder.load(
                    self._step(row, product.factor, v * product.lanes),
                    typ=self._factor,
                    align=self._align,
                )
                for v in range(self._vectors)
            ]
            column = self._at(left, product.factor, step)
            new = []
            for i in range(self._rows):
                spread = self._spread(self._step(column, product.factor, i * product.k))
                for v, vector in enumerate(vectors):
                    total = sums[i * self._vectors + v]
                    new.append(_multiply_add(builder, spread, vector, total))
            for phi, start, value in zip(sums, first, new, strict=True):
                phi.add_incoming(start, before)
                phi.add_incoming(value, builder.block)
        return new

    def _spread(self, place: ir.Value) -> ir.Value:
        """The number at a place, in all lanes."""
        builder, kind = self._builder, KINDS[self._product.factor]
        number = builder.load(place, typ=kind, align=self._product.bytes)
        if self._factor == kind:
            return number
        lone = builder.insert_element(
            ir.Constant(self._factor, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
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
    """Rounded once where the machine has an instruction for that, which is faster too."""
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
