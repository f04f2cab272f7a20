"""One mutant against one suite: the tests that can notice it, until one does."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from .mutation import Mutation
from .overlay import Overlay
from .reach import Reach, Suite
from .watching import Outcome, Server, cold

FIRST_MODULES = 5
"""Modules whose tests a run that imports anew tries first, since collecting takes time."""

FIRST_SECONDS = 3.0
"""Seconds of tests that it tries first."""

ASIDE = 2.5
"""Seconds of the effort that are for tests that run other lines of the module only.

What a function returned may have been kept since an earlier test, so these may notice too.
"""


@dataclass
class Verdict:
    """What a suite says of a mutant."""

    verdict: str
    """`killed`, `limit` (a loop without end, most likely), `crash`, `survived` or `unreached`."""
    test: str
    """Which test noticed."""
    why: str
    seconds: float
    ran: int
    """Tests that ran, the one that noticed too."""
    reach: int
    """Tests that run the line, or, where an import runs it, something of the module."""
    complete: bool
    """Whether all of those have run, or one noticed."""
    how: str
    """`fork`: changed in a process that had imported the product; `anew`: before any import."""
    effort: float
    """For so many seconds of tests, as they take without a fault."""

    def in_words(self) -> str:
        """For whoever watches."""
        ran = f"{self.ran} tests of {self.reach}"
        return f"{self.verdict} {self.test}, {ran}, {self.how}, {self.seconds} s"

    def as_row(self, number: int) -> dict:
        """For a file of results."""
        return {"mutant": number, **asdict(self)}


class Attempt:
    """A suite that is ready to be tried."""

    def __init__(self, overlay: Overlay, suite: Suite) -> None:
        self._overlay, self._suite = overlay, suite
        self._server: Server | None = None

    def close(self) -> None:
        """End its processes."""
        if self._server:
            self._server.close()
            self._server = None

    def __call__(self, mutation: Mutation, reach: Reach, effort: float) -> Verdict:
        """Try tests that take `effort` seconds together without a fault, cheapest first."""
        while True:
            verdict = self._try(mutation, reach, effort)
            if verdict.verdict != "limit" or not self._is_slow(verdict):
                return verdict

    def _try(self, mutation: Mutation, reach: Reach, effort: float) -> Verdict:
        near = reach.by_module if reach.at_import or reach.by_line else set()
        total = len(reach.all)
        if not total:
            return Verdict("unreached", "", "", 0.0, 0, 0, True, "", effort)
        first = self._within(reach.by_line, reach.words, effort)
        more = ASIDE if first and not reach.at_import else effort
        aside = self._within(near, reach.words, more)
        self._server = self._server or Server(self._overlay.root, self._modules(None))
        last, how, ran, seconds = Outcome("passed"), "", 0, 0.0
        with self._overlay.with_fault(mutation) as fault:
            for last, how in self._outcomes(mutation, fault, reach, [*first, *aside]):
                seconds += last.seconds
                ran = last.ran if how == "fork" else ran + last.ran
                self._suite.learn(last.took)
        verdict = {"failed": "killed", "passed": "survived"}.get(last.verdict, last.verdict)
        complete = last.killed or len(first) + len(aside) * reach.at_import >= total
        why = last.why if last.killed else ""
        seconds = round(seconds, 2)
        return Verdict(verdict, last.test, why, seconds, ran, total, complete, how, effort)

    def _is_slow(self, verdict: Verdict) -> bool:
        """Whether a test took too long because it does so without a fault too.

        What others left ready for it when costs were measured it may have to make itself now.
        """
        if verdict.test not in self._suite.seconds:
            return False
        self._server = self._server or Server(self._overlay.root, self._modules(None))
        plain = self._server.run(None, [verdict.test], lambda name: 600.0, 600.0)
        allowed = self._suite.limit(verdict.test)
        self._suite.learn({verdict.test: plain.seconds})
        return plain.seconds > allowed / 4

    def _outcomes(
        self, mutation: Mutation, fault: tuple[str, str, str], reach: Reach, chosen: list[str]
    ) -> Iterator[tuple[Outcome, str]]:
        """Runs until one notices. What an import runs too counts only if it is noticed anew."""
        if mutation.in_function:
            outcome = self._forked(fault, chosen)
            if outcome.verdict != "impossible" and not reach.at_import:
                yield outcome, "fork"
                return
            if outcome.killed and outcome.test in self._suite.seconds:
                again = self._anew([outcome.test])
                yield again, "anew"
                if again.killed:
                    return
        for batch in self._batches(chosen):
            outcome = self._anew(batch)
            yield outcome, "anew"
            if outcome.killed:
                return

    def _forked(self, fault: tuple[str, str, str], chosen: Sequence[str]) -> Outcome:
        try:
            return self._server.run(fault, chosen, self._suite.limit, self._total(chosen))
        except (EOFError, OSError):  # it has gone, and must not be started with a fault in place
            self.close()
            return Outcome("impossible")

    def _anew(self, chosen: Sequence[str]) -> Outcome:
        return cold(
            self._overlay.root,
            self._modules(chosen),
            chosen,
            self._suite.limit,
            total=60 + self._total(chosen),
        )

    def _modules(self, chosen: Sequence[str] | None) -> list[str]:
        names = self._suite.seconds if chosen is None else chosen
        return sorted({name.partition("::")[0] for name in names})

    def _total(self, chosen: Sequence[str]) -> float:
        return 120 + 6 * self._suite.cost(chosen)

    def _within(self, names: set[str], words: frozenset[str], effort: float) -> list[str]:
        ordered = self._suite.ordered(names, words)
        costs = itertools.accumulate(self._suite.seconds[name] + 0.003 for name in ordered)
        return ordered[: max(sum(cost <= effort for cost in costs), 1)]

    def _batches(self, chosen: list[str]) -> Iterator[list[str]]:
        """A few tests of few modules, then the rest."""
        first: list[str] = []
        modules: set[str] = set()
        cost = 0.0
        for name in chosen:
            module = name.partition("::")[0]
            if module not in modules:
                if len(modules) == FIRST_MODULES:
                    continue
                cost += self._suite.collecting.get(module, 0)
            cost += self._suite.seconds[name]
            if first and cost > FIRST_SECONDS:
                break
            modules.add(module)
            first.append(name)
        yield first
        taken = set(first)
        if rest := [name for name in chosen if name not in taken]:
            yield rest
