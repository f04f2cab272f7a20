"""What finds candidates by the remarks of the compiler, and trials of hints: for several rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tileir.codegen.remarks import Outcome, Topic

from .evidence import Evidence, Site
from .numbered import number_of
from .rule import Candidate, Find
from .trials.trial import relaunched

LOWERED = {"num_warps": None, "maxnreg": None, "minnctapersm": None}
HINTS = relaunched("leave hints for warps, registers and resident blocks away", **LOWERED)
RESIDENT = relaunched("ask for one resident block of an SM", minnctapersm=1)
MORE_WARPS = tuple(
    relaunched(f"ask for {warps} warps (num_warps)", num_warps=warps) for warps in (4, 8)
)


def because(topic: Topic, *reasons: str, outcomes: Sequence[Outcome] = (Outcome.MISSED,)) -> Find:
    """Return what finds the remarks on a topic with one of these reasons; of any, if none."""

    def find(evidence: Evidence) -> Iterator[Candidate]:
        for remark in evidence.remarks:
            ids = remark.facts.get("reasons", ())
            assert isinstance(ids, tuple)
            given = not reasons or not set(reasons).isdisjoint(ids)
            if given and remark.topic is topic and remark.outcome in outcomes:
                site = Site(remark.entry, number_of(remark.location))
                yield Candidate(site, f"{remark.what}: {remark.why}")

    return find
