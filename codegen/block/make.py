"""Make ops of the block IR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from tileir.formats.ops.spec import Attribute, Each
from tileir.ir import Op, Region, Value
from tileir.ir.locations import Location

from .dialect import ROWS

Where = Location | Callable[[int], Location | None] | None


def make(
    name: str,
    operands: dict[str, Any] | None = None,
    attributes: dict[str, Any] | None = None,
    results: Sequence[Any] = (),
    regions: Sequence[Region] = (),
    origin: Op | None = None,
) -> Op:
    """Return a new op. Slots that are not given are absent; it has the location of `origin`."""
    row = ROWS[name]
    absent = {slot.name: () if slot.arity == "many" else None for slot in row.operands}
    defaults = {slot.name: _default(slot) for slot in row.attributes}
    location = None
    if origin is not None:
        location = origin.unread_location or origin.location
    op = Op(
        cast(Any, row),
        absent | (operands or {}),
        defaults | (attributes or {}),
        regions=list(regions) or None,
        position=origin.position if origin is not None else 0,
        location=location,
    )
    op.results = [Value(kind, op, index) for index, kind in enumerate(results)]
    return op


def _default(slot: Attribute) -> Any:
    """Return the value of an attribute that is not given; None where each item has a default."""
    return None if isinstance(slot.default, Each) else slot.default
