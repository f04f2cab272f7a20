"""Which kept tiles a loop reads, and whether only at the index that it writes.

If so, the loop may write its tile over the one that it reads.
"""

from __future__ import annotations

from tileir.codegen.host.lowering.inline import moves_elements
from tileir.codegen.host.lowering.rows import is_inline, row_of
from tileir.ir import Op, Value

from .buffers import Fusion
from .fusion import is_folded
from .tiles import is_tile


def reads_of(op: Op, fusion: Fusion) -> dict[int, bool]:
    """Map the id of each kept tile that an op's loops read to whether only the written index is."""
    slot = None if is_inline(op) else row_of(op).onto
    onto = op.operands[slot] if slot else None
    reads: dict[int, bool] = {}
    for value in op.operand_list():
        in_place = is_inline(op) or value is onto
        for leaf, aligned in leaves(value, fusion).items():
            reads[leaf] = reads.get(leaf, True) and aligned and in_place
    return reads


def leaves(value: Value, fusion: Fusion) -> dict[int, bool]:
    """Map the id of each kept tile that an element comes from to whether its index is the same."""
    reads: dict[int, bool] = {}
    stack, seen = [(value, True)], set()
    while stack:
        value, aligned = stack.pop()
        if not is_tile(value) or (id(value), aligned) in seen:
            continue
        seen.add((id(value), aligned))
        owner = value.owner
        if isinstance(owner, Op) and is_folded(owner, fusion):
            aligned = aligned and not moves_elements(owner)
            stack += [(operand, aligned) for operand in owner.operand_list()]
        else:
            reads[id(value)] = reads.get(id(value), True) and aligned
    return reads
