"""Compute a fragment by one of two branches."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.codegen.nvptx.emit.context import Fragment


def either(
    builder: ir.IRBuilder,
    condition: ir.Value,
    likely: bool,
    then: Callable[[], Fragment],
    otherwise: Callable[[], Fragment],
) -> Fragment:
    """Return what `then` emits where the condition holds, and what `otherwise` emits elsewhere.

    Both return values for the same offsets; `likely` is the expected value of the condition.
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
