"""Tiles that are handed over at once, written one after the other.

A `continue` may swap two carried tiles: what one receives is computed from what the other is about
to lose. Each is written when no other still reads what lies there; where they wait for each other,
one is computed into a temporary first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tileir.ir import Value


@dataclass(frozen=True, slots=True)
class Move:
    """A tile that a terminator hands over: `source` is what `target` is from then on.

    With `staged`, it is computed into this temporary of the op before anything is written.
    """

    source: Value
    target: Value
    staged: int | None = None


def one_by_one(
    pairs: Sequence[tuple[Value, Value]],
    reads: Mapping[int, Mapping[int, bool]],
    buffer: Callable[[Value], int],
) -> Iterator[tuple[Value, Value, bool]]:
    """Sources and targets in the order in which to write them, and whether by a temporary.

    `buffer` names the buffer of a target; `reads` has, for each id of a target, the buffers that
    its source is computed from, and whether only at the place that is written.
    """
    pending, reads = list(pairs), dict(reads)
    while pending:
        ready = (pair for pair in pending if _is_free(pair[1], reads, buffer))
        chosen = next(ready, None)
        source, target = chosen or pending[0]
        yield source, target, chosen is None
        pending.remove((source, target))
        del reads[id(target)]


def _is_free(
    target: Value, reads: Mapping[int, Mapping[int, bool]], buffer: Callable[[Value], int]
) -> bool:
    """Whether of all that is still to be written only the target itself reads its buffer."""
    place = buffer(target)
    return all(
        place not in found or (other == id(target) and found[place])
        for other, found in reads.items()
    )
