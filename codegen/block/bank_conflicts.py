"""How often lanes that access shared memory together meet in a bank, as layouts and offsets say.

Shared memory has 32 banks of four bytes. A warp's access takes a turn for each different word that
lanes want of one bank; accesses of 8 and 16 bytes are made by half and a quarter of a warp at once
(CUDA C++ Programming Guide, shared memory).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from tileir.codegen.layouts.linear_maps import combine
from tileir.codegen.layouts.shared_offsets import side_by_side
from tileir.codegen.layouts.swizzle import BANK_BITS, BANK_BYTES
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op

from .op_facts import accessed, exchanged
from .types import Frag, Shared


def conflicts(op: Op) -> int:
    """Return how many turns more than one each access of an exchange takes; 0 for other ops."""
    held = exchanged(op)
    if not isinstance(held, Frag):
        return 0
    ((tile, _),) = accessed(op)
    kind = cast(Shared, tile.type)
    size = memory_bytes(kind.element)
    width = max(size << len(side_by_side(held.layout, kind.offsets, size)), BANK_BYTES)
    return turns([combine(kind.offsets, base) * size for base in held.layout.lane], width) - 1


def turns(lanes: Sequence[int], width: int) -> int:
    """Return how many turns lanes take that access `width` bytes each, a power of two from 4 on.

    `lanes` has what each bit of a lane's number adds to the address, in bytes, by exclusive or.
    """
    together = BANK_BITS - (width // BANK_BYTES).bit_length() + 1
    addresses = [0]
    for base in lanes[:together]:
        addresses += [address ^ base for address in addresses]
    words: dict[int, set[int]] = defaultdict(set)
    for address in addresses:
        word = address // BANK_BYTES
        words[word % (1 << BANK_BITS)].add(word)
    return max(map(len, words.values()))
