"""`--says`: what a tool prints about a file has a text in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Self

from tileir.messages.texts import printable

from .predicate import Verdict
from .subjects import Bench, Subject
from .toolkit import Toolkit


@dataclass(frozen=True, slots=True)
class Says:
    """Holds if a regular expression is found in what a subject says or prints, over all lines."""

    pattern: str
    subject: Subject
    bench: Bench = field(default_factory=Bench)
    literal: str | None = None
    """The text that the pattern was made of, if it was."""

    @classmethod
    def text(cls, text: str, subject: Subject, bench: Bench) -> Self:
        """Return the predicate for a text, in which no character means anything else."""
        return cls(re.escape(text), subject, bench, text)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Who is asked."""
        return (self.subject,)

    @property
    def description(self) -> str:
        """When it holds."""
        return f"{self.subject} says {self.wanted}"

    @property
    def wanted(self) -> str:
        """What is looked for, on a line: a text in quotes, or an expression in slashes."""
        return printable(f"/{self.pattern}/" if self.literal is None else f'"{self.literal}"')

    def using(self, toolkit: Toolkit) -> Self:
        """Return the same question about the tools of a release."""
        return replace(self, bench=self.bench.using(toolkit))

    def examine(self, data: bytes) -> Verdict:
        """Return whether it says so, and the line in which it does."""
        answer = self.subject.ask(data, self.bench)
        for text in filter(None, (answer.said, answer.crash, answer.text)):
            verdict = self.said_in(text)
            if verdict.holds:
                return verdict
        return Verdict(None if answer.missing else False, answer.summary)

    def said_in(self, text: str) -> Verdict:
        """Return whether it is found in a text, and the line in which it is."""
        found = re.search(self.pattern, text, re.MULTILINE)
        if found is None:
            return Verdict(False, "")
        start = text.rfind("\n", 0, found.start()) + 1
        return Verdict(True, text[start:].partition("\n")[0].strip())

    def holds(self, data: bytes) -> bool:
        """Whether it says so."""
        return self.examine(data).holds is True
