"""Place fences between stores to shared memory and accesses through the async proxy.

Tensor cores read operands by descriptors, and tensor copies read and write, through the async
proxy. What threads have stored or copied comes before that only behind a `fence.proxy.async` of
theirs (PTX ISA, "Proxies"). The fence goes before the barrier that follows: whoever stored has to
pass it, and others read behind the barrier.
"""

from __future__ import annotations

from tileir.codegen.block.areas import behind
from tileir.codegen.block.control_edges import LOOPS
from tileir.codegen.block.make import make
from tileir.codegen.block.op_facts import ASYNC_PROXY, accessed
from tileir.codegen.block.roles import role_of
from tileir.codegen.block.types import Shared
from tileir.ir import Body, Op, Value

from .barrier_walk import Access, Accesses, BarrierWalk, Open, complete
from .shared_accesses import SharedAccess


def place_fences(body: Body) -> None:
    """Insert the fences of a body whose barriers have been placed."""
    read, filled = set[Value](), False
    for op in body.walk():
        if op.name in ASYNC_PROXY:
            for tile, writes in accessed(op):
                # Where roles share a ring, no other area has its bytes.
                filled |= writes and role_of(op) is None
                read.add(behind(tile)[0])
    if not read:
        return
    walk = _Fencing(Accesses(body, None), None if filled else read)
    walk.block(body.block, set())
    for barrier in filter(_is_followed, walk.fenced):
        make("fence_proxy", origin=barrier).insert_before(barrier)


def _is_followed(barrier: Op) -> bool:
    """Whether an access through the async proxy may come behind a barrier."""
    here: Op | None = barrier
    while here is not None:
        around = here.parent.parent_op
        ops = here.parent.ops[here.index :]
        if around is not None and around.name in LOOPS:
            ops = [around]
        if any(op.name in ASYNC_PROXY for each in ops for op in each.walk()):
            return True
        here = around
    return False


class _Fencing(BarrierWalk):
    """A walk that finds the barriers before which a thread may have stored what is read."""

    def __init__(self, accesses: Accesses, read: set[Value] | None) -> None:
        """Walk with the tiles that are read through the async proxy.

        None is all of them: tensor copies may go to the bytes of any.
        """
        super().__init__(accesses)
        self._read = read
        self.fenced: dict[Op, None] = {}

    def pass_barrier(self, barrier: Op, open_: Open) -> None:
        """See `BarrierWalk`."""
        if any(self._is_stored(access) for access, _ in open_):
            self.fenced[barrier] = None
        complete(open_)

    def _is_stored(self, access: Access) -> bool:
        """Whether an access, of this thread and others, has written what the proxy accesses."""
        if not isinstance(access, SharedAccess) or access.under_way:
            return False
        if not isinstance(access.tile.type, Shared):  # who initialises mbarriers fences them
            return False
        return access.writes and (self._read is None or access.tile in self._read)
