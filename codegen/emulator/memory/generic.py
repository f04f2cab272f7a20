"""Accesses by generic addresses: each lane reaches the state space in which its address lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Lanes

from .spaces import CLUSTER_STEP, WINDOWS


def spaces_of(
    lanes: Lanes, statement: Statement, mask: Any, address: Any, name: str | None
) -> list[tuple[str, Any, Any]]:
    """Return space, mask, and address within it for each space that an active lane reaches."""
    if name == "shared::cluster":
        return [("shared", mask, address)]
    if name:
        if name == "shared":
            check_own(lanes, statement, mask, address)
        return [(name, mask, address)]
    shared, local = np.uint64(WINDOWS["shared"]), np.uint64(WINDOWS["local"])
    if not (address >= shared).any():
        return [("global", mask, address)]
    active = np.ones((), bool) if mask is None else mask
    reached = []
    for space, inside, start in (
        ("global", address < shared, np.uint64(0)),
        ("shared", (address >= shared) & (address < local), shared),
        ("local", address >= local, local),
    ):
        here = lanes.broadcast(active & inside)
        if here.any():
            reached.append((space, here, lanes.broadcast(address - start)))
    return reached


def shared_address(
    lanes: Lanes, statement: Statement, address: np.ndarray, name: str | None
) -> np.ndarray:
    """Return addresses within shared memory, of the cluster if `name` says so or is None.

    None means that they are generic, but must lie in shared memory.
    """
    if name is None:
        low, high = np.uint64(WINDOWS["shared"]), np.uint64(WINDOWS["local"])
        wrong = (address < low) | (address >= high)
        if wrong.any():
            first = int(address[wrong][0])
            message = f"the generic address {first:#x} is not in shared memory"
            raise lanes.error("bounds", message, statement, wrong, first)
        return address - low
    if not name.endswith("cluster"):
        check_own(lanes, statement, None, address)
    return address


def check_own(lanes: Lanes, statement: Statement, mask: Any, address: Any) -> None:
    """EmulationError for an address that is in the shared memory of a block of the cluster.

    In the space `shared` or `shared::cta` only the block's own memory has addresses.
    """
    if (address >= np.uint64(CLUSTER_STEP)).any():
        wrong = lanes.broadcast(
            (address >= np.uint64(CLUSTER_STEP)) & (True if mask is None else mask)
        )
        if wrong.any():
            first = int(lanes.broadcast(address)[wrong][0])
            message = f"{first:#x} is an address of shared::cluster, in the space shared::cta"
            raise lanes.error("bounds", message, statement, wrong, first)


def load(
    lanes: Lanes, statement: Statement, mask: Any, address: Any, access: Access, name: str | None
) -> tuple[Any, ...]:
    """Load words from the spaces that the addresses lie in."""
    pieces = spaces_of(lanes, statement, mask, address, name)
    spaces = lanes.batch.spaces
    words = [spaces[space].load(lanes, statement, here, at, access) for space, here, at in pieces]
    if len(words) < 2:
        return words[0] if words else (np.zeros((), f"u{access.word}")[()],) * access.count
    # Where a lane is not in a space, its words are zero.
    return tuple(np.bitwise_or.reduce(each) for each in zip(*words, strict=True))


def store(
    lanes: Lanes,
    statement: Statement,
    mask: Any,
    address: Any,
    words: tuple[Any, ...],
    access: Access,
    name: str | None,
) -> None:
    """Store words to the spaces that the addresses lie in."""
    for space, here, within in spaces_of(lanes, statement, mask, address, name):
        lanes.batch.spaces[space].store(lanes, statement, here, within, words, access)


def update(
    lanes: Lanes,
    statement: Statement,
    mask: Any,
    address: Any,
    operands: list[list[Any]],
    change: Callable[..., Any],
    access: Access,
    name: str | None,
) -> tuple[Any, ...]:
    """Replace words by `change(space, old, *operands)`, one lane after the other.

    `space` is the name of the space reached; each operand is a list of as many words as the access
    has. With two operands the first is compared with the old word, which is only written where
    they are equal. Returns the old words.
    """
    out = np.zeros((access.count, lanes.count), f"u{access.word}")
    for space, here, within in spaces_of(lanes, statement, mask, address, name):
        active = np.ones(lanes.count, bool) if here is None else lanes.broadcast(here)
        if not active.any():
            continue
        part = Lanes(lanes.batch, lanes.numbers[active])
        words = [[lanes.broadcast(word)[active] for word in each] for each in operands]
        memory = lanes.batch.spaces[space]
        offset = memory.reach(part, statement, lanes.broadcast(within)[active], access)
        row = offset // access.nbytes
        rows = memory.rows(access.word, access.count).reshape(-1, access.count)
        old = np.zeros((access.count, len(row)), out.dtype)
        for lanes_of_round in _rounds(row):
            target = row[lanes_of_round]
            for column in range(access.count):
                before = rows[target, column]
                old[column, lanes_of_round] = before
                taken = (each[column][lanes_of_round] for each in words)
                rows[target, column] = change(space, before, *taken)
        wrote = old[0] == words[0][0] if len(words) > 1 else None
        memory.order(part, offset, access, wrote)
        out[:, active] = old
    return tuple(out)


def _rounds(row: np.ndarray) -> list[np.ndarray]:
    """Divide the indices of `row` into rounds without equal rows; of equal ones the first leads."""
    order = np.argsort(row, kind="stable")
    ordered = row[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
    sizes = np.diff(starts, append=len(row))
    number = np.arange(len(row)) - np.repeat(starts, sizes)
    by_round = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number))
    return [order[each] for each in np.split(by_round, ends[:-1])]
