"""Products of warpgroups (`wgmma`) that are under way, and the registers that they access.

A product may read its factors and write its sums at any time between the instruction and the wait
for its group. So until the wait no thread may access the registers of its sums or of its first
factor, and nobody may write its factors in shared memory, which it reads at both ends (see
`proxies.AsyncRead`). Its result is the same at both ends, then, and is computed at once.

`wgmma.fence` orders earlier accesses to a register before those of later products. Only products of
one shape need none between them for sums that they share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.lanes import Batch, Lanes

from .proxies import AsyncProxy, AsyncRead

BUSY = "a register with the {} of a product that nothing has waited for"
TOUCHED, FENCED = 0, 1
"""How a lane accessed a register last; or the shape of the product whose sum it was."""


@dataclass(slots=True)
class Product:
    """One instruction, for the lanes that have not waited for it yet.

    `numbers` are these lanes, `group` the number of the group that it belongs to in each of them.
    """

    numbers: np.ndarray
    group: np.ndarray
    read: AsyncRead
    sums: list[int]
    factor: list[int]
    """Rows of the registers of the sums, and of those of the first factor."""

    def part(self, chosen: np.ndarray) -> Product:
        """Return the product for some of its lanes only."""
        read = self.read.part(chosen)
        return Product(self.numbers[chosen], self.group[chosen], read, self.sums, self.factor)


class Products:
    """The products under way in a batch, in the order of their instructions."""

    def __init__(self, batch: Batch, proxy: AsyncProxy) -> None:
        self.batch, self.proxy = batch, proxy
        self.closed = np.zeros(batch.count, np.int64)
        """How many groups each thread has committed."""
        self.pending: list[Product] = []
        self.rows = batch.scope.watched
        shape = len(self.rows), batch.count
        self.last = np.full(shape, TOUCHED, np.int32)
        """By register and lane, its last access."""
        self.summing = np.zeros(shape, np.int32)
        self.reading = np.zeros(shape, np.int32)
        """By register and lane, how many products under way write or read it."""

    def touch(self, lanes: Lanes, statement: Statement, register: int) -> None:
        """Note an access by another instruction than a product."""
        row, numbers = self.rows[register], lanes.numbers
        for counts, role in ((self.summing, "sum"), (self.reading, "factor")):
            busy = counts[row][numbers] > 0
            if np.count_nonzero(busy):
                raise lanes.error("poison", BUSY.format(role), statement, busy)
        self.last[row][numbers] = TOUCHED

    def fence(self, lanes: Lanes) -> None:
        """Order all earlier accesses of the lanes to registers before those of later products."""
        self.last[:, lanes.numbers] = FENCED

    def start(
        self,
        lanes: Lanes,
        statement: Statement,
        shape: int,
        registers: tuple[tuple[int, ...], tuple[int, ...]],
        address: np.ndarray,
    ) -> np.ndarray:
        """Start a product of a shape, with registers for its sums and its first factor.

        Each lane reads pieces of factors: addresses of shape (lanes, pieces). Returns those that
        are there now: (lanes, pieces, words).
        """
        sums, factor = ([self.rows[register] for register in each] for each in registers)
        self._check(lanes, statement, sums, (FENCED, shape), self.reading, "factor")
        self._check(lanes, statement, factor, (FENCED,), self.summing, "sum")
        read, words = self.proxy.start_read(lanes, statement, address)
        numbers = lanes.numbers
        self.last[_at(sums, numbers)] = shape
        self.pending.append(Product(numbers, self.closed[numbers], read, sums, factor))
        self._count(self.pending[-1], 1)
        return words

    def _check(
        self,
        lanes: Lanes,
        statement: Statement,
        rows: list[int],
        allowed: tuple[int, ...],
        other: np.ndarray,
        role: str,
    ) -> None:
        """EmulationError unless a product may access registers after what accessed them last.

        `other` counts accesses under way in another role, after which it may not.
        """
        held = _at(rows, lanes.numbers)
        busy = (other[held] > 0).any(axis=0)
        if busy.any():
            raise lanes.error("poison", BUSY.format(role), statement, busy)
        unordered = ~np.isin(self.last[held], allowed).all(axis=0)
        if unordered.any():
            message = "a register is accessed, then by this product, without wgmma.fence between"
            raise lanes.error("fence", message, statement, unordered)

    def commit(self, lanes: Lanes) -> None:
        """Close a group: the products that the lanes have started since their last commit."""
        self.closed[lanes.numbers] += 1

    def wait(self, lanes: Lanes, statement: Statement, newest: int) -> None:
        """Finish all but the `newest` groups of the lanes, and no product that is in no group."""
        limit = np.full(self.batch.count, -1, np.int64)
        limit[lanes.numbers] = self.closed[lanes.numbers] - newest
        pending = []
        for product in self.pending:
            done = product.group < limit[product.numbers]
            if done.any():
                self._finish(product.part(done), statement)
            if not done.all():
                pending.append(product.part(~done))
        self.pending = pending

    def _finish(self, product: Product, statement: Statement) -> None:
        self.proxy.finish_read(product.read, statement)
        self._count(product, -1)

    def _count(self, product: Product, step: int) -> None:
        for rows, counts in ((product.sums, self.summing), (product.factor, self.reading)):
            counts[_at(rows, product.numbers)] += step


def _at(rows: list[int], numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of all these rows, for all these lanes."""
    return np.array(rows, np.int64)[:, None], numbers[None, :]
