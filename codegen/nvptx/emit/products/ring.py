"""A ring of buffers in shared memory, which a loop fills for later iterations.

Of `stages` buffers one is read while the others are filled. Each iteration waits for the oldest
one, passes a barrier, reads the buffer, and starts to fill the one that the iteration before has
read. So one barrier an iteration ensures both: the copies of other threads have arrived, and the
buffer that is filled next is no longer read.

`Ring` knows how buffers follow each other; a `Producer` fills one and waits for it.
"""

from __future__ import annotations

from typing import Protocol

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import I32, EmitContext


class Producer(Protocol):
    """Copies the tiles of an iteration into a buffer while the threads compute."""

    def fill(self, buffer: ir.Value) -> None:
        """Start to fill the buffer at an address (i32) for the next iteration, if there is one."""

    def wait(self, in_flight: int) -> None:
        """Wait until at most so many of this thread's latest fills are incomplete."""


class Ring:
    """`stages` buffers of `size` bytes each, from the address `base` on.

    The loop carries one address: that of the buffer to be filled next.
    """

    def __init__(
        self, ctx: EmitContext, producer: Producer, base: ir.Value, size: int, stages: int
    ) -> None:
        self._ctx, self._producer = ctx, producer
        self._base, self._size, self._stages = base, size, stages
        self._next = ctx.variable(I32)

    def start(self) -> None:
        """Start to fill all buffers but one, before the first iteration."""
        builder = self._ctx.builder
        builder.store(self._base, self._next)
        self._repeat_prefetch(self._stages - 1)

    def acquire(self) -> ir.Value:
        """Wait for the buffer of the iteration that starts here, and return its address (i32)."""
        builder = self._ctx.builder
        self._producer.wait(self._stages - 2)
        self._ctx.shared.barrier("the tiles of this iteration have arrived")
        return self._after(builder.load(self._next, typ=I32))

    def prefetch(self) -> None:
        """Start to fill the buffer that the iteration before has read; once an iteration.

        After the last iteration no copy is in flight, since there was nothing left to copy.
        """
        builder = self._ctx.builder
        buffer = builder.load(self._next, typ=I32)
        self._producer.fill(buffer)
        builder.store(self._after(buffer), self._next)

    def _repeat_prefetch(self, count: int) -> None:
        """Emit a loop of prefetches, so that their code is there once."""
        if count == 1:
            return self.prefetch()
        builder = self._ctx.builder
        counter = self._ctx.variable(I32)
        builder.store(ir.Constant(I32, 0), counter)
        again, after = (builder.append_basic_block(name) for name in ("prefetch", "prefetched"))
        builder.branch(again)
        builder.position_at_end(again)
        self.prefetch()
        done = builder.add(builder.load(counter, typ=I32), ir.Constant(I32, 1))
        builder.store(done, counter)
        more = builder.icmp_unsigned("<", done, ir.Constant(I32, count))
        builder.cbranch(more, again, after)
        builder.position_at_end(after)
        return None

    def _after(self, buffer: ir.Value) -> ir.Value:
        """Return the address of the buffer behind another one in the ring."""
        builder = self._ctx.builder
        last = builder.add(self._base, ir.Constant(I32, self._size * (self._stages - 1)))
        following = builder.add(buffer, ir.Constant(I32, self._size))
        return builder.select(builder.icmp_unsigned("==", buffer, last), self._base, following)
