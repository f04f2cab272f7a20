"""Where a block is, what it says, and what is promised to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tileir.attributes import DivBy, SameElements
from tileir.ir import Op
from tileir.types import Pointer

from .elements import signed, stored_bits
from .undefined import Undefined
from .views import Tensor

if TYPE_CHECKING:
    from .machine import Block


def get_tile_block_id(block: Block, op: Op):
    return tuple(np.asarray(number, np.int32) for number in block.position)


def get_num_tile_blocks(block: Block, op: Op):
    return tuple(np.asarray(number, np.int32) for number in block.launch.grid)


def nothing(block: Block, op: Op, *operands):
    """Tokens: program order is one of the orders that they allow."""
    return ()


def print_tko(block: Block, op: Op, args, token):
    block.launch.outcome.prints.append((op.attributes["str"], tuple(args)))


def assert_(block: Block, op: Op, condition):
    for at in zip(*np.nonzero(~np.atleast_1d(condition)), strict=True):
        place = tuple(map(int, at))[: condition.ndim]
        block.launch.outcome.asserts.append((op.attributes["message"], place))


def assume(block: Block, op: Op, value):
    predicate, element = op.attributes["predicate"], getattr(op.result.type, "element", None)
    if isinstance(value, Tensor):
        numbers = np.asarray(value.address, object)
    elif isinstance(element, Pointer):
        numbers = value.astype(object)
    else:
        numbers = signed(value, element)
    if isinstance(predicate, DivBy):
        holds = _divisible(predicate, np.asarray(numbers, object), element)
    elif isinstance(predicate, SameElements):
        holds = _alike(predicate, np.asarray(numbers, object))
    else:
        low, high = predicate.lower, predicate.upper
        holds = (low is None or np.all(numbers >= low)) and (
            high is None or np.all(numbers <= high)
        )
    if not holds:
        raise Undefined(f"{predicate} does not hold")
    return value


def _divisible(predicate: DivBy, numbers: np.ndarray, element) -> bool:
    """With `every`, the first of each group is divisible and the others follow at equal steps."""
    if predicate.every is None:
        return not np.any(np.asarray(numbers % predicate.divisor))
    step = stored_bits(element.pointee) // 8 if isinstance(element, Pointer) else 1
    along = np.moveaxis(numbers, predicate.along, -1)
    if not predicate.every:
        return True
    within = np.arange(along.shape[-1]).astype(object) % predicate.every
    return not np.any((along - within * step)[..., ::] % predicate.divisor)


def _alike(predicate: SameElements, numbers: np.ndarray) -> bool:
    """Groups of neighbours along all dimensions at once hold one number."""
    firsts = tuple(
        np.arange(size) // max(group, 1) * max(group, 1)
        for size, group in zip(numbers.shape, predicate.groups, strict=True)
    )
    return not firsts or bool(np.all(numbers == numbers[np.ix_(*firsts)]))


OPS = {
    "assert": assert_,
    "assume": assume,
    "get_num_tile_blocks": get_num_tile_blocks,
    "get_tile_block_id": get_tile_block_id,
    "print_tko": print_tko,
} | dict.fromkeys(
    (
        "gdc_launch_dependents_tko", "gdc_wait_tko", "join_tokens", "make_token",
        "memory_fence_alias_tko",
    ),
    nothing,
)  # fmt: skip
