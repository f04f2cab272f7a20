"""What tokens order a load or a store behind, and what behind a store.

Copies by the asynchronous proxy do not see what the kernel wrote through the generic one, in this
block or, where a load acquires it, in another, unless a proxy fence lies between (PTX ISA, "Async
proxy"). Nor do others see what they have written before they are known to be complete. In Tile IR,
only tokens order a load behind a write, or a write behind anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

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
    for op in _Before(body).of(load):
        if is_plain_load(op) and not is_weak(op):
            return Reason("after_acquire", op.name)
        if writes_memory(op) and family_of(op) is not Family.OTHER:
            return Reason("after_store", op.name)
    return None


def ordered_before(op: Op, body: Body) -> Iterator[Op]:
    """Yield the ops that tokens order before another one, nearer ones first."""
    return _Before(body).of(op)


def orders_of_stores(
    stores: Sequence[Op], body: Body
) -> tuple[dict[Op, frozenset[Op]], dict[Op, Reason]]:
    """Return which of these stores one thread may make by the async proxy, without proxy fences.

    Each has the others, or itself in an earlier iteration, that tokens order before it: these have
    to be complete. The second result says of the other stores why not: a token orders one behind
    more than weak loads and such stores, or something else behind it.
    """
    before, refused = _Before(body), dict[Op, Reason]()
    ops = [op for op in body.walk() if not op.regions and family_of(op) is not Family.TOKEN]
    tokens = [op for op in ops if op.operands.get("token") is not None]
    ordered = {op: list(before.of(op)) for op in tokens}
    kept = [op for op in stores if is_weak(op)]
    refused |= {op: Reason("ordered_store") for op in stores if op not in kept}
    while True:
        found = {op: why for op in kept if (why := _why_not(op, ordered, kept))}
        if not found:
            return {op: frozenset(ordered.get(op, ())) & frozenset(kept) for op in kept}, refused
        refused |= found
        kept = [op for op in kept if op not in found]


def _why_not(store: Op, ordered: Mapping[Op, Sequence[Op]], kept: Collection[Op]) -> Reason | None:
    """Return why one thread may not make a store if it makes all those that are `kept`."""
    for op in ordered.get(store, ()):
        if is_plain_load(op) and not is_weak(op):
            return Reason("after_acquire", op.name)
        if not is_plain_load(op) and family_of(op) is not Family.TOKEN and op not in kept:
            return Reason("after_store", op.name)
    for op, before in ordered.items():
        if op not in kept and store in before:
            return Reason("before_access", op.name)
    return None


class _Before:
    """The ops that tokens order before others, in a body as it is."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._joined: dict[Value, list[Value]] | None = None

    def of(self, op: Op) -> Iterator[Op]:
        """Yield the ops before an op, nearer ones first; itself, if a loop brings it back."""
        token = op.operands.get("token")
        stack, seen = [] if token is None else [token], set[Value]()
        while stack:
            value = stack.pop()
            if value in seen:
                continue
            seen.add(value)
            owner = value.owner
            if not isinstance(owner, Op) or owner.regions:
                if self._joined is None:
                    self._joined = _tokens_before(self._body)
                stack += self._joined.get(value, [])  # none where control never comes
                continue
            yield owner
            stack += _tokens(owner)


def _tokens(op: Op) -> Iterator[Value]:
    return (each for each in op.operand_list() if isinstance(each.type, Token))


def _tokens_before(body: Body) -> dict[Value, list[Value]]:
    """Return, for tokens that are block arguments or results of control flow, what they may be."""
    before: dict[Value, list[Value]] = {}
    for edge in edges(body):
        for value, after in edge.pairs:
            if value is not None and isinstance(after.type, Token):
                before.setdefault(after, []).append(value)
    return before
