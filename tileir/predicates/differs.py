"""`--differs A,B`: two subjects answer the same question about a file differently."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Self

from tileir.errors import UnsupportedError

from .answer import Answer, Kind, Values
from .close import first_difference
from .predicate import Verdict
from .subjects import Bench, Subject, common
from .toolkit import Toolkit


@dataclass(frozen=True, slots=True)
class Differs:
    """Holds if two subjects both answer, and not the same: two texts, two verdicts, or values.

    Who crashes, takes too long or does not support the file has no answer. Values are those of a
    launch of which the CPU's checks find nothing undefined. UnsupportedError for two subjects that
    have nothing to compare.
    """

    one: Subject
    other: Subject
    bench: Bench = field(default_factory=Bench)

    def __post_init__(self) -> None:
        _ = self.kind

    @property
    def kind(self) -> Kind:
        """What is compared."""
        kind = common(self.one, self.other)
        if kind is None or self.one == self.other:
            told = " and ".join(f"{each} gives {_listed(each)}" for each in (self.one, self.other))
            raise UnsupportedError(f"there is nothing to compare: {told}")
        return kind

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Who is asked."""
        return (self.one, self.other)

    @property
    def description(self) -> str:
        """When it holds."""
        noun = {"text": "texts", "verdict": "verdicts", "values": "values"}[self.kind]
        return f"the {noun} of {self.one} and {self.other} differ"

    def using(self, toolkit: Toolkit) -> Self:
        """Return the same question about the tools of a release."""
        return replace(self, bench=self.bench.using(toolkit))

    def examine(self, data: bytes) -> Verdict:
        """Return whether they differ, and where they do first."""
        answers: list[Answer] = []
        for subject in (self.one, self.other):
            answer = subject.ask(data, self.bench)
            if answer.of(self.kind) is None:
                return Verdict(None, f"{subject}: {answer.summary}")
            answers.append(answer)
        seen = _difference(self.kind, *answers)
        if seen is None:
            return Verdict(False, f"the same {self.kind}")
        place, mine, theirs = seen
        return Verdict(True, f"{place}{self.one}: {mine}; {self.other}: {theirs}")

    def holds(self, data: bytes) -> bool:
        """Whether they differ."""
        return self.examine(data).holds is True


def _listed(subject: Subject) -> str:
    return " and ".join(subject.answers)


_Difference = tuple[str, str, str]
"""Where two answers differ first, "" for everywhere, and what each of them has there."""
_SHOWN = 80
"""Characters of a line of text that are shown."""


def _difference(kind: Kind, one: Answer, other: Answer) -> _Difference | None:
    if kind == "verdict":
        return None if one.verdict == other.verdict else ("", one.summary, other.summary)
    if kind == "text":
        return _text_difference(one.text or "", other.text or "")
    return _value_difference(one.values or (), other.values or ())


def _text_difference(one: str, other: str) -> _Difference | None:
    lines = zip_longest(one.split("\n"), other.split("\n"), fillvalue="")
    for number, (mine, theirs) in enumerate(lines, 1):
        if mine != theirs:
            pairs = enumerate(zip(mine, theirs, strict=False))
            same = next((at for at, (a, b) in pairs if a != b), min(len(mine), len(theirs)))
            start = max(0, same - _SHOWN // 2)
            first, second = (repr(line[start : start + _SHOWN]) for line in (mine, theirs))
            return f"line {number}, column {same + 1}: ", first, second
    return None


def _value_difference(one: tuple[Values, ...], other: tuple[Values, ...]) -> _Difference | None:
    for number, (mine, theirs) in enumerate(zip(one, other, strict=True)):
        if mine.data != theirs.data:
            found = first_difference(mine.element, mine.data, theirs.data)
            if found is not None:
                index, first, second = found
                return f"array {number}, element {index}: ", str(first), str(second)
    return None
