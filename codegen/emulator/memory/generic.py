"""Accesses that may be to any space: each lane goes where its address lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Lanes

from .spaces import WINDOWS


def spaces_of(
    lanes: Lanes, mask: Any, address: Any, name: str | None
) -> list[tuple[str, Any, Any]]:
    """Space, mask and address within the space, for each space that some active lane reaches."""
    if name:
        return [(name, mask, address)]
    shared, local = np.uint64(WINDOWS["shared"]), np.uint64(WINDOWS["local"])
    if not np.any(address >= shared):
        return [("global", mask, address)]
    active = np.ones((), bool) if mask is None else mask
    found = []
    for space, inside, start in (
        ("global", address < shared, np.uint64(0)),
        ("shared", (address >= shared) & (address < local), shared),
        ("local", address >= local, local),
    ):
        here = lanes.spread(active & inside)
        if here.any():
            found.append((space, here, lanes.spread(address - start)))
    return found


def load(
    lanes: Lanes, statement: Statement, mask: Any, address: Any, access: Access, name: str | None
) -> tuple[Any, ...]:
    """Words from wherever the addresses point to."""
    pieces = spaces_of(lanes, mask, address, name)
    spaces = lanes.batch.spaces
    words = [spaces[space].load(lanes, statement, *where, access) for space, *where in pieces]
    if len(words) < 2:
        return words[0] if words else (np.zeros((), f"u{access.word}")[()],) * access.count
    # Where a lane is not in a space, its words are zero.
    return tuple(np.bitwise_or.reduce(each) for each in zip(*words, strict=True))


def store(
    lanes: Lanes, statement: Statement, mask: Any, address: Any, words: tuple[Any, ...],
    access: Access, name: str | None,
) -> None:  # fmt: skip
    """Words to wherever the addresses point to."""
    for space, here, within in spaces_of(lanes, mask, address, name):
        lanes.batch.spaces[space].store(lanes, statement, here, within, words, access)


def update(
    lanes: Lanes, statement: Statement, mask: Any, address: Any, operands: list[list[Any]],
    change: Callable[..., Any], access: Access, name: str | None,
) -> tuple[Any, ...]:  # fmt: skip
    """Replace words by `change(space, old, *operands)`, one lane after the other; the old words.

    `space` is the name of that which is reached, `operands` are lists of as many words as the
    access has. Of two operands the first is what is compared: only where that is equal, the
    word is written.
    """
    out = np.zeros((access.count, lanes.count), f"u{access.word}")
    for space, here, within in spaces_of(lanes, mask, address, name):
        active = np.ones(lanes.count, bool) if here is None else lanes.spread(here)
        if not active.any():
            continue
        part = Lanes(lanes.batch, lanes.numbers[active])
        words = [[lanes.spread(word)[active] for word in each] for each in operands]
        memory = lanes.batch.spaces[space]
        offset = memory.reach(part, statement, lanes.spread(within)[active], access)
        place = offset // access.nbytes
        rows = memory.rows(access.word, access.count).reshape(-1, access.count)
        old = np.zeros((access.count, len(place)), out.dtype)
        for turn in _turns(place):
            for column in range(access.count):
                before = rows[place[turn], column]
                old[column, turn] = before
                taken = (each[column][turn] for each in words)
                rows[place[turn], column] = change(space, before, *taken)
        wrote = old[0] == words[0][0] if len(words) > 1 else None
        memory.order(part, offset, access, wrote)
        out[:, active] = old
    return tuple(out)


def _turns(place: np.ndarray) -> list[np.ndarray]:
    """Indices in groups without equal places; among equal ones the earlier comes first."""
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
    sizes = np.diff(starts, append=len(place))
    turn = np.arange(len(place)) - np.repeat(starts, sizes)
    by_turn = np.argsort(turn, kind="stable")
    ends = np.cumsum(np.bincount(turn))
    return [order[each] for each in np.split(by_turn, ends[:-1])]
