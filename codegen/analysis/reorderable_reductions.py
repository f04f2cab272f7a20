"""Which reductions may fold their elements in any order."""

from __future__ import annotations

from tileir.codegen.ops import traits_of
from tileir.ir import Block, Op


def commutes(op: Op) -> bool:
    """Whether the body folds each operand by one commutative and associative op.

    Prints that a trace has inserted are ignored.
    """
    block = op.regions[0].block
    *body, end = (inner for inner in block.ops if inner.name != "print_tko")
    yielded = list(end.operand_list())
    if len(body) != len(yielded):
        return False
    return all(_is_commuting(block, number, value.owner) for number, value in enumerate(yielded))


def _is_commuting(block: Block, number: int, owner: object) -> bool:
    pair = block.arguments[2 * number : 2 * number + 2]
    return (
        isinstance(owner, Op)
        and traits_of(owner).commutes
        and {id(value) for value in owner.operand_list()} == {id(value) for value in pair}
    )
