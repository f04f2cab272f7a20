"""Scratch allocations in shared memory, and the barriers between one use and the next.

A use is: every thread stores, a barrier, every thread loads. The next use gets bytes that no thread
may still be reading, so that one barrier a use is enough; when that would take too much memory,
another barrier frees all bytes. Where control flow joins, all bytes count as being read.

The first bytes are kept for what lives longer: variables of the block, and tiles that are staged
for matrix products (see `staged`). They are stored and loaded at different points of the code, any
number of times; a barrier goes where a load follows a store by other threads, or a store a load.

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
"""Bytes up to which successive uses get different bytes, to save barriers."""

SCRATCH = 34 << 10
"""The most bytes of scratch memory at a time, besides those kept for the whole kernel: for a piece
of a tile that is converted, pieces of the operands of a product, and reductions."""

_BARRIER = "llvm.nvvm.barrier.cta.sync.aligned.all"
_WORD = ir.IntType(32)
_OWN = re.compile(r"(@\S+ )?((ld|st)\.shared(?!::cluster)|ldmatrix)\b")
"""Instructions that access the block's own shared memory only."""


EXCHANGED = "threads read what others have written"
ORDERED = "tokens order it after accesses of other threads"
IN_USE = "the bytes to be written may still be read"
STAGED = "the staged tile was written by all threads"
LAST = "the kernel ends there"
"""The reasons in remarks for a barrier, or for leaving one out."""


def _unremarked(what: str, why: str) -> None:
    """Drop a remark."""


class SharedMemory:
    """The shared memory of one kernel. `size` is the bytes that it needs so far.

    The first `kept` bytes have been allocated before. `remark` is called for every barrier that is
    emitted, with the reason.
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
        """Bytes at the start that are not available as scratch memory."""
        return self._kept

    def fixed(self, offset: int) -> ir.Value:
        """Return the address (i32) of the byte at an offset from the start."""
        return ir.Constant(_WORD, offset).add(self._base()) if offset else self._base()

    def reserve(self, size: int) -> ir.Value:
        """Return the address (i32) of `size` bytes, aligned to 16, which all threads may write.

        They may be read after the next `barrier`, until other bytes are reserved.
        """
        offset = self._lowest_free(size)
        if self._unknown or (offset > self._kept and offset - self._kept + size > ROOM):
            self.barrier(IN_USE)
            offset = self._lowest_free(size)
        self._written.append((offset, offset + size))
        self.size = max(self.size, offset + size)
        return self.fixed(offset)

    def hold(self, size: int) -> ir.Value:
        """Return the address (i32) of `size` bytes, aligned to 16, allocated until `release`.

        All threads may write them now. The bytes held last are released first.
        """
        if self._unknown or self._read or self._written:
            self.barrier(IN_USE)
            self._read = []
        self._held.append(self._kept)
        offset = self._kept
        self._kept = -(-(offset + size) // ALIGNMENT) * ALIGNMENT
        self.size = max(self.size, offset + size)
        return self.fixed(offset)

    def release(self) -> None:
        """Free the bytes that were held last, from the next barrier on."""
        self._kept = self._held.pop()
        self.forget()

    def barrier(self, why: str = EXCHANGED) -> None:
        """Emit a barrier of the block, unless the builder stands right behind one."""
        function = self._function()
        if not _at_barrier(self._builder.block, function):
            self.remark("barrier", why)
            self._builder.call(function, [ir.Constant(_WORD, 0)])
        self._read, self._written, self._unknown = self._written, [], False
        self._filled, self._used = [], []

    def ensure_barrier(self, why: str = ORDERED) -> None:
        """Emit a barrier, unless there is one since the last access to other memory."""
        if not _at_barrier(self._builder.block, self._function(), _OWN):
            self.barrier(why)

    def end(self) -> None:
        """Remove a barrier right before the end of the kernel, which orders nothing."""
        last = self._builder.block.instructions[-1:]
        if last and isinstance(last[0], ir.CallInstr) and last[0].callee is self._function():
            self._builder.remove(last[0])
            self.remark("no barrier", LAST)

    def _function(self) -> ir.Function:
        module = self._builder.module
        kind = ir.FunctionType(ir.VoidType(), [_WORD])
        return module.globals.get(_BARRIER) or ir.Function(module, kind, _BARRIER)

    def before_fill(self, low: int, high: int) -> None:
        """Prepare for all threads to write these bytes of the kept ones: a barrier if needed.

        They may be read after the next `before_use`.
        """
        if self._unknown or _overlap(self._used + self._filled, low, high):
            self.barrier(IN_USE)
        self._filled.append((low, high))

    def before_use(self, low: int, high: int) -> None:
        """Prepare for all threads to read these bytes of the kept ones: a barrier if needed."""
        if self._unknown or _overlap(self._filled, low, high):
            self.barrier(STAGED)
        self._used.append((low, high))

    def forget(self) -> None:
        """Control flow joins here: from now on all bytes count as being read."""
        self._unknown = True

    def _lowest_free(self, size: int) -> int:
        """Return the lowest offset of so many bytes that are not in use."""
        offset = self._kept
        for low, high in sorted(self._read + self._written):
            if offset + size > low and offset < high:
                offset = -(-high // ALIGNMENT) * ALIGNMENT
        return offset

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
    """Whether an LLVM block ends with a barrier, with no side effects since.

    Instructions that match `passing` do not count as side effects.
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


def _overlap(ranges: list[tuple[int, int]], low: int, high: int) -> bool:
    return any(low < end and start < high for start, end in ranges)
