"""Two ways to the same fragment, of which threads take one."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from .fragments import Fragment


def either(
    builder: ir.IRBuilder, condition: ir.Value, likely: bool,
    then: Callable[[], Fragment], otherwise: Callable[[], Fragment],
) -> Fragment:  # fmt: skip
    """What `then` emits where the condition holds, and what `otherwise` emits elsewhere.

    Both give values for the same offsets; `likely` says what the condition is expected to be.
    """
    with builder.if_else(condition, likely=likely) as (first, second):
        with first:
            one = then()
            one_end = builder.block
        with second:
            other = otherwise()
            other_end = builder.block
    merged = {}
    for offset, value in one.items():
        merged[offset] = phi = builder.phi(value.type)
        phi.add_incoming(value, one_end)
        phi.add_incoming(other[offset], other_end)
    return merged
