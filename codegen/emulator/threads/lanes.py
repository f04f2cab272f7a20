"""The threads of some blocks side by side, and those of them that are active."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.ptx.scope import Scope
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.types import storage
from tileir.errors import EmulationError

from .access import Access
from .clocks import Clocks

WARP = 32


class Space(Protocol):
    """Memory as instructions access it: with an address for each active lane."""

    def rows(self, word: int, count: int) -> np.ndarray:
        """All bytes as rows of `count` words."""
        ...

    def reach(
        self, active: Lanes, statement: Statement, address: Any, access: Access, value: Any = None
    ) -> Any:
        """Offsets of an access that is about to happen, after all checks."""
        ...

    def order(self, active: Lanes, offset: Any, access: Access, wrote: Any = None) -> None:
        """What an access orders, after it has happened."""
        ...

    def load(
        self, lanes: Lanes, statement: Statement, mask: Any, address: Any, access: Access
    ) -> tuple[Any, ...]:
        """Words for each active lane; zero where the mask is false."""
        ...

    def store(
        self, lanes: Lanes, statement: Statement, mask: Any, address: Any, words: tuple[Any, ...],
        access: Access,
    ) -> None:  # fmt: skip
        """Write words."""
        ...


class Batch(Protocol):
    """The blocks that run together, as far as their lanes need to know them.

    Arrays are over all lanes. Registers are by number; of what is defined, None is everywhere.
    """

    count: int
    blocks: int
    first: int
    """The number in the grid of the first block."""
    pitch: int
    """Lanes of a block, in whole warps."""
    shape: tuple[int, int, int]
    """The extents of a block."""
    grid: tuple[int, int, int]
    """The extents of the grid, in blocks."""
    cluster: tuple[int, int, int]
    shared_bytes: int
    schedule: str
    scope: Scope
    kinds: Any
    registers: dict[int, Any]
    defined: dict[int, Any]
    block_of: np.ndarray
    thread_of: np.ndarray
    next: np.ndarray
    waiting: np.ndarray
    clocks: Clocks

    @property
    def spaces(self) -> Mapping[str, Space]:
        """Memory by the name of its state space."""
        ...

    def place(self, numbers: np.ndarray) -> tuple[tuple[int, int, int], tuple[int, ...]]:
        """The block of the first of these lanes, and those of the lanes that are in it."""
        ...

    def coordinates(self, number: int) -> tuple[int, int, int]:
        """The place in the grid of a block."""
        ...

    def special(self, name: str) -> Any:
        """The value of a special register, over all lanes."""
        ...


class Lanes:
    """The active lanes of a batch: all of them (`index` is None), or those of an ascending index.

    Registers are arrays over all lanes of the batch, or NumPy scalars where all agree.
    """

    def __init__(self, batch: Batch, index: np.ndarray | None) -> None:
        self.batch, self.index = batch, index
        self.count = batch.count if index is None else len(index)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The number in the batch of each active lane."""
        return np.arange(self.count) if self.index is None else self.index

    # Registers --------------------------------------------------------------------------------

    def read(self, register: int, statement: Statement) -> Any:
        """A register; it must have been written by all active lanes."""
        batch = self.batch
        held, defined = batch.registers[register], batch.defined[register]
        if held is None or defined is not None:
            self._check_defined(register, statement, held, defined)
        return held if self.index is None or not held.ndim else held[self.index]

    def _check_defined(self, register: int, statement: Statement, held: Any, defined: Any) -> None:
        if held is None:
            mask = np.zeros(self.count, bool)
        else:
            mask = defined if self.index is None else defined[self.index]
        self.check(register, mask, statement)

    def check(self, register: int, mask: Any, statement: Statement) -> None:
        """The register must be defined in all active lanes."""
        if not np.all(mask):
            wrong = ~np.broadcast_to(mask, self.count)
            raise self.error("poison", "a register that was never written", statement, wrong)

    def read_some(self, register: int) -> tuple[Any, Any]:
        """A register before a guarded write, and where it is defined."""
        batch = self.batch
        held, defined = batch.registers[register], batch.defined[register]
        if held is None:
            return storage(batch.kinds[register]).type(0), np.bool_(False)
        known = np.bool_(True) if defined is None else defined
        if self.index is None:
            return held, known
        return tuple(part[self.index] if part.ndim else part for part in (held, known))

    def write(self, register: int, value: Any) -> None:
        """Set a register in all active lanes."""
        batch = self.batch
        if self.index is None:
            batch.registers[register], batch.defined[register] = value, None
            return
        held, defined = batch.registers[register], batch.defined[register]
        if held is None:
            held = np.zeros(batch.count, storage(batch.kinds[register]))
            defined = np.zeros(batch.count, bool)
        elif not held.ndim:
            held = np.full(batch.count, held)
        else:
            # Moves share one array between registers.
            held = held.copy()
        held[self.index] = value
        if defined is not None:
            defined[self.index] = True
            defined = None if defined.all() else defined
        batch.registers[register], batch.defined[register] = held, defined

    def write_some(self, register: int, value: Any, mask: Any) -> None:
        """Set a register after guarded writes; `mask` says where it is defined now."""
        before = self.batch.defined[register]
        before = None if before is None else before.copy()
        unknown = self.batch.registers[register] is None
        self.write(register, value)
        if np.all(mask) and self.index is None:
            return
        batch = self.batch
        if unknown:
            before = np.zeros(batch.count, bool)
        elif before is None:
            before = np.ones(batch.count, bool)
        before[slice(None) if self.index is None else self.index] = mask
        if not batch.registers[register].ndim:
            batch.registers[register] = np.full(batch.count, value)
        batch.defined[register] = None if before.all() else before

    def special(self, name: str) -> Any:
        """A special register."""
        held = self.batch.special(name)
        return held if self.index is None or not held.ndim else held[self.index]

    def spread(self, value: Any) -> np.ndarray:
        """A value with one element for each active lane."""
        if np.shape(value) == (self.count,):
            return value
        return np.broadcast_to(value, self.count)

    def under(self, mask: Any) -> Lanes:
        """The active lanes that a guard leaves; None leaves all."""
        if mask is None or np.all(mask):
            return self
        return Lanes(self.batch, self.numbers[self.spread(mask)])

    # Errors -----------------------------------------------------------------------------------

    def error(
        self, kind: str, message: str, statement: Statement, wrong: Any = None,
        address: int | None = None,
    ) -> EmulationError:  # fmt: skip
        """About the active lanes that `wrong` marks, of the first block that has any."""
        numbers = self.numbers if wrong is None else self.numbers[self.spread(wrong)]
        block, threads = self.batch.place(numbers)
        return emulation_error(
            kind, message, line=statement.line, text=statement.text, block=block,
            threads=threads, address=address, schedule=self.batch.schedule,
        )  # fmt: skip
