"""In which order to write tiles that a terminator passes on all at once.

A `continue` may swap two carried tiles: the new value of each is computed from the old one of the
other. A buffer is written when no other move still reads it; in a cycle of such reads, one tile is
computed into a temporary first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tileir.ir import Value


@dataclass(frozen=True, slots=True)
class Move:
    """A tile that a terminator passes on: `source` becomes the value of `target`.

    If `staged` is given, the tile is computed into this temporary of the op before any buffer is
    written.
    """

    source: Value
    target: Value
    staged: int | None = None


def one_by_one(
    pairs: Sequence[tuple[Value, Value]],
    reads: Mapping[int, Mapping[int, bool]],
    buffer: Callable[[Value], int],
) -> Iterator[tuple[Value, Value, bool]]:
    """Yield sources and targets in the order to write them, and whether through a temporary.

    `buffer` gives the buffer of a target. `reads` maps the id of a target to the buffers that its
    source is computed from, and whether each is read only at the index that is written.
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
    """Whether no pending move but that to the target itself reads the target's buffer."""
    written = buffer(target)
    return all(
        written not in buffers or (other == id(target) and buffers[written])
        for other, buffers in reads.items()
    )
