"""What a rule is: a row of texts, a figure, where it may apply, and what is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from .evidence import Evidence, Site
from .figures import Figure
from .trials.trial import Trial


class Sure(StrEnum):
    """How sure it is that the fix may be made, and helps; the words are those of reports."""

    CERTAIN = "certain"
    LIKELY = "likely"
    MAYBE = "maybe"


SURE = {
    Sure.CERTAIN: "the kernel computes the same, and the figure improves",
    Sure.LIKELY: "the figure improves, if arguments are as they usually are",
    Sure.MAYBE: "the figure improves, but the kernel or its caller has to change for it",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """Where a rule may apply, and why: in the words of the compiler's remark.

    `fix` says what to change, for rules without trials. `covers` are the numbers of ops that need
    no finding of their own by the same rule, if there is one here.
    """

    site: Site
    why: str
    fix: str = ""
    covers: frozenset[int] = frozenset()


Find = Callable[[Evidence], Iterator[Candidate]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    id           its name in reports, and for ``tileir advise --explain``
    title        what is wrong, in a few words
    explanation  what that costs, and why
    fix          what to do, in general; findings say what exactly
    trials       what is tried; the best counts
    others       further figures, the first of which that improves counts if `figure` does not
    ideal        for rules without trials: the figure with the fix
    weight       how much the figure matters: expected gains are multiplied by it
    """

    id: str
    title: str
    explanation: str
    fix: str
    sure: Sure
    figure: Figure
    find: Find
    trials: tuple[Trial, ...] = ()
    weight: float = 1.0
    ideal: float | None = None
    others: tuple[Figure, ...] = ()
