"""Order the warpgroups of a role: one starts its products while another one computes.

In attention, tensor cores and the softmax take much the same time. Warpgroups that start their
products together compute together as well. So they take turns ("ping-pong", as CUTLASS and
FlashAttention-3 have it): each waits for its turn, starts the products of an iteration, and passes
the turn on. Nobody waits for all warps of the role; each waits for those of the group before.

The turns are for the whole role, so that the order stays in loops one after the other, and in
those around them: it begins at the start of the role and ends at its end.
"""

from __future__ import annotations

from tileir.codegen.block.areas import behind
from tileir.codegen.block.make import make
from tileir.codegen.block.op_rules import WARPGROUP
from tileir.codegen.block.roles import role_of
from tileir.codegen.block.types import Shared
from tileir.ir import Op

from .product_order import products_in, stored_by


def order_groups(loop: Op) -> bool:
    """Order the products that an iteration starts; return whether there are groups to order.

    Where threads store to shared memory what these products read, all warps have to wait for each
    other between them.
    """
    role, block = role_of(loop), loop.regions[0].block
    if role is None or role.attributes["working"] < 2 * WARPGROUP:
        return False
    products = products_in(block.ops)
    read = {
        behind(value)[0]
        for op in products
        for value in op.operand_list()
        if isinstance(value.type, Shared)
    }
    stored = {behind(tile)[0] for op in loop.walk() for tile in stored_by(op)}
    if not read.isdisjoint(stored):
        return False
    _begin(role)
    make("order_wait", origin=products[0]).insert_before(products[0])
    make("order_pass", origin=products[-1]).insert_after(products[-1])
    return True


def _begin(role: Op) -> None:
    """Have the order begin and end with a role, if it does not yet.

    Blocks of a cluster wait for each other last.
    """
    ops = role.regions[0].block.ops
    if ops[0].name != "order_start":
        make("order_start", origin=role).insert_before(ops[0])
        last = ops[-2] if ops[-2].name == "cluster_barrier" else ops[-1]
        make("order_end", origin=role).insert_before(last)
