"""The operands of an op whose body has its uses tracked: the op learns of every change."""

from __future__ import annotations

from typing import Any, Protocol


class User(Protocol):
    """The `Op` that has the operands, as far as they need it."""

    def operand_changed(self, before: object) -> None:
        """Note that an operand slot has changed; `before` is what was in it."""


class Operands(dict[str, Any]):
    """The operands of a tracked op, which is entered among the users of its values."""

    __slots__ = ("op",)

    def __init__(self, op: User, operands: dict[str, Any]) -> None:
        super().__init__(operands)
        self.op = op

    def __setitem__(self, slot: str, operand: Any) -> None:
        before = self.get(slot)
        super().__setitem__(slot, operand)
        self.op.operand_changed(before)

    def __delitem__(self, slot: str) -> None:
        self.pop(slot)

    def pop(self, slot: str, *default):
        """Take out a slot; an op without one of its slots is malformed."""
        before = self.get(slot)
        found = super().pop(slot, *default)
        self.op.operand_changed(before)
        return found

    def popitem(self) -> tuple[str, Any]:
        """Take out the last slot."""
        slot = next(reversed(self))
        return slot, self.pop(slot)

    def clear(self) -> None:
        """Take out all slots."""
        for slot in list(self):
            self.pop(slot)

    def update(self, *others, **named) -> None:
        """Set several slots."""
        for slot, operand in dict(*others, **named).items():
            self[slot] = operand

    def setdefault(self, slot: str, default: Any = None) -> Any:
        """Return the operand of a slot, and set it if there is none."""
        if slot not in self:
            self[slot] = default
        return self[slot]

    def __ior__(self, other):
        self.update(other)
        return self
