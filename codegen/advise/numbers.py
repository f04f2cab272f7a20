"""The rule about what random numbers show: values that are computed twice, or in a roundabout way.

The kernel is run on a few sets of random arguments, in exact arithmetic. Whatever has the same
numbers in all of them is taken for equal, however it is written; see `random_runs/`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tileir.messages.wording import counted

from . import figures
from .evidence import Evidence, Site
from .random_runs.rewritten import REWRITTEN, planned
from .rule import Candidate, Rule, Sure


def _rewrites(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the values for which there is a cheaper way."""
    for number, planned_for in planned(evidence.copy).items():
        rewrite = planned_for.rewrite
        text = f"{rewrite.op.name}: its elements are those of {rewrite.way}"
        if planned_for.gone:
            ops = counted(len(planned_for.gone), "op")
            text = f"{text}, and {ops} before it only serve to compute it"
        site = Site(evidence.copy.functions[number].name, number)
        yield Candidate(site, text, covers=planned_for.gone)


NUMBERS = (
    Rule(
        "cheaper-value",
        "a value can be had in a cheaper way",
        "On random arguments, and at random places in memory, another value that is there before, "
        "a constant, or a cheaper expression had the same elements as what an op computes or "
        "loads. Rounding did not count, so a conversion to a narrower type and back is in vain, "
        "too; nor did special cases that arguments may never have.",
        "use the cheaper way",
        Sure.LIKELY,
        figures.ALL_WORK,
        _rewrites,
        (REWRITTEN,),
        3.0,
        others=(figures.ALL_MOVED,),
    ),
)
"""The rules, in the order in which they are listed."""
