"""A summary of a manifest, and a comparison with an earlier one, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from tileir.messages.tables import UNKNOWN, aligned, number
from tileir.messages.texts import printable
from tileir.messages.wording import counted

from .comparing import Comparison, changed
from .kinds import in_words
from .summary import Group, Summary, title

MOST = 20
"""Items of a list; --json has all."""

MOST_LINES = 10
"""Lines of an item."""

HEADS = ("verb", "target", "jobs", "ok", "failed", "seconds", "median", "longest", "failures")


def rows(summary: Summary) -> Iterator[list[str]]:
    """Yield a row of the table for each group, in the columns of `HEADS`."""
    for group in summary.groups.values():
        yield _row(group)


def _row(group: Group) -> list[str]:
    known = group.as_json()
    counts = [number(known["jobs"]), number(group.ok), number(group.failed)]
    times = [duration(known[name]) for name in ("seconds", "median", "longest")]
    kinds: Counter[str] = Counter()
    for failure, count in group.failures.items():
        kinds[in_words(failure)] += count
    failures = ", ".join(f"{count:,} {words}" for words, count in kinds.most_common())
    return [group.verb, group.target or "", *counts, *times, failures]


def duration(seconds: float | None) -> str:
    """Spell seconds."""
    return UNKNOWN if seconds is None else f"{seconds:,.3f}"


def total(summary: Summary) -> str:
    """Return how many jobs there are, and how many of them failed."""
    return f"{counted(summary.jobs, 'job')}, {len(summary.failed):,} failed"


def lines(summary: Summary) -> Iterator[str]:
    """Yield the lines of a summary."""
    if summary.groups:
        table = aligned([HEADS, *rows(summary)], left=(0, 1, len(HEADS) - 1))
        yield from map(printable, table)
    slowest = summary.slowest
    if slowest:
        yield from ("", "took longest, in seconds:")
        table = aligned([(duration(each["seconds"]), title(each)) for each in slowest], left=(1,))
        yield from (f"  {printable(line)}" for line in table)
    yield from _listed("failed", summary.failed, failed)


def compared(comparison: Comparison) -> Iterator[str]:
    """Yield the lines of a comparison."""
    yield ""
    yield counts(comparison)
    yield from unjudged(comparison)
    yield from _listed("fails anew", comparison.new, failed)
    yield from _listed("worse", comparison.worse, lambda each: changed(*each))
    yield from _listed("better", comparison.better, lambda each: changed(*each))
    yield from _listed("mended", comparison.mended, mended)


def counts(comparison: Comparison) -> str:
    """Return what a comparison comes to, in one line."""
    said = (
        f"{counted(len(comparison.new), 'new failure')}",
        f"{counted(len(comparison.worse), 'figure')} worse",
        f"{len(comparison.better):,} better",
        f"{len(comparison.mended):,} mended",
        f"{comparison.compared:,} compared",
        f"{comparison.added:,} only now",
        f"{comparison.absent:,} only before",
    )
    return f"beside the baseline: {', '.join(said)}"


def unjudged(comparison: Comparison) -> Iterator[str]:
    """Yield a line on what the comparison does not judge, if there is anything."""
    if not comparison.compared:
        yield "nothing was compared: no job is in the manifest and in its baseline"
    elif comparison.absent:
        before = comparison.compared + comparison.absent
        yield f"{comparison.absent:,} of {before:,} jobs of the baseline are missing now"


def failed(job: dict[str, Any]) -> str:
    """Return a job that failed in words; only the message may have lines."""
    before = f" (before: {in_words(job['before'])})" if job.get("before") else ""
    kind = in_words(job["failure"])
    return printable(f"{title(job)}: {kind}{before}: ") + (job["message"] or "")


def mended(job: dict[str, Any]) -> str:
    """Return a job that is well again in words."""
    return printable(f"{title(job)}: was {in_words(job['before'])}")


def shown(item: str) -> list[str]:
    """Return the lines that are shown of an item, as a reason may have many."""
    texts = [printable(line) for line in item.split("\n")]
    more = len(texts) - MOST_LINES
    return [*texts[:MOST_LINES], f"and {counted(more, 'line')} more"] if more > 0 else texts


def _listed(what: str, found: Sequence[Any], spelled: Callable[[Any], str]) -> Iterator[str]:
    if not found:
        return
    yield from ("", f"{what}:")
    for each in islice(found, MOST):
        first, *rest = shown(spelled(each))
        yield f"  {first}"
        yield from (f"    {line}" for line in rest)
    if len(found) > MOST:
        yield f"  and {len(found) - MOST:,} more, which --json has"
