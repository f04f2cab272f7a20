"""The threads of some blocks side by side, and those of them that are active."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import EmulationError
from .types import storage

if TYPE_CHECKING:
    from .machine import Batch
    from .syntax import Statement

WARP = 32


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
        return EmulationError(
            kind, message, line=statement.line, text=statement.text, block=block,
            threads=threads, address=address, schedule=self.batch.settings.schedule,
        )  # fmt: skip
