"""How many registers the accumulators of matrix products take that live at the same time.

A tile is counted if it is the result of a product, or made of one element by element: of the same
shape, as P is of S in attention. It lives from its definition to its last use; a loop that uses a
tile from around it keeps it until its end.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir.codegen.analysis.carried_values import handed_on
from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Block, Op, Value
from tileir.types import Tile

_WORD_BYTES = 4


def accumulator_words(kernel: KernelIR) -> int:
    """Return the most 32-bit registers, of all threads, that accumulators take at any product."""
    values = made_of_products(kernel)
    return max((_live_words(op, values) for op in _products(kernel)), default=0)


def _products(kernel: KernelIR) -> Sequence[Op]:
    return [op for op in kernel.walk() if family_of(op) is Family.PRODUCT]


def made_of_products(kernel: KernelIR) -> dict[Value, None]:
    """Return the results of products, and the tiles of their shapes that are made of them."""
    products = _products(kernel)
    after: dict[Value, list[Value]] = {}
    for value, becomes in handed_on(kernel.body.block):
        after.setdefault(value, []).append(becomes)
    stack, values = [op.result for op in products], dict[Value, None]()
    while stack:
        value = stack.pop()
        if value in values:
            continue
        values[value] = None
        stack += after.get(value, ())
        for use in value.uses:
            if family_of(use.op) is Family.ELEMENT_WISE:
                stack += (each for each in use.op.results if isinstance(each.type, Tile))
    return values


def _live_words(product: Op, values: dict[Value, None]) -> int:
    """Return the words of the tiles that live while a product is computed, and of its result."""
    words = _words(product.result.type)
    for value in values:
        if value is product.operands["acc"] and len(value.uses) == 1:
            continue  # the result takes its registers
        if value is not product.result and _lives_at(value, product):
            words += _words(value.type)
    return words


def _lives_at(value: Value, op: Op) -> bool:
    """Whether a tile is defined before an op and used by it or later."""
    if not value.is_visible_to(op):
        return False
    block: Block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    here = _within(op, block)
    for use in value.uses:
        user = _within(use.op, block)
        if here.is_before(user) or use.op is op or (user is here and use.op is not here):
            return True
    return False


def _within(op: Op, block: Block) -> Op:
    """Return the op of a block that an op is, or is in."""
    while op.parent is not block:
        op = op.parent_op
    return op


def _words(tile: Tile) -> int:
    return tile.size * memory_bytes(tile.element) // _WORD_BYTES
