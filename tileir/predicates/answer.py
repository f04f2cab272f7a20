"""What a subject says of a file: its verdict, its text, its values, and how it died if it did."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

from tileir.messages.wording import counted

Kind = Literal["text", "verdict", "values"]
KINDS: tuple[Kind, ...] = ("text", "values", "verdict")
"""What may be compared; of two that both subjects answer, the first one is."""


@dataclass(frozen=True, slots=True)
class Values:
    """What an array holds after all launches: the name of its element type, and its bytes."""

    element: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What a subject says of a file. What it does not answer is None.

    verdict  whether it accepts the file
    text     what it prints of the file
    values   the arrays of all entries after a launch of each
    said     its diagnostics
    crash    what it died of, "" if it lived: a signal, or an internal error
    missing  why it has no answer, "" if it has one: no time, not supported, undefined behaviour
    """

    verdict: bool | None = None
    text: str | None = None
    values: tuple[Values, ...] | None = None
    said: str = ""
    crash: str = ""
    missing: str = ""

    def of(self, kind: Kind) -> object:
        """Return what it answers of one kind, None if nothing."""
        return getattr(self, kind)

    @property
    def summary(self) -> str:
        """What it came to, or why it has come to nothing, on a line."""
        if self.crash or self.missing:
            return _line(self.crash or self.missing)
        if self.verdict is False:
            return _line(f"refuses it: {self.said}")
        if self.values is not None:
            return f"values of {counted(len(self.values), 'array')}"
        return "accepts it"

    def to_bytes(self) -> bytes:
        """Return it in bytes, for the way between processes: a line of JSON, then the arrays."""
        values = None
        if self.values is not None:
            values = [(each.element, len(each.data)) for each in self.values]
        head = {name: value for name, value in asdict(self).items() if name != "values"}
        line = json.dumps(head | {"values": values}).encode()
        return b"\n".join((line, b"".join(each.data for each in self.values or ())))

    @classmethod
    def from_bytes(cls, data: bytes) -> Answer:
        """Return the answer that `to_bytes` was called for."""
        line, _, rest = data.partition(b"\n")
        head = json.loads(line)
        sizes = head.pop("values")
        if sizes is None:
            return cls(**head)
        values, at = [], 0
        for element, size in sizes:
            values.append(Values(element, rest[at : at + size]))
            at += size
        return cls(**head, values=tuple(values))


_LONGEST = 160


def _line(text: str) -> str:
    """Return the first line with something in it, cut off if it is long."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
