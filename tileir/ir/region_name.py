"""The names of regions in messages."""

from __future__ import annotations

from tileir.formats.ops.spec import Region
from tileir.messages.wording import in_words

from .op import Op


def region_name(op: Op | None, row: Region) -> str:
    """Return a region in words: ``region of for``, or ``body`` for the region of a kernel."""
    return f"{in_words(row.name)} of {op.name}" if op else "body"
