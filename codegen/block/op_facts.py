"""What ops of the block IR are, as their rows say: the table that passes and the verifier ask.

A row more needs no change of theirs, as long as it is of a kind that is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tileir.formats.ops.spec import NO_MEMORY_EFFECT, PURE, UNDECLARED, WRITES
from tileir.ir import Op, Value
from tileir.types import ValueType

from .block_row import COMMIT, COPY, WAIT, Memory, Row
from .rows import ROWS
from .tile_ops import WIDENED
from .types import Mbarrier, Shared


def _named(says: Callable[[Row], object]) -> tuple[str, ...]:
    return tuple(row.mnemonic for row in ROWS if says(row))


HARMLESS = (PURE, NO_MEMORY_EFFECT, UNDECLARED)
"""Effects of ops that may be repeated, and dropped where nothing uses their results."""
COPIES = _named(lambda row: row.kind == COPY)
"""Asynchronous copies: of the tile of a view, by threads or as a whole, and through pointers."""
COMMITS = _named(lambda row: row.kind == COMMIT)
"""Ops that make a flight of copies."""
ARRIVALS = _named(lambda row: row.kind == WAIT and row.same_memory)
"""Waits for copies; their results are the tiles that are there."""
ENDS = _named(lambda row: row.kind == WAIT and not row.same_memory)
"""Waits for what reads shared memory until then."""
BY_FIRST_WARP = _named(lambda row: row.by_first_warp)
"""Ops that one warp executes for all of them: to one another, they are in order."""
FOR_ALL = _named(lambda row: row.for_all)
"""Waits behind which all threads see what is there, through either proxy."""
ASYNC_PROXY = _named(lambda row: row.async_proxy)
"""Ops that access shared memory through the async proxy."""
SAME_MEMORY = {row.mnemonic: row.same_memory for row in ROWS if row.same_memory}
"""Mnemonic -> the operand slot whose memory the results are."""
_LAYOUT_OF = {row.mnemonic: row.layout_of for row in ROWS if row.layout_of}
EXCHANGES = tuple(_LAYOUT_OF)
"""Ops by which threads move a tile between registers and shared memory."""


def _accessed() -> Iterator[tuple[str, str, bool]]:
    """Yield mnemonics and slots whose memory is accessed, and whether the op writes there."""
    slots = {(row.mnemonic, slot.name): slot.type for row in ROWS for slot in row.operands}
    for (mnemonic, slot), kind in (slots | WIDENED).items():
        if isinstance(kind, Memory) and kind.effects != NO_MEMORY_EFFECT:
            yield mnemonic, slot, kind.effects == WRITES


ACCESSES: dict[str, dict[str, bool]] = {}
"""Mnemonic -> the operand slots whose shared memory the op accesses -> whether it writes there."""
for _mnemonic, _slot, _writes in _accessed():
    ACCESSES.setdefault(_mnemonic, {})[_slot] = _writes


ASYNC_READS = tuple(name for name in ASYNC_PROXY if not any(ACCESSES[name].values()))
"""Those that read it, until they are awaited."""


def accessed(op: Op) -> Iterator[tuple[Value, bool]]:
    """Yield the operands whose shared memory an op accesses, and whether it writes there."""
    for slot, writes in ACCESSES.get(op.name, {}).items():
        operand = op.operands[slot]
        for value in operand if isinstance(operand, tuple) else (operand,):
            if isinstance(value.type, Shared | Mbarrier):
                yield value, writes


def exchanged(op: Op) -> ValueType | None:
    """Return the type of the tile in registers that an exchange moves; None for other ops."""
    if op.name not in _LAYOUT_OF:
        return None
    return (op.operands.get(_LAYOUT_OF[op.name]) or op.result).type
