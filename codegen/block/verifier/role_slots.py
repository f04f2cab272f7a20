"""The slots that one role fills and another one reads, on a run of both: fills meet waits in order.

The producer is run first. What it commits is noted down, for the consumer to wait for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.ir import Op, Region, Value

METHODS = {
    "acquire_slot": "acquire",
    "commit_slot": "commit",
    "release_slot": "release",
    "wait_slot": "wait",
}
"""Mnemonic -> the method of `RoleSlots`."""
Slots = frozenset[tuple[Value, int]]
"""Tiles of rings, each with the number of a slot."""


@dataclass(slots=True)
class RoleSlots:
    """What has been done so far to the slots of rings, by both roles."""

    fills: dict[Value, list[Slots]] = field(default_factory=dict)
    """Full mbarriers -> what has been filled, in order."""
    waits: dict[Value, int] = field(default_factory=dict)
    """Full mbarriers -> how often they have been waited for."""
    empties: dict[Value, Value] = field(default_factory=dict)
    """A ring -> the mbarriers that its producer waits on before it fills a slot."""
    acquired: Slots = frozenset()
    """What the producer may fill."""
    held: Slots = frozenset()
    """What the consumer may read."""

    def acquire(self, op: Op, slots: Slots) -> str:
        """The producer may fill slots; return what is wrong with that, "" if nothing is."""
        for ring in op.operands["rings"]:
            self.empties[ring] = op.operands["barriers"]
        self.acquired |= slots
        return ""

    def commit(self, op: Op, slots: Slots) -> str:
        """The producer has filled slots."""
        self.fills.setdefault(op.operands["barriers"], []).append(slots)
        missing = slots - self.acquired
        self.acquired -= slots
        return "a slot is filled that was not acquired" if missing else ""

    def wait(self, op: Op, slots: Slots) -> str:
        """The consumer may read slots."""
        barriers = op.operands["barriers"]
        number = self.waits.get(barriers, 0)
        self.waits[barriers] = number + 1
        again = slots & self.held
        self.held |= slots
        fills = self.fills.get(barriers, [])
        if again:
            return "a slot is awaited that has not been released since"
        if number >= len(fills):
            return "nobody fills the slot that is awaited"
        return "" if fills[number] == slots else "another slot is filled next than is awaited"

    def release(self, op: Op, slots: Slots) -> str:
        """The consumer has read slots."""
        missing = slots - self.held
        self.held -= slots
        if missing:
            return "a slot is released that was not awaited"
        if any(self.empties.get(ring) is not op.operands["barriers"] for ring, _ in slots):
            return "nobody waits on the mbarriers at which the slot is released"
        return ""

    def end(self) -> str:
        """Return what is wrong once all roles have ended."""
        if self.held or self.acquired:
            return "a slot is not released, or not filled"
        if any(len(fills) != self.waits.get(each) for each, fills in self.fills.items()):
            return "what one role fills, no other one waits for"
        return ""


def trips(loop: Op) -> int:
    """Return how many iterations to run: two, or until every slot was used twice.

    Those that stand before a loop count: each waits for a slot.
    """
    rings = [value for op in loop.walk() for value in op.operands.get("rings", ())]
    before = [
        op
        for op in loop.parent.ops[: loop.index]
        if op.name == "wait_slot" and op.operands["rings"][0] in rings
    ]
    return max([1, *(ring.type.slots for ring in rings)]) + 1 - len(before)


def uses_slots(region: Region) -> bool:
    """Whether a role waits for slots in a region, or releases them."""
    return any(
        each.name in METHODS for block in region.blocks for op in block.ops for each in op.walk()
    )
