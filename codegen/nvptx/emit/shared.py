"""Shared memory that ops use while they run, and the barriers between one use and the next.

A use is: every thread writes, all meet, every thread reads. The place of the next use is chosen
among what no thread may still be reading, so that one barrier a use is enough; when such places
would take too much memory, another barrier frees everything. Where control flow meets, all places
count as being read.

The first bytes are kept for what lives longer: variables of the block, and tiles that are staged
for products (see `staged`). Those are written at one place and read at others, any number of times;
a barrier goes where a read follows a write by other threads, or a write a read.

The memory is dynamic: its size is part of the launch plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from llvmlite import ir

from tileir.codegen.nvptx.machine.spaces import SHARED

NAME = "tileir$shared"
ALIGNMENT = 16
ROOM = 16 << 10
"""Bytes up to which places are kept apart to save barriers."""

SCRATCH = 34 << 10
"""The most bytes that ops use at a time, besides what is kept for the whole kernel: a piece of a
tile that moves between threads, pieces of the factors of a product, and what reductions need."""

_BARRIER = "llvm.nvvm.barrier.cta.sync.aligned.all"
_WORD = ir.IntType(32)
_OWN = re.compile(r"(@\S+ )?((ld|st)\.shared|ldmatrix)\b")
"""Instructions that access this memory or none."""


EXCHANGED = "threads read what others have written"
ORDERED = "tokens order it after accesses of other threads"
IN_USE = "what lies there may still be read"
STAGED = "all threads stage what is read"
LAST = "nobody waits for threads that end"
"""Why threads meet, or do not."""


def _unremarked(what: str, why: str) -> None:
    """Nobody wants to know."""


class SharedMemory:
    """The shared memory of one kernel. `size` is what it needs so far, in bytes.

    The first `kept` bytes have fixed places. `remark` is told of every barrier that is emitted, and
    why.
    """

    def __init__(self, builder: ir.IRBuilder, kept: int = 0, alignment: int = ALIGNMENT) -> None:
        self.size, self._kept = kept, -(-kept // ALIGNMENT) * ALIGNMENT
        self._alignment = alignment
        self._builder = builder
        self._written: list[tuple[int, int]] = []
        self._read: list[tuple[int, int]] = []
        self._unknown = False
        self._filled: list[tuple[int, int]] = []
        self._used: list[tuple[int, int]] = []
        self._held: list[int] = []
        self.remark: Callable[[str, str], None] = _unremarked

    @property
    def kept(self) -> int:
        """Bytes that are not to be had."""
        return self._kept

    def fixed(self, place: int) -> ir.Value:
        """The address (i32) of a place among the bytes that are kept for the whole kernel."""
        return ir.Constant(_WORD, place).add(self._base()) if place else self._base()

    def reserve(self, size: int) -> ir.Value:
        """The address (i32) of `size` bytes, aligned to 16, that all threads may write now.

        They may be read after the next `barrier`, until something else is reserved.
        """
        place = self._place(size)
        if self._unknown or (place > self._kept and place - self._kept + size > ROOM):
            self.barrier(IN_USE)
            place = self._place(size)
        self._written.append((place, place + size))
        self.size = max(self.size, place + size)
        return self.fixed(place)

    def hold(self, size: int) -> ir.Value:
        """The address (i32) of `size` bytes, aligned to 16, that nothing else gets until `release`.

        All threads may write them now. What is held last is released first.
        """
        if self._unknown or self._read or self._written:
            self.barrier(IN_USE)
            self._read = []
        self._held.append(self._kept)
        place = self._kept
        self._kept = -(-(place + size) // ALIGNMENT) * ALIGNMENT
        self.size = max(self.size, place + size)
        return self.fixed(place)

    def release(self) -> None:
        """What was held last may be used again, after the next barrier."""
        self._kept = self._held.pop()
        self.forget()

    def barrier(self, why: str = EXCHANGED) -> None:
        """All threads of the block meet, and see what the others wrote."""
        function = self._function()
        if not _at_barrier(self._builder.block, function):
            self.remark("barrier", why)
            self._builder.call(function, [ir.Constant(_WORD, 0)])
        self._read, self._written, self._unknown = self._written, [], False
        self._filled, self._used = [], []

    def ensure_barrier(self, why: str = ORDERED) -> None:
        """All threads have met since one of them accessed memory other than the kernel's own."""
        if not _at_barrier(self._builder.block, self._function(), _OWN):
            self.barrier(why)

    def end(self) -> None:
        """The kernel ends here: nobody needs to wait for others that end too."""
        last = self._builder.block.instructions[-1:]
        if last and isinstance(last[0], ir.CallInstr) and last[0].callee is self._function():
            self._builder.remove(last[0])
            self.remark("no barrier", LAST)

    def _function(self) -> ir.Function:
        module = self._builder.module
        kind = ir.FunctionType(ir.VoidType(), [_WORD])
        return module.globals.get(_BARRIER) or ir.Function(module, kind, _BARRIER)

    def before_fill(self, low: int, high: int) -> None:
        """Every thread may write these bytes of those that are kept, once all have met if need be.

        They may be read after the next `before_use`.
        """
        if self._unknown or _overlap(self._used + self._filled, low, high):
            self.barrier(IN_USE)
        self._filled.append((low, high))

    def before_use(self, low: int, high: int) -> None:
        """Every thread may read what all have written to these bytes, once all have met."""
        if self._unknown or _overlap(self._filled, low, high):
            self.barrier(STAGED)
        self._used.append((low, high))

    def forget(self) -> None:
        """Control flow meets here: anything may be in use."""
        self._unknown = True

    def _place(self, size: int) -> int:
        """The lowest place that does not overlap what is in use."""
        place = self._kept
        for low, high in sorted(self._read + self._written):
            if place + size > low and place < high:
                place = -(-high // ALIGNMENT) * ALIGNMENT
        return place

    def _base(self) -> ir.Constant:
        module = self._builder.module
        memory = module.globals.get(NAME)
        if memory is None:
            memory = ir.GlobalVariable(module, ir.ArrayType(ir.IntType(8), 0), NAME, SHARED)
            memory.linkage = "external"
            memory.align = ALIGNMENT
        memory.align = max(memory.align, self._alignment)
        return memory.ptrtoint(_WORD)


def _at_barrier(
    block: ir.Block, barrier: ir.Function, passing: re.Pattern[str] | None = None
) -> bool:
    """Whether threads have met in this block, and done nothing since that others see.

    But for the instructions of `passing`.
    """
    for instruction in reversed(block.instructions):
        if not isinstance(instruction, ir.CallInstr):
            if instruction.opname in ("load", "store"):
                return False
            continue
        callee = instruction.callee
        if not isinstance(callee, ir.InlineAsm):
            return callee is barrier
        if callee.side_effect and not (passing and passing.match(callee.asm)):
            return False
    return False


def _overlap(places: list[tuple[int, int]], low: int, high: int) -> bool:
    return any(low < end and start < high for start, end in places)
