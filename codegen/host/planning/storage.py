"""At which offsets of the workspace the kept tiles of a kernel are.

Every kept tile has a buffer: results of ops with loops of their own, inline tiles that `fusion`
keeps, and values that control flow carries. Values whose lifetimes follow each other share one: the
carried value of a `for` and its result; the value that a terminator passes on and the one that it
replaces, if no alias of that is read any more; the result of an mma and its accumulator, if that is
not read later.

A buffer is free after the last loop that reads it, so the workspace of most kernels stays in the L1
cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tileir.codegen.analysis.carried_values import carried_arguments
from tileir.codegen.host.lowering.rows import is_inline, row_of
from tileir.codegen.host.running.context import ALIGNMENT
from tileir.codegen.ops import Family, family_of
from tileir.formats.ops.control_flow import PASSING_ON
from tileir.ir import Block, Op, Value

from .buffer_moves import Move, one_by_one
from .buffer_reads import leaves, reads_of
from .buffers import Fusion, Storage
from .fusion import is_folded
from .order import Order
from .tiles import is_tile, tile_bytes


@dataclass(slots=True, eq=False)
class _Buffer:
    """A range of the workspace, in use from op number `start` up to and including `stop`.

    `values` are the tiles that it holds, one after the other.
    """

    size: int
    start: int
    stop: int
    values: list[Value] = field(default_factory=list)
    offset: int = 0


def plan_storage(order: Order, fusion: Fusion) -> Storage:
    """Plan the buffers of a kernel."""
    return _Planner(order, fusion).plan()


class _Planner:
    def __init__(self, order: Order, fusion: Fusion) -> None:
        self._order, self._fusion = order, fusion
        self._last = self._last_reads()
        self._storage = Storage(self._fusion)
        self._buffers: list[_Buffer] = []
        self._buffer_of: dict[int, _Buffer] = {}
        self._temporaries_of: dict[int, list[_Buffer]] = {}

    def plan(self) -> Storage:
        for op in self._order.ops:
            self._add_carried(op)
            self._add_results(op)
            if not is_inline(op) and (temporaries := row_of(op).temporaries):
                for size in temporaries(op):
                    self._temporary(op, size)
        for op in self._order.ops:
            if op.name in PASSING_ON:
                self._moves(op)
        self._assign_offsets()
        storage = self._storage
        storage.offsets = {value: buffer.offset for value, buffer in self._buffer_of.items()}
        storage.temporaries = {
            op: [buffer.offset for buffer in buffers]
            for op, buffers in self._temporaries_of.items()
        }
        return storage

    def _last_reads(self) -> dict[int, int]:
        """Map the id of a tile to the number of the last op that reads it, also through inline ops.

        A reduction reads its operands between runs of its body, so up to its last op.
        """
        last: dict[int, int] = {}
        for index in range(len(self._order.ops) - 1, -1, -1):
            op = self._order.ops[index]
            reaches = self._order.last[id(op)] if family_of(op) is Family.FOLD else index
            if is_folded(op, self._fusion) and is_tile(op.result):
                reaches = last.get(id(op.result), index)
            for value in op.operand_list():
                last[id(value)] = max(last.get(id(value), -1), reaches)
        return last

    def _last_use(self, value: Value, at_least: int) -> int:
        """Return the number of the last op that needs a value, at least `at_least`."""
        last = self._last.get(id(value), -1)
        return max(at_least, self._order.reach(value, last) if last >= 0 else -1)

    def _add_buffer(self, values: list[Value], start: int, stop: int) -> _Buffer:
        buffer = _Buffer(tile_bytes(values[0]), start, stop, values)
        self._buffers.append(buffer)
        for value in values:
            self._buffer_of[id(value)] = buffer
        return buffer

    def _temporary(self, op: Op, size: int) -> int:
        start, stop = self._order.index[id(op)], self._order.last[id(op)]
        if not is_inline(op) and row_of(op).lasting:
            start, stop = 0, len(self._order.ops)
        buffer = _Buffer(size, start, stop)
        self._buffers.append(buffer)
        self._temporaries_of.setdefault(id(op), []).append(buffer)
        return len(self._temporaries_of[id(op)]) - 1

    def _add_carried(self, op: Op) -> None:
        """Make buffers for the values that an op with regions carries, and for its results."""
        if family_of(op) not in _CONTROL:
            return
        index, end = self._order.index[id(op)], self._order.last[id(op)]
        arguments = carried_arguments(op) if family_of(op) is Family.LOOP else ()
        if op.name == "for":
            for number, (argument, result) in enumerate(zip(arguments, op.results, strict=True)):
                if is_tile(argument) and not self._goes_on_in_buffer(op, number, argument):
                    self._add_buffer([argument, result], index, self._last_use(result, end))
            return
        for argument in filter(is_tile, arguments):
            self._add_buffer([argument], index, end)
        for result in filter(is_tile, op.results):
            self._add_buffer([result], index, self._last_use(result, end))

    def _goes_on_in_buffer(self, op: Op, number: int, argument: Value) -> bool:
        """Let what a loop carries stay in the buffer that its result is passed on to, if possible.

        That is what an outer loop carries, which the inner one goes on with.
        """
        result, inits = op.results[number], op.operands["initValues"]
        target, index = self._passed_on_to(op, result), self._order.index[id(op)]
        if target is None:
            return False
        reads = [leaves(init, self._fusion) for init in inits]
        mine = reads.pop(number)
        for value in target.values:
            last = -1 if self._encloses(value.owner, op) else self._last_use(value, -1)
            if last > index or any(id(value) in each for each in reads):
                return False
            if last == index and not mine.get(id(value), False):
                return False
        target.stop = self._last_use(result, target.stop)
        for value in (argument, result):
            target.values.append(value)
            self._buffer_of[id(value)] = target
        return True

    def _add_results(self, op: Op) -> None:
        """Make buffers for the tiles that an op's own loop computes, and for its deferred loads."""
        index = self._order.index[id(op)]
        for load in self._fusion.deferred_to.get(id(op), ()):
            self._add_buffer([load.results[0]], index, self._last_use(load.results[0], index))
        deferred = id(op) in self._fusion.deferred_loads
        if deferred or is_folded(op, self._fusion) or family_of(op) in _CONTROL:
            return
        for result in op.results:
            if is_tile(result) and not self._reuses_buffer(op, result):
                self._add_buffer([result], index, self._last_use(result, self._order.last[id(op)]))

    def _reuses_buffer(self, op: Op, result: Value) -> bool:
        """Let a result reuse an existing buffer if possible; return whether it does."""
        target = self._receiving_buffer(op, result)
        if target is None and not is_inline(op) and (slot := row_of(op).onto):
            target = self._operand_buffer(op, op.operands[slot], result)
        if target is None:
            return False
        target.stop = self._last_use(result, target.stop)
        target.values.append(result)
        self._buffer_of[id(result)] = target
        return True

    def _receiving_buffer(self, op: Op, result: Value) -> _Buffer | None:
        """Return the buffer that the block's terminator passes the result on to, if it is free."""
        target = self._passed_on_to(op, result)
        return target if target and self._is_writable(target, op) else None

    def _passed_on_to(self, op: Op, result: Value) -> _Buffer | None:
        """Return the buffer that the block's terminator passes a result on to, if it does."""
        end = self._order.block[id(op)].ops[-1]
        passed_on = [id(value) for value in end.operand_list()]
        if end.name not in PASSING_ON or id(result) not in passed_on:
            return None
        receiver = self._receiver(end)
        if receiver is None:
            return None
        return self._buffer_of[id(_targets(end, receiver)[passed_on.index(id(result))])]

    def _is_writable(self, buffer: _Buffer, op: Op) -> bool:
        """Whether an op may write to a buffer because its contents are no longer needed.

        The op itself may read it, element by element. The results of ops around it do not count:
        they are read after these, and are what the op writes.
        """
        index, reads = self._order.index[id(op)], reads_of(op, self._fusion)
        for value in buffer.values:
            last = -1 if self._encloses(value.owner, op) else self._last_use(value, -1)
            if last > index or (last == index and not reads.get(id(value), False)):
                return False
        return True

    def _encloses(self, owner: Op | Block, op: Op) -> bool:
        """Whether an op is in a region of the owner of a value."""
        if not isinstance(owner, Op):
            return False
        return (
            self._order.index[id(owner)] < self._order.index[id(op)] <= self._order.last[id(owner)]
        )

    def _receiver(self, end: Op) -> Op | None:
        """Return the op that receives what a terminator passes on; None for a reduction."""
        wanted = {"continue": ("for", "loop"), "break": ("loop",), "yield": ("if",)}[end.name]
        block: object = self._order.block[id(end)]
        while (owner := self._order.owner(block)) is not None:
            if owner.name in wanted:
                return owner
            if end.name == "yield":
                return None
            block = self._order.block[id(owner)]
        return None

    def _operand_buffer(self, op: Op, operand: Value, result: Value) -> _Buffer | None:
        """Return the buffer of an operand if the operand is not needed after the op."""
        while isinstance(operand.owner, Op) and operand.owner.name == "assume":
            operand = operand.owner.operands["value"]
        buffer = self._buffer_of.get(id(operand))
        index = self._order.index[id(op)]
        if buffer is None or buffer.stop != index or buffer.size != tile_bytes(result):
            return None
        return buffer if reads_of(op, self._fusion).get(id(operand), False) else None

    def _moves(self, op: Op) -> None:
        """Order the moves of a terminator so that no buffer is overwritten before its last read."""
        receiver = self._receiver(op)
        if receiver is None:
            return
        pending = [
            (value, target)
            for value, target in zip(op.operand_list(), _targets(op, receiver), strict=True)
            if is_tile(value) and self._buffer_of.get(id(value)) is not self._buffer_of[id(target)]
        ]
        reads = {id(target): self._buffers_read(value) for value, target in pending}
        self._storage.moves[id(op)] = [
            Move(value, target, self._temporary(op, tile_bytes(value)) if staged else None)
            for value, target, staged in one_by_one(
                pending, reads, lambda v: id(self._buffer_of[id(v)])
            )
        ]

    def _buffers_read(self, value: Value) -> dict[int, bool]:
        """Map the buffers that a tile is computed from to whether only the same index is read."""
        aligned_reads: dict[int, bool] = {}
        for leaf, aligned in leaves(value, self._fusion).items():
            buffer = id(self._buffer_of[leaf])
            aligned_reads[buffer] = aligned_reads.get(buffer, True) and aligned
        return aligned_reads

    def _assign_offsets(self) -> None:
        """Assign offsets: first fit, in program order."""
        live: list[_Buffer] = []
        for buffer in sorted(self._buffers, key=lambda buffer: buffer.start):
            live = [other for other in live if other.stop >= buffer.start]
            size = -(-buffer.size // ALIGNMENT) * ALIGNMENT
            buffer.size = size
            for other in live:
                if buffer.offset + size <= other.offset:
                    break
                buffer.offset = max(buffer.offset, other.offset + other.size)
            self._storage.size = max(self._storage.size, buffer.offset + size)
            live.append(buffer)
            live.sort(key=lambda buffer: buffer.offset)


_CONTROL = {Family.BRANCH, Family.LOOP}


def _targets(end: Op, receiver: Op) -> Sequence[Value]:
    """Return what the operands of a terminator become."""
    return carried_arguments(receiver) if end.name == "continue" else receiver.results
