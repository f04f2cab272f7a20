"""`--says`: what a tool prints about a file has a text in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Self

from .predicate import Verdict
from .subjects import Bench, Subject


@dataclass(frozen=True, slots=True)
class Says:
    """Holds if a regular expression is found in what a subject says or prints, over all lines."""

    pattern: str
    subject: Subject
    bench: Bench = field(default_factory=Bench)

    @classmethod
    def text(cls, text: str, subject: Subject, bench: Bench) -> Self:
        """Return the predicate for a text, in which no character means anything else."""
        return cls(re.escape(text), subject, bench)

    @property
    def description(self) -> str:
        """When it holds."""
        return f"{self.subject} says /{self.pattern}/"

    def examine(self, data: bytes) -> Verdict:
        """Return whether it says so, and the line in which it does."""
        answer = self.subject.ask(data, self.bench)
        for text in filter(None, (answer.said, answer.crash, answer.text)):
            if found := re.search(self.pattern, text, re.MULTILINE):
                start = text.rfind("\n", 0, found.start()) + 1
                return Verdict(True, text[start:].partition("\n")[0].strip())
        return Verdict(None if answer.missing and not answer.said else False, answer.summary)

    def holds(self, data: bytes) -> bool:
        """Whether it says so."""
        return self.examine(data).holds is True
