"""The threads of the blocks that run together, and those of them that are active."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol, cast

import numpy as np

from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.ptx.scope import Scope
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.types import storage
from tileir.errors import EmulationError

from .access import Access
from .clocks import Clocks

WARP = 32
WARPGROUP = 4 * WARP


class Space(Protocol):
    """What lanes use of a state space; `memory.spaces.Memory` says what its methods do."""

    def rows(self, word: int, count: int) -> np.ndarray: ...

    def reach(
        self,
        active: Lanes,
        statement: Statement,
        address: Any,
        access: Access,
        value: Any = None,
        keys: Any = None,
    ) -> Any: ...

    def order(self, active: Lanes, offset: Any, access: Access, wrote: Any = None) -> None: ...

    def load(
        self, lanes: Lanes, statement: Statement, mask: Any, address: Any, access: Access
    ) -> tuple[Any, ...]: ...

    def store(
        self,
        lanes: Lanes,
        statement: Statement,
        mask: Any,
        address: Any,
        words: tuple[Any, ...],
        access: Access,
    ) -> None: ...


class BlockBarriers(Protocol):
    """What lanes use of the barriers of all blocks; see `barriers.Barriers`."""

    counted: np.ndarray
    members: np.ndarray

    def arrive(
        self,
        lanes: Lanes,
        statement: Statement,
        number: Any,
        count: Any,
        aligned: bool,
        waits: bool = True,
        flag: Any = None,
    ) -> None: ...

    def check_whole_warps(self, lanes: Lanes, statement: Statement) -> None: ...

    def synchronize_warps(self, lanes: Lanes, members: Any) -> None: ...


class AsyncCopies(Protocol):
    """What lanes use of the pending copies of a batch; see `memory.copies.Copies`."""

    def start(
        self, lanes: Lanes, statement: Statement, target: Any, source: Any, size: int, length: Any
    ) -> None: ...

    def commit(self, lanes: Lanes) -> None: ...

    def wait(self, lanes: Lanes, statement: Statement, newest: int | None) -> None: ...


class MatrixProducts(Protocol):
    """What lanes use of the products under way in a batch; see `memory.products.Products`."""

    def touch(self, lanes: Lanes, statement: Statement, register: int) -> None: ...


class Proxy(Protocol):
    """What lanes use of the asynchronous proxy; see `memory.proxies.AsyncProxy`."""

    def fence(self, lanes: Lanes, suffix: str) -> None: ...


class Batch(Protocol):
    """What lanes use of the blocks that run together; see `running.batch.RunningBatch`.

    Arrays are over all lanes. Registers are by number; `defined` is None for one that is defined in
    all lanes.
    """

    count: int
    blocks: int
    first: int
    """The number of the first block in the grid."""
    pitch: int
    """Lanes of a block, its last warp filled up."""
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
    parameters: bytes
    outgoing: dict[str, Any]
    """Parameters and results of calls, by name."""
    printed: list[tuple[int, str]]
    """Lane and text of each call of vprintf."""

    @property
    def spaces(self) -> Mapping[str, Space]: ...

    @property
    def barriers(self) -> BlockBarriers: ...

    @property
    def copies(self) -> AsyncCopies: ...

    @property
    def async_proxy(self) -> Proxy: ...

    @property
    def products(self) -> MatrixProducts: ...

    def block_and_threads(
        self, numbers: np.ndarray
    ) -> tuple[tuple[int, int, int], tuple[int, ...]]: ...

    def coordinates(self, number: int) -> tuple[int, int, int]: ...

    def special(self, name: str) -> Any: ...


class Lanes:
    """The active lanes of a batch: all (`index` is None), or those in an ascending index.

    Registers are arrays over all lanes of the batch, or NumPy scalars where all agree. To read
    memory, an index may name a lane several times.
    """

    def __init__(self, batch: Batch, index: np.ndarray | None) -> None:
        self.batch, self.index = batch, index
        self.count = batch.count if index is None else len(index)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The number of each active lane in the batch."""
        return np.arange(self.count) if self.index is None else self.index

    # Registers --------------------------------------------------------------------------------

    def read(self, register: int, statement: Statement) -> Any:
        """Return a register, which all active lanes must have written."""
        batch = self.batch
        held, defined = batch.registers[register], batch.defined[register]
        if held is None or defined is not None:
            self._check_defined(register, statement, held, defined)
        values = cast(np.ndarray, held)
        return values if self.index is None or not values.ndim else values[self.index]

    def _check_defined(self, register: int, statement: Statement, held: Any, defined: Any) -> None:
        if held is None:
            mask = np.zeros(self.count, bool)
        else:
            mask = defined if self.index is None else defined[self.index]
        self.check(register, mask, statement)

    def check(self, register: int, mask: Any, statement: Statement) -> None:
        """EmulationError unless the register is defined in all active lanes."""
        if np.count_nonzero(mask) < mask.size:
            wrong = ~np.broadcast_to(mask, self.count)
            raise self.error("poison", "a register that was never written", statement, wrong)

    def read_some(self, register: int) -> tuple[Any, Any]:
        """Return a register before a guarded write, and the mask of lanes that have written it."""
        batch = self.batch
        held, defined = batch.registers[register], batch.defined[register]
        if held is None:
            return storage(batch.kinds[register]).type(0), np.bool_(False)
        known: Any = np.bool_(True) if defined is None else defined
        if self.index is None:
            return held, known
        held, known = (part[self.index] if part.ndim else part for part in (held, known))
        return held, known

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
            # A move makes two registers share one array.
            held = held.copy()
        held[self.index] = value
        if defined is not None:
            defined[self.index] = True
            defined = None if np.count_nonzero(defined) == batch.count else defined
        batch.registers[register], batch.defined[register] = held, defined

    def write_some(self, register: int, value: Any, mask: Any) -> None:
        """Set a register after guarded writes; `mask` tells where it is defined now."""
        before = self.batch.defined[register]
        before = None if before is None else before.copy()
        unknown = self.batch.registers[register] is None
        self.write(register, value)
        if self.index is None and mask.all():
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

    def touch(self, register: int, statement: Statement, mask: Any) -> None:
        """Note an access to a register that products of warpgroups access, too."""
        self.batch.products.touch(self.under(mask), statement, register)

    def special(self, name: str) -> Any:
        """Return the value of a special register."""
        held = self.batch.special(name)
        return held if self.index is None or not held.ndim else held[self.index]

    def broadcast(self, value: Any) -> np.ndarray:
        """Return a value as an array with one element for each active lane."""
        if isinstance(value, np.ndarray) and value.shape == (self.count,):
            return value
        return np.full(self.count, value)

    def under(self, mask: Any) -> Lanes:
        """Return the lanes that a guard leaves active; None leaves all."""
        if mask is None or np.count_nonzero(mask) == mask.size:
            return self
        return Lanes(self.batch, self.numbers[self.broadcast(mask)])

    # Errors -----------------------------------------------------------------------------------

    def error(
        self,
        kind: str,
        message: str,
        statement: Statement,
        wrong: Any = None,
        address: int | None = None,
    ) -> EmulationError:
        """Return an error of the lanes that `wrong` marks, in the first block that has any."""
        numbers = self.numbers if wrong is None else self.numbers[self.broadcast(wrong)]
        numbers = np.unique(numbers)
        block, threads = self.batch.block_and_threads(numbers)
        return emulation_error(
            kind,
            message,
            line=statement.line,
            text=statement.text,
            block=block,
            threads=threads,
            address=address,
            schedule=self.batch.schedule,
        )
