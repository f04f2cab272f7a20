"""How often lanes that access shared memory together meet in a bank, as layouts and offsets say.

Shared memory has 32 banks of four bytes. A warp's access takes a turn for each different word that
lanes want of one bank; accesses of 8 and 16 bytes are made by half and a quarter of a warp at once
(CUDA C++ Programming Guide, shared memory).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, cast

from tileir.codegen.layouts.linear_maps import combine
from tileir.codegen.layouts.shared_offsets import side_by_side
from tileir.codegen.layouts.swizzle import BANK_BITS, BANK_BYTES
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op

from .op_facts import accessed, exchanged
from .types import Frag, Shared


class Together(NamedTuple):
    """What lanes of a warp access at the same time in shared memory.

    `lanes` has what each bit of a lane's number adds to the address, in bytes, by exclusive or;
    each lane accesses `width` bytes, a power of two.
    """

    lanes: tuple[int, ...]
    width: int

    @property
    def turns(self) -> int:
        """How many turns they take."""
        return turns(self.lanes, max(self.width, BANK_BYTES))

    @property
    def at_once(self) -> tuple[int, ...]:
        """The bits of those lanes that access memory at once; others come before or behind them."""
        return self.lanes[: lanes_at_once(max(self.width, BANK_BYTES))]


def together(kind: Shared, lanes: Sequence[int], elements: int) -> Together:
    """Return the access of a tile by lanes that have these bases, of so many elements each."""
    size = memory_bytes(kind.element)
    return Together(tuple(combine(kind.offsets, base) * size for base in lanes), size * elements)


def exchange_of(op: Op) -> Together | None:
    """Return each access of an exchange; None for other ops, and for a tile of one element."""
    held = exchanged(op)
    if not isinstance(held, Frag):
        return None
    ((tile, _),) = accessed(op)
    kind = cast(Shared, tile.type)
    vector = side_by_side(held.layout, kind.offsets, memory_bytes(kind.element))
    return together(kind, held.layout.lane, 1 << len(vector))


def conflicts(op: Op) -> int:
    """Return how many turns more than one each access of an exchange takes; 0 for other ops."""
    access = exchange_of(op)
    return 0 if access is None else access.turns - 1


def turns(lanes: Sequence[int], width: int) -> int:
    """Return how many turns lanes take that access `width` bytes each, a power of two from 4 on.

    `lanes` has what each bit of a lane's number adds to the address, in bytes, by exclusive or.
    """
    addresses = [0]
    for base in lanes[: lanes_at_once(width)]:
        addresses += [address ^ base for address in addresses]
    words: dict[int, set[int]] = defaultdict(set)
    for address in addresses:
        word = address // BANK_BYTES
        words[word % (1 << BANK_BITS)].add(word)
    return max(map(len, words.values()))


def lanes_at_once(width: int) -> int:
    """Return the number of bits of the numbers of lanes that access `width` bytes each at once."""
    return BANK_BITS - (width // BANK_BYTES).bit_length() + 1
