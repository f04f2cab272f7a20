"""A ring of buffers in shared memory, which a loop fills for iterations to come.

Of `stages` buffers one is read, the others are being filled. Each iteration waits for the oldest
one, has all threads meet, reads it, and starts to fill the one that the iteration before has read.
So one barrier an iteration says both: what others have copied is there, and what is filled next is
no longer read.

`Ring` knows how buffers follow each other; how one is filled and waited for is `Filling`.
"""

from __future__ import annotations

from typing import Protocol

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import I32, Context


class Filling(Protocol):
    """A way to move what belongs to an iteration into a buffer, while threads do something else."""

    def fill(self, buffer: ir.Value) -> None:
        """Start to fill the buffer at an address (i32) for the next iteration, if there is one."""

    def wait(self, under_way: int) -> None:
        """Wait until this thread's part is there but for so many of its latest fillings."""


class Ring:
    """`stages` buffers of `size` bytes each, from the address `base` on.

    What is carried through the loop is one address: that of the buffer to be filled next.
    """

    def __init__(
        self, ctx: Context, filling: Filling, base: ir.Value, size: int, stages: int
    ) -> None:
        self._ctx, self._filling = ctx, filling
        self._base, self._size, self._stages = base, size, stages
        self._next = ctx.variable(I32)

    def start(self) -> None:
        """Before the first iteration: fill all buffers but one."""
        builder = self._ctx.builder
        builder.store(self._base, self._next)
        self._repeat_prefetch(self._stages - 1)

    def turn(self) -> ir.Value:
        """At the start of an iteration: the address of its buffer, which may be read from now."""
        builder = self._ctx.builder
        self._filling.wait(self._stages - 2)
        self._ctx.shared.barrier("the tiles of this iteration have arrived")
        return self._after(builder.load(self._next, typ=I32))

    def prefetch(self) -> None:
        """Later in the same iteration, once: start to fill what the one before it has read.

        After the last iteration nothing is under way: nothing was there to be filled.
        """
        builder = self._ctx.builder
        buffer = builder.load(self._next, typ=I32)
        self._filling.fill(buffer)
        builder.store(self._after(buffer), self._next)

    def _repeat_prefetch(self, count: int) -> None:
        """A loop, so that the code is there once."""
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
        """The address of the buffer that follows another."""
        builder = self._ctx.builder
        last = builder.add(self._base, ir.Constant(I32, self._size * (self._stages - 1)))
        following = builder.add(buffer, ir.Constant(I32, self._size))
        return builder.select(builder.icmp_unsigned("==", buffer, last), self._base, following)
