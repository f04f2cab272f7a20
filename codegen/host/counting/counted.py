"""A lowering that counts: what is accessed, how often, and which of its bytes, trips, operations.

Operations are those of the ops (`analysis.flops`) times how often each is executed, which is
counted once for ops that are executed together. Elements of an access are counted where they are
accessed, so what a mask or the edge of a tensor leaves out is not. The lowering overrides the hooks
of the plain one, as that with checks does, so code that does not count has no trace of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from llvmlite import ir

from tileir.codegen.analysis.flops import flops_of
from tileir.codegen.analysis.origins import Origins, addresses_of
from tileir.codegen.host.checking.checks import CheckedLowering
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.codegen.host.planning.buffers import Storage
from tileir.codegen.host.running.context import LaunchContext
from tileir.codegen.host.running.tally import ELSEWHERE, OWN
from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of, is_atomic, is_load
from tileir.codegen.scalar.types import BYTE, OPAQUE, is_packed
from tileir.codegen.transform.eliminate_dead_ops import dead_ops
from tileir.ir import Block, Op
from tileir.types import Pointer

from .counters import Counters

_BIT = ir.IntType(1)
_LEAVING = ("break", "continue", "return")


class CountedLowering(CheckedLowering):
    """Counts, and checks what `checks` asks for. Ops whose results nothing needs do not count."""

    counts_elements = True

    def __init__(
        self, module: ir.Module, kernel: KernelIR, storage: Storage, checks: Iterable[str]
    ) -> None:
        super().__init__(module, kernel, storage, checks)
        self._counters = Counters(self)
        self._dead = {id(op) for op in dead_ops(kernel)}
        self._sources = kernel.facts(Origins)
        pointers = [
            number
            for number, value in enumerate(kernel.parameters)
            if isinstance(value.type.element, Pointer)
        ]
        self._rows = {number: row for row, number in enumerate(pointers)}
        self._extents: dict[int, tuple[ir.Value, ir.Value]] = {}
        self._segments: dict[tuple[int, int], int] = {}
        self._weighed: set[int] = set()
        self._counters_of_ops: dict[int, dict[int, int]] = {}

    @property
    def counters(self) -> Mapping[str, Any] | None:
        return self._counters.to_json()

    def leave(self, builder: ir.IRBuilder) -> None:
        self._counters.leave(builder)

    # Ops ----------------------------------------------------------------------------------------

    def lower_block(self, block: Block) -> None:
        """Lower the ops of a block, and count how often they are executed.

        Behind an op in which a loop or the kernel may be left, ops are executed less often than
        those before it.
        """
        number = 0
        segment = self._begin(block, number)
        for op in block.ops:
            if id(op) not in self._weighed:
                self._weighed.add(id(op))
                self._weigh(op, segment)
            self.lower_op(op)
            if op.regions and any(inner.name in _LEAVING for inner in op.walk()):
                number += 1
                segment = self._begin(block, number)

    def _begin(self, block: Block, number: int) -> int:
        """Count that ops from here on are executed; return the counter.

        The region of a reduction is emitted several times, and has one counter.
        """
        key = id(block), number
        if key not in self._segments:
            self._segments[key] = self._counters.new()
        self._counters.add(self._segments[key])
        return self._segments[key]

    def _weigh(self, op: Op, segment: int) -> None:
        if id(op) not in self._dead:
            self._counters.weigh(segment, flops_of(op))
        if family_of(op) is Family.LOOP:
            trips = self._segments[id(op.regions[0].block), 0] = self._counters.new()
            self._counters.for_loop(op, segment, trips)

    # Memory -------------------------------------------------------------------------------------

    def checked(self, op: Op, address: ir.Value, size: int, position: Position) -> ir.Value:
        address = super().checked(op, address, size, position)
        if id(op) not in self._dead:
            self._count(op, self.builder.ptrtoint(address, INDEX), size)
        return address

    def _count(self, op: Op, start: ir.Value, size: int) -> None:
        """Count an access to an element of `size` bytes, and mark them in the map of its array."""
        builder = self.builder
        counters = self._counters_of(op, size)
        alone = len(counters) == 1
        rest: ir.Value = ir.Constant(_BIT, 1)
        for parameter, counter in counters.items():
            if parameter < 0:
                self._counters.add(counter, builder.zext(rest, INDEX))
                continue
            low, high = self._extent(parameter)
            end = builder.add(start, ir.Constant(INDEX, size))
            inside = builder.and_(
                builder.icmp_unsigned(">=", start, low), builder.icmp_unsigned("<=", end, high)
            )
            inside = builder.and_(inside, rest)
            self._counters.add(counter, *([] if alone else [builder.zext(inside, INDEX)]))
            rest = builder.and_(rest, builder.not_(inside))
            bytes_of = self._counters.map_of(parameter, _kind(op))
            known = builder.icmp_unsigned("!=", bytes_of, ZERO)
            with builder.if_then(builder.and_(inside, known)):
                place = builder.add(bytes_of, builder.sub(start, low))
                ones = int.from_bytes(b"\1" * size, "little")
                mark = ir.Constant(ir.IntType(8 * size), ones)
                builder.store(mark, builder.inttoptr(place, OPAQUE), align=1)

    def _counters_of(self, op: Op, size: int) -> dict[int, int]:
        """Return an op's counters by the memory that its addresses may point into."""
        if id(op) not in self._counters_of_ops:
            origin = self._sources.behind(addresses_of(op))
            view = op.operands.get("view")
            packed = view is not None and is_packed(view.type.view.element)
            bits = 4 if packed else 8 * size
            places = sorted(origin.parameters)
            if origin.any or origin.fresh or not places:
                places.append(OWN if origin.fresh and not origin.any else ELSEWHERE)
            self._counters_of_ops[id(op)] = {
                place: self._counters.for_access(op, place, _kind(op), bits) for place in places
            }
        return self._counters_of_ops[id(op)]

    def _extent(self, parameter: int) -> tuple[ir.Value, ir.Value]:
        """Return the first address of an array and the one behind its last, loaded at the start."""
        if parameter not in self._extents:
            entry = self.entry
            field = ir.Constant(INDEX, LaunchContext.extents.offset)
            place = entry.gep(self.function.args[-1], [field], source_etype=BYTE)
            table = entry.load(place, typ=OPAQUE, align=8)
            low, high = (
                entry.load(
                    entry.gep(
                        table,
                        [ir.Constant(INDEX, 2 * self._rows[parameter] + n)],
                        source_etype=INDEX,
                    ),
                    typ=INDEX,
                    align=8,
                )
                for n in range(2)
            )
            self._extents[parameter] = low, high
        return self._extents[parameter]


def _kind(op: Op) -> str:
    if is_atomic(op):
        return "atomic"
    return "read" if is_load(op) else "written"
