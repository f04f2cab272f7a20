"""What tokens order a load behind: the ops of the kernel that may write what it reads.

Copies by the asynchronous proxy do not see what the kernel wrote through the generic one, in this
block or, where a load acquires it, in another, unless a proxy fence lies between (PTX ISA, "Async
proxy"). In Tile IR, only tokens order a load behind a write.
"""

from __future__ import annotations

from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.block.control_edges import edges
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.ops import Family, family_of, writes_memory
from tileir.ir import Body, Op, Value
from tileir.types import Token


def why_fenced(load: Op, body: Body) -> Reason | None:
    """Return why a bulk copy in place of a load, or of a copy_async, would need a proxy fence.

    None if it needs none. The body is taken as it is now, between two edits, too.
    """
    if is_plain_load(load) and not is_weak(load):
        return Reason("ordered")
    before: dict[Value, list[Value]] | None = None
    token = load.operands["token"]
    stack, seen = [] if token is None else [token], set[Value]()
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        op = value.owner
        if not isinstance(op, Op) or op.regions:
            before = _tokens_before(body) if before is None else before
            stack += before.get(value, [])  # none where control never comes
            continue
        if is_plain_load(op) and not is_weak(op):
            return Reason("after_acquire", op.name)
        if writes_memory(op) and family_of(op) is not Family.OTHER:
            return Reason("after_store", op.name)
        stack += [each for each in op.operand_list() if isinstance(each.type, Token)]
    return None


def _tokens_before(body: Body) -> dict[Value, list[Value]]:
    """Return, for tokens that are block arguments or results of control flow, what they may be."""
    before: dict[Value, list[Value]] = {}
    for edge in edges(body):
        for value, after in edge.pairs:
            if value is not None and isinstance(after.type, Token):
                before.setdefault(after, []).append(value)
    return before
