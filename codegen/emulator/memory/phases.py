"""One mbarrier: its phase, the arrivals and bytes that are pending, and what arrivals hand over."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tileir.codegen.emulator.threads.snapshots import Snapshot

MOST = (1 << 20) - 1
"""The largest count of arrivals, and of bytes in either direction (PTX ISA, "mbarrier")."""
_TAG, _TAG_BITS, _PHASE_BITS = 0x5A, 56, 20
"""A state has a tag, the phase and the pending arrivals, from the highest bits to the lowest."""
_PHASES = 0xFFFF_FFFF


@dataclass(slots=True)
class Mbarrier:
    """An mbarrier while it lives."""

    block: int
    """The block of the batch that has it."""
    address: int
    expected: int
    pending: int
    agent: int
    made: tuple[int, int]
    """Lane of the launch, and time, of its `init`."""
    bytes: int = 0
    """Bytes expected and not yet there; negative if they have come before anybody expects them."""
    phase: int = 0
    gathered: Snapshot = field(default_factory=Snapshot)
    """What those know who have arrived in this phase."""
    complete: Snapshot = field(default_factory=Snapshot)
    """What those know who have arrived in earlier phases."""
    waiting: list[np.ndarray] = field(default_factory=list)

    def state(self) -> int:
        """Return the state before an arrival, as `mbarrier.arrive` does."""
        return _TAG << _TAG_BITS | (self.phase & _PHASES) << _PHASE_BITS | self.pending

    def past(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return whether the phases of states are over, and whether they are no such states.

        Only this phase and the last one can be asked for.
        """
        of = (states >> np.uint64(_PHASE_BITS)) & np.uint64(_PHASES)
        past = of != np.uint64(self.phase & _PHASES)
        wrong = states >> np.uint64(_TAG_BITS) != np.uint64(_TAG)
        return past, wrong | (past & (of != np.uint64(self.phase - 1 & _PHASES)))

    def past_parity(self, parities: np.ndarray) -> np.ndarray:
        """Return whether the phases of these parities, of this phase and the last, are over."""
        return (parities & np.uint64(1)) != np.uint64(self.phase & 1)

    def advance(self, column: int, width: int) -> None:
        """Begin the next phase; that this one is complete is a time of a column of the grid."""
        self.phase += 1
        self.pending = self.expected
        known = self.complete.joined(self.gathered)
        self.complete = known.knowing(column, self.phase, width)
        self.gathered = Snapshot()


def pending_count(state: np.ndarray) -> np.ndarray:
    """Return the arrivals that were pending in a state."""
    return (state & np.uint64(MOST)).astype(np.uint32)
