"""Walk over ops and what is nested in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def walk(ops: Iterable[Any]) -> Iterator[Any]:
    """Yield ops and the ops nested in them, in pre-order; see `Op.walk`."""
    stack = [*ops]
    stack.reverse()
    while stack:
        op = stack.pop()
        if op.parent is not None:
            yield op
            if op.spec.regions:
                stack.extend(reversed(op.nested()))
