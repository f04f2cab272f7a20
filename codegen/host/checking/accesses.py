"""Run-time checks of memory accesses against the extents that a launch knows.

The origin of each address is analysed at compile time: an access through a parameter has to stay
within the memory passed for it, or within an allocation named at the launch. An address made of a
number, or read from memory, may point into any known memory. If the extent of possible targets is
unknown, nothing is checked. An access that fails is redirected to spare memory.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.analysis.origins import Origin, Origins, addresses_of
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.chapters.variables import own_memory
from tileir.codegen.host.lowering.loops import loop
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.codegen.scalar.types import ADDRESS, OPAQUE
from tileir.ir import Op, Value
from tileir.types import Pointer

BIT = ir.IntType(1)
_SPARE = ir.ArrayType(ADDRESS, 2)


class Accesses:
    """The checks of one kernel's accesses."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._found = lowering.kernel.facts(Origins)
        self._origins: dict[int, Origin] = {}
        pointers = [
            number
            for number, value in enumerate(lowering.kernel.parameters)
            if isinstance(value.type.element, Pointer)
        ]
        self._numbers = {id(value): n for n, value in enumerate(lowering.kernel.parameters)}
        self._rows = {number: row for row, number in enumerate(pointers)}
        self._spare = lowering.slot(_SPARE)

    def checked(self, op: Op, address: ir.Value, size: int, position: Position) -> ir.Value:
        """Return the address, or that of spare memory if an access there would be wrong."""
        lowering, builder = self._lowering, self._lowering.builder
        if id(op) not in self._origins:
            self._origins[id(op)] = self._found.behind(addresses_of(op))
        origins = self._origins[id(op)]
        number = Position(builder, position.shape, position.indices).linear
        start = builder.ptrtoint(address, ADDRESS)
        allowed = self._is_allowed(origins, start, size)
        extent = [ZERO, ZERO]
        if len(origins.parameters) == 1 and not origins.any:
            extent = list(self._extent(ir.Constant(INDEX, self._rows[min(origins.parameters)])))
        with builder.if_then(builder.not_(allowed), likely=False):
            site = lowering.new_site(
                "access",
                op,
                shape=list(position.shape),
                bytes=size,
                parameters=sorted(origins.parameters),
                any=origins.any,
                claims=self._claims(op),
            )
            lowering.report(site, number, lowering.pass_on([start, *extent]))
            builder.store(ir.Constant(_SPARE, None), self._spare)
        spare = builder.ptrtoint(self._spare, ADDRESS)
        return builder.inttoptr(builder.select(allowed, start, spare), OPAQUE)

    def _claims(self, op: Op) -> list[int]:
        """Return the numbers of the parameters that say how far the view of an access reaches."""
        value = op.operands.get("view")
        while value is not None and value.owner.name != "make_tensor_view":
            value = next(iter(value.owner.operand_list()))
        if value is None:
            return []
        tensor = value.owner
        given = (*tensor.operands["dynamicShape"], *tensor.operands["dynamicStrides"])
        return sorted(
            {
                self._numbers[id(each)]
                for each in map(_unassumed, given)
                if id(each) in self._numbers
            }
        )

    def _is_allowed(self, origins: Origin, start: ir.Value, size: int) -> ir.Value:
        """Whether `size` bytes from an address on are within memory that it may point into."""
        lowering, builder = self._lowering, self._lowering.builder
        end = builder.add(start, ir.Constant(ADDRESS, size))
        allowed = ir.Constant(BIT, 0)
        for number in sorted(origins.parameters):
            low, high = self._extent(ir.Constant(INDEX, self._rows[number]))
            unknown = builder.icmp_unsigned("==", builder.or_(low, high), ZERO)
            within = builder.or_(unknown, _is_within(builder, start, end, low, high))
            allowed = builder.or_(allowed, within)
        for op in origins.fresh:
            low, own_size = own_memory(lowering, op)
            high = builder.add(low, ir.Constant(ADDRESS, own_size))
            allowed = builder.or_(allowed, _is_within(builder, start, end, low, high))
        return builder.or_(allowed, self._is_allocated(start, end))

    def _is_allocated(self, start: ir.Value, end: ir.Value) -> ir.Value:
        """Whether start .. end is within an allocation; their rows follow those of parameters."""
        lowering, builder = self._lowering, self._lowering.builder
        allocated = lowering.slot(BIT)
        builder.store(ir.Constant(BIT, 0), allocated)
        count = builder.load(lowering.context_field("count"), typ=INDEX)
        first = ir.Constant(INDEX, len(self._rows))
        with loop(builder, builder.sub(count, first)) as number:
            low, high = self._extent(builder.add(first, number))
            within = _is_within(builder, start, end, low, high)
            builder.store(builder.or_(builder.load(allocated, typ=BIT), within), allocated)
        return builder.load(allocated, typ=BIT)

    def _extent(self, row: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Load a row of the table of extents: the first address, and the one behind the last."""
        builder = self._lowering.builder
        table = builder.load(self._lowering.context_field("extents"), typ=OPAQUE)
        index = builder.mul(row, ir.Constant(INDEX, 2))
        low, high = (
            builder.load(
                builder.gep(
                    table, [builder.add(index, ir.Constant(INDEX, n))], source_etype=ADDRESS
                ),
                typ=ADDRESS,
            )
            for n in range(2)
        )
        return low, high


def _unassumed(value: Value) -> Value:
    """Return the value that assumptions are about."""
    while isinstance(value.owner, Op) and value.owner.name == "assume":
        value = value.owner.operands["value"]
    return value


def _is_within(
    builder: ir.IRBuilder, start: ir.Value, end: ir.Value, low: ir.Value, high: ir.Value
) -> ir.Value:
    """Whether start .. end lies in low .. high; an end that wrapped around does not."""
    forward = builder.icmp_unsigned("<", start, end)
    inside = builder.and_(
        builder.icmp_unsigned(">=", start, low), builder.icmp_unsigned("<=", end, high)
    )
    return builder.and_(forward, inside)
