"""The registers of a block, which `setmaxnreg` moves from warps that need few to others.

At first every thread has as many as the kernel is compiled for: as `.maxnreg` says, or else as many
as a block of its size can have, beside as many others as `.minnctapersm` says. A warp that asks for
more waits until others have released as many.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tileir.codegen.emulator.ptx.control import DONE
from tileir.codegen.emulator.ptx.syntax import Statement

from .lanes import WARP, Batch, Lanes

FILE = 1 << 16
"""The registers of a multiprocessor."""
FEWEST, MOST, STEP = 24, 256, 8
"""What a thread may have (PTX ISA, "setmaxnreg")."""
COMPILED = 255
"""The most registers that instructions can name, so that ptxas compiles a kernel for fewer."""
GROUP = 4
"""Warps of a warpgroup."""


class Registers:
    """The registers of all warps of a batch."""

    def __init__(self, batch: Batch, most: int | None, resident: int = 1) -> None:
        """`most` is what the PTX limits a thread to, if it says so; an SM holds so many blocks."""
        self.batch = batch
        self.warps = batch.pitch // WARP
        share = min(FILE // (batch.pitch * resident), COMPILED) // STEP * STEP
        first = share if most is None else min(most, share)
        self.held = np.full(batch.count // WARP, first, np.int64)
        """For each warp, the registers of a thread."""
        self.pool = np.zeros(batch.blocks, np.int64)
        """Registers of a block that no warp has."""
        self.steps: list[list[int]] = [[] for _ in self.held]
        """The numbers that each warp has set, in order."""
        self._waiting: list[tuple[int, int]] = []
        """Warps that wait, and what they ask for."""

    def set(self, lanes: Lanes, statement: Statement, number: int, more: bool) -> None:
        """Let whole warps have `number` registers a thread; `more`: not fewer than now."""
        if number % STEP or not FEWEST <= number <= MOST:
            message = f"{number} registers: no multiple of {STEP} from {FEWEST} to {MOST}"
            raise lanes.error("registers", message, statement)
        for warp in np.unique(lanes.numbers // WARP).tolist():
            held = int(self.held[warp])
            if (number < held) if more else (number > held):
                verb = "inc" if more else "dec"
                message = f"setmaxnreg.{verb} to {number} in a warp that has {held} registers"
                raise lanes.error("registers", message, statement, lanes.numbers // WARP == warp)
            self._check_group(lanes, statement, warp, number)
            if more:
                self._waiting.append((warp, number))
                self.batch.waiting[warp * WARP : (warp + 1) * WARP] = True
            else:
                self.pool[warp // self.warps] += (held - number) * WARP
                self.held[warp] = number
        self._grant()

    def _check_group(self, lanes: Lanes, statement: Statement, warp: int, number: int) -> None:
        """EmulationError if the warps of a warpgroup do not set the same numbers."""
        self.steps[warp].append(number)
        place = len(self.steps[warp]) - 1
        for other in self._group(warp):
            set_there = self.steps[other]
            if len(set_there) > place and set_there[place] != number:
                message = f"a warp of the warpgroup sets {set_there[place]} registers, one {number}"
                raise lanes.error("registers", message, statement, lanes.numbers // WARP == warp)

    def _group(self, warp: int) -> range:
        """Return the warps of a warp's warpgroup."""
        block = warp // self.warps * self.warps
        first = block + (warp - block) // GROUP * GROUP
        return range(first, min(first + GROUP, block + self.warps))

    def _grant(self) -> None:
        """Give registers to the warps that wait, as far as there are any."""
        still = []
        for warp, number in self._waiting:
            block, wanted = warp // self.warps, (number - int(self.held[warp])) * WARP
            if self.pool[block] < wanted:
                still.append((warp, number))
                continue
            self.pool[block] -= wanted
            self.held[warp] = number
            self.batch.waiting[warp * WARP : (warp + 1) * WARP] = False
        self._waiting = still

    def end(self) -> str:
        """Return what is wrong when all threads have ended; "" if nothing is."""
        for warp, steps in enumerate(self.steps):
            others = [self.steps[each] for each in self._group(warp)]
            if any(each != steps for each in others):
                return f"only some warps of the warpgroup of warp {warp % self.warps} set registers"
        return ""

    def who_waits(self) -> Iterator[str]:
        """Yield for each warp that waits what it asks for."""
        for warp, number in self._waiting:
            if self.batch.next[warp * WARP] != DONE:
                block = warp // self.warps
                where = self.batch.coordinates(self.batch.first + block)
                yield (
                    f"warp {warp % self.warps} of block {where} for {number} registers a thread,"
                    f" while {self.pool[block]} are free"
                )
