"""Mbarriers: initialised once before they are used, and invalidated once behind that.

Those of the outermost block need not be invalidated: nothing else ever has their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from tileir.ir import Body, Op


def mbarrier_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the ops that use mbarriers outside of their life."""
    for op in body.walk():
        if op.name == "mbarrier_alloc":
            yield from _life(op, [use.op for use in op.result.uses if use.op.name != "barrier"])


def _life(alloc: Op, users: list[Op]) -> Iterator[tuple[Op, str]]:
    starts = [user for user in users if user.name == "mbarrier_init"]
    ends = [user for user in users if user.name == "mbarrier_inval"]
    forever = len(starts) == 1 and not ends and starts[0].parent.parent_op is None
    once = len(starts) == len(ends) == 1 and starts[0].parent is ends[0].parent
    if not (once or forever):
        yield alloc, "its mbarriers are not initialised and invalidated once, in one block"
        return
    start, end = starts[0], starts[0].parent.ops[-1] if forever else ends[0]
    for user in users:
        if user in (start, end):
            continue
        here: Op | None = user
        while here is not None and here.parent is not start.parent:
            here = here.parent.parent_op
        if here is None or not (start.is_before(here) and here.is_before(end)):
            yield user, "the mbarriers are not initialised here, or not any more"
