"""Choose how many threads a block has: enough to hold its tiles in registers."""

from __future__ import annotations

from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.launch.contract import Contract, refuse
from tileir.codegen.nvptx.machine.red_forms import fewest
from tileir.codegen.ops import Family, family_of, is_multimem
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Op
from tileir.types import Tile

from .live_accumulators import accumulator_words
from .view_facts import ACCESS_BYTES

THREADS = 128
"""Threads of a block, unless a tile is very small or very large."""
PREFERRED_WORDS = 32
"""A block gets more threads until each holds at most so many 32-bit words of the largest tile."""
PRODUCT_WORDS = 64
"""The same with matrix products: the larger a warp's share, the less it reads of the operands."""
PRODUCT_THREADS = 256
"""The most threads of a block with matrix products, unless the accumulators are too large: with
more threads, each may have 128 registers at most."""
MOST_PRODUCT_THREADS = 512
"""The most threads of a block with matrix products and large accumulators."""
ACCUMULATOR_WORDS = 128
"""A block with matrix products gets up to so many threads until the accumulators that live at once
take at most so many 32-bit registers of each."""
GROUP_WORDS = 192
"""The same where warpgroups execute the products: a thread of theirs has more registers."""
GROUP_THREADS, GROUP_ROWS = 128, 64
"""Threads of a warpgroup, and the rows of its products."""
MOST_WORDS = 1024
"""The most 32-bit words of one tile in each thread of a block; some are in local memory then."""


def words(tile: Tile) -> int:
    """Return the 32-bit registers that a whole tile takes."""
    return tile.size * (2 if memory_bytes(tile.element) == 8 else 1)


def too_large(tile: Tile, target: Target) -> bool:
    """Whether even the largest block cannot hold the tile."""
    return words(tile) > MOST_WORDS * target.max_threads


_FREE = Contract()


def threads_of(kernel: KernelIR, target: Target, contract: Contract = _FREE) -> int:
    """Return the threads of a block, a power of two; UnsupportedError if too few are asked for."""
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
    most = max(most, accumulator_words(kernel))
    while products and threads < MOST_PRODUCT_THREADS:
        groups = target.has("wgmma") and all(_has_rows(op, threads) for op in products)
        if most <= (GROUP_WORDS if groups else ACCUMULATOR_WORDS) * threads:
            break
        threads *= 2
    return threads


def _has_rows(product: Op, threads: int) -> bool:
    """Whether every warpgroup of a block has rows of a product of its own."""
    rows = product.operands["lhs"].type.shape[-2]
    return threads >= GROUP_THREADS and rows >= GROUP_ROWS * threads // GROUP_THREADS


def longest_vector(kernel: KernelIR, threads: int, target: Target) -> int:
    """Return the longest vector of a thread, in elements: each thread has some of the largest tile.

    It is at least two where `red` adds halves in pairs. There is no limit, but that of accesses, in
    kernels with matrix products, whose operands fewer threads copy in whole vectors, and with
    multicast memory, which takes halves in pairs.
    """
    ops = list(kernel.walk())
    if any(family_of(op) is Family.PRODUCT or is_multimem(op) for op in ops):
        return ACCESS_BYTES
    kinds = [value.type for op in ops for value in op.results]
    largest = max((kind.size for kind in kinds if isinstance(kind, Tile)), default=1)
    return max(largest // threads, fewest(ops, target))
