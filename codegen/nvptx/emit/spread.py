"""A value that has come into being, in every layout that it is needed in."""

from __future__ import annotations

from tileir.ir import Value
from tileir.types import Tile

from .convert import convert
from .fragments import EmitContext
from .products.fill_staged import fill


def spread(ctx: EmitContext, value: Value) -> None:
    """Move a tile to the layouts that nobody computed it in, and to where it is staged."""
    if not isinstance(value.type, Tile) or value.type.size == 1:
        return
    wanted = [it for it in ctx.assignment.required_in(value) if (value, it) not in ctx.fragments]
    if wanted:
        home = ctx.assignment.defined_in(value)[0]
        fragment = ctx.fragments[value, home]
        for layout in wanted:
            ctx.define(value, layout, convert(ctx, fragment, value.type.element, home, layout))
    if value in ctx.assignment.staged:
        fill(ctx, value)
