"""The protocol of predicates: a yes or no about the bytes of a file."""

from __future__ import annotations

from typing import NamedTuple, Protocol, Self

from .toolkit import Toolkit


class Predicate(Protocol):
    """A question about the bytes of a file.

    `description` says on one line when it holds: "tileiras for sm_90 crashes". Several threads may
    ask at once, and a copy by `pickle` gives the same answers in another process.
    """

    @property
    def description(self) -> str:
        """When it holds, as a clause without a full stop."""
        ...

    def holds(self, data: bytes) -> bool:
        """Whether it holds of a file with these bytes, which may be no Tile IR at all.

        What takes too long or too much memory is no yes. ToolError if what it needs is missing.
        """
        ...


class Verdict(NamedTuple):
    """Whether a predicate holds of a file, and why.

    holds  yes or no; None if what it asks gave no answer: it took too long, or does not support it
    seen   what was seen, on a line
    """

    holds: bool | None
    seen: str


class Explaining(Predicate, Protocol):
    """A predicate that also says what it has seen, as all predicates of this room do."""

    def using(self, toolkit: Toolkit) -> Self:
        """Return the same question about NVIDIA's tools of a release."""
        ...

    def examine(self, data: bytes) -> Verdict:
        """Return whether it holds, and why; ToolError as `holds`."""
        ...
