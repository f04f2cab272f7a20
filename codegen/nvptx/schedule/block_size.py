"""How many threads a block has: enough for its tiles to lie in registers."""

from __future__ import annotations

from collections.abc import Sequence

from tileir.codegen.kernel import Kernel
from tileir.codegen.nvptx.launch.contract import Contract, refuse
from tileir.codegen.nvptx.machine.red_forms import fewest
from tileir.codegen.ops import Family, family_of, is_multimem
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Op
from tileir.types import Tile

from .view_facts import ACCESS_BYTES

THREADS = 128
"""Threads of a block, unless a tile is very small or very large."""
PREFERRED_WORDS = 32
"""With more 32-bit registers than this for one tile, a block gets more threads."""
PRODUCT_WORDS = 64
"""The same in a kernel that multiplies matrices: the more a thread has, the less it reads."""
PRODUCT_THREADS = 256
"""Of such a kernel, unless a thread's share of all sums is too large: with more of them, a thread
may have 128 registers at most."""
MOST_PRODUCT_THREADS = 512
SUM_WORDS = 128
"""The most 32-bit registers for sums of products in a thread of fewer threads than that."""
MOST_WORDS = 1024
"""The most 32-bit values of one tile for each thread of a block: more than registers."""


def words(tile: Tile) -> int:
    """32-bit registers that a whole tile takes."""
    return tile.size * (2 if memory_bytes(tile.element) == 8 else 1)


def too_large(tile: Tile, target: Target) -> bool:
    """Whether the registers of the largest block cannot hold the tile."""
    return words(tile) > MOST_WORDS * target.max_threads


_FREE = Contract()


def threads_of(kernel: Kernel, target: Target, contract: Contract = _FREE) -> int:
    """Threads of a block, a power of two. UnsupportedError for a fixed number that is too small."""
    tiles = [value.type for op in kernel.walk() for value in op.results]
    tiles = [tile for tile in tiles if isinstance(tile, Tile)]
    elements = max((tile.size for tile in tiles), default=1)
    most = max((words(tile) for tile in tiles), default=1)
    if warps := contract["num_warps"]:
        threads = warps * target.warp
        if most > MOST_WORDS * threads:
            widest = max(tiles, key=words)
            takes = f"{widest} would take {most // threads} registers of each thread"
            refuse(kernel, [f"{contract.by('num_warps')} is {warps}: {takes}"])
        return threads
    threads = max(target.warp, min(THREADS, elements))
    products = [op for op in kernel.walk() if family_of(op) is Family.PRODUCT]
    preferred = PRODUCT_WORDS if products else PREFERRED_WORDS
    limit = PRODUCT_THREADS if products else target.max_threads
    while threads < limit and most > preferred * threads:
        threads *= 2
    most = max(most, _sums(products))
    while products and threads < MOST_PRODUCT_THREADS and most > SUM_WORDS * threads:
        threads *= 2
    return threads


def longest_vector(kernel: Kernel, threads: int, target: Target) -> int:
    """Neighbours that a thread holds at most, so that each has some of the kernel's largest tile.

    Two at least where memory adds halves in pairs. More than any access moves where matrices are
    multiplied, which are copied in whole vectors by fewer threads, and where memory is multicast,
    which takes halves in pairs.
    """
    ops = list(kernel.walk())
    if any(family_of(op) is Family.PRODUCT or is_multimem(op) for op in ops):
        return ACCESS_BYTES
    kinds = [value.type for op in ops for value in op.results]
    largest = max((kind.size for kind in kinds if isinstance(kind, Tile)), default=1)
    return max(largest // threads, fewest(ops, target))


def _sums(products: Sequence[Op]) -> int:
    """Registers for all sums; a product that adds to the sum of another one needs none."""
    results = {op.result for op in products}
    return sum(words(op.result.type) for op in products if op.operands["acc"] not in results)
