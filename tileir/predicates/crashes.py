"""`--crashes`: a tool, or our compiler, dies of a file instead of refusing it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from .predicate import Verdict
from .subjects import Bench, Subject
from .toolkit import Toolkit


@dataclass(frozen=True, slots=True)
class Crashes:
    """Holds if a subject is ended by a signal, or by an internal error or assertion.

    A diagnostic is no crash, and neither is what takes too long. A GPU crashes if the emulator
    finds what PTX must not do, and the same launch on the CPU has nothing undefined.
    """

    subject: Subject
    bench: Bench = field(default_factory=Bench)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Who is asked."""
        return (self.subject,)

    @property
    def description(self) -> str:
        """When it holds."""
        return f"{self.subject} crashes"

    def using(self, toolkit: Toolkit) -> Self:
        """Return the same question about the tools of a release."""
        return replace(self, bench=self.bench.using(toolkit))

    def examine(self, data: bytes) -> Verdict:
        """Return whether it crashes, and of what."""
        answer = self.subject.ask(data, self.bench)
        if answer.crash:
            return Verdict(True, answer.summary)
        return Verdict(None if answer.missing else False, answer.summary)

    def holds(self, data: bytes) -> bool:
        """Whether it crashes."""
        return self.examine(data).holds is True
