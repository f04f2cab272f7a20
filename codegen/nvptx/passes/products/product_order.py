"""Which products of a block depend on one another, and which ops depend on what they compute.

A *second* product multiplies what is computed from the result of another one of its iteration. One
that only adds to the same sum is none: tensor cores go on with that by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tileir.codegen.block.op_facts import COPIES, SAME_MEMORY, accessed
from tileir.codegen.block.types import Frag, Shared, registers_of
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Block, Op, Value

WORD_BITS = 32
"""Bits of a register."""


def products_in(ops: Iterable[Op]) -> list[Op]:
    """Return those of some ops that start products of warpgroups."""
    return [op for op in ops if op.name == "mma_async"]


def second_products(block: Block) -> list[Op]:
    """Return the second products of a block, in order."""
    products = products_in(block.ops)
    computed = set(dependents(block, products))
    return [op for op in products if op in computed and not _chains(op, products)]


def _chains(product: Op, products: Sequence[Op]) -> bool:
    """Whether a product depends on another one by adding to its sum alone."""
    before = product.operands["acc"].owner
    if isinstance(before, Op) and before.name == "wait_mma":
        before = before.operands["flight"].owner
    return before in products and isinstance(product.operands["lhs"].type, Shared)


def dependents(block: Block, roots: Iterable[Op | Value]) -> Iterator[Op]:
    """Yield the ops of a block that depend on the results of others, or on values, in order."""
    known = set[Value]()
    for root in roots:
        known.update([root] if isinstance(root, Value) else root.results)
    for op in block.ops[:-1]:
        if not known.isdisjoint(operands_within(op)):
            known.update(op.results)
            yield op


def operands_within(op: Op) -> Iterator[Value]:
    """Yield what an op uses, and what is in its regions."""
    for each in op.walk():
        yield from each.operand_list()


def stored_by(op: Op) -> list[Value]:
    """Return the tiles in shared memory to which threads store."""
    return [] if op.name in COPIES else [value for value, writes in accessed(op) if writes]


def words_of(value: Value) -> int:
    """Return the registers of a thread for a tile, or for one under way."""
    kind = registers_of(value.type)
    if not isinstance(kind, Frag):
        return 0
    return -(-(8 * memory_bytes(kind.element) << len(kind.layout.register)) // WORD_BITS)


def readers_in(tile: Value, block: Block) -> Iterator[Op]:
    """Yield the ops of a block that read a tile in shared memory, or are around one that does."""
    for use in tile.uses:
        if use.slot == SAME_MEMORY.get(use.op.name):
            for result in use.op.results:
                yield from readers_in(result, block)
        else:
            here = use.op
            while here.parent is not block:
                here = here.parent.parent_op
            yield here
