"""Convert a value that has just been defined to all layouts that it is needed in."""

from __future__ import annotations

from tileir.ir import Value
from tileir.types import Tile

from .convert import convert
from .fragments import EmitContext
from .products.fill_staged import fill


def spread(ctx: EmitContext, value: Value) -> None:
    """Convert a tile to the required layouts that it is not defined in; stage it if planned."""
    if not isinstance(value.type, Tile) or value.type.size == 1:
        return
    missing = [it for it in ctx.assignment.required_in(value) if (value, it) not in ctx.fragments]
    if missing:
        source = ctx.assignment.defined_in(value)[0]
        fragment = ctx.fragments[value, source]
        for layout in missing:
            ctx.define(value, layout, convert(ctx, fragment, value.type.element, source, layout))
    if value in ctx.assignment.staged:
        fill(ctx, value)
