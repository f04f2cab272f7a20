"""What came of it: a row for each mutant, and how many which suite noticed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from .mutation import Mutation

NOTICED = {"killed", "limit", "crash"}

Verdicts = dict[int, dict]

READ_SO = """\
A mutant counts if it runs and changes a result: some test of either suite fails with it, and passes
without. Each suite had some seconds of tests for it, the cheapest that run its line, up to the
first that fails; what the new one let pass was tried at length on both. `neither`: all tests that
run the line pass; `neither yet`: all that were tried, of so many. `limit`: a test took 20 s more
than ten times as long as usual, for a loop without end most likely; `crash`: the process died.
"""

COLUMNS = (
    "number",
    "file",
    "line",
    "operator",
    "what stands there",
    "what stands there instead",
    "counts as",
    "old",
    "by which test",
    "new",
    "by which test",
)


def standing(old: dict | None, new: dict | None) -> str:
    """How a mutant counts: by whom it is noticed, or why not."""
    if old is None or new is None:
        return "not tried"
    by = tuple(row["verdict"] in NOTICED for row in (old, new))
    if any(by):
        return {(True, True): "both", (True, False): "old only", (False, True): "new only"}[by]
    if {old["verdict"], new["verdict"]} == {"unreached"}:
        return "does not run"
    return "neither" if old["complete"] and new["complete"] else "neither yet"


def summary(drawn: list[Mutation], old: Verdicts, new: Verdicts) -> tuple[str, int]:
    """The sum in words, and how many mutants only the old suite notices."""
    states = [standing(old.get(n), new.get(n)) for n in range(len(drawn))]
    counted = _counted(states)
    count = Counter(states[n] for n in counted)
    tried = [n for n, state in enumerate(states) if state != "not tried"]
    by_layer = Counter(drawn[n].path.partition("/")[0] for n in counted)
    ways = Counter(
        row["verdict"]
        for n in counted
        for row in (old[n], new[n])
        if row["verdict"] in NOTICED - {"killed"}
    )
    others = Counter(states[n] for n in tried if n not in set(counted))
    layers = ", ".join(f"{name} {number}" for name, number in sorted(by_layer.items()))
    lines = [
        f"{len(counted)} mutants run and change a result ({layers}), of {len(tried)} tried.",
        f"noticed by both suites: {count['both']}",
        f"by the new suite only: {count['new only']}",
        f"by the old suite only: {count['old only']}",
        f"besides, tried and not counted: {dict(others) or 'none'}",
        f"verdicts by a limit of time or because the process died: {dict(ways) or 'none'}",
    ]
    return "\n".join(lines), count["old only"]


def _counted(states: list[str]) -> list[int]:
    """Those that somebody notices: they run and change a result, since a test saw it."""
    return [n for n, state in enumerate(states) if state in {"both", "new only", "old only"}]


def write(path: Path, text: str, drawn: list[Mutation], old: Verdicts, new: Verdicts) -> None:
    """The table, the sum above it."""
    rows = [f"# {line}" for line in (text + "\n" + READ_SO).splitlines()]
    rows.append("# " + "\t".join(COLUMNS))
    for number, mutation in enumerate(drawn):
        one, other = old.get(number), new.get(number)
        if one is not None or other is not None:
            rows.append("\t".join(_row(number, mutation, one, other)))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def _row(number: int, mutation: Mutation, old: dict | None, new: dict | None) -> list[str]:
    place, operator, before, after = mutation.row()[1:5]
    said = [text for row in (old, new) for text in _said(row)]
    return [
        str(number),
        mutation.path,
        place.partition(":")[0],
        operator,
        before,
        after,
        standing(old, new),
        *said,
    ]


def _said(row: dict | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    words = row["verdict"]
    if words == "survived":
        words = f"survived {row['ran']} tests" + ("" if row["complete"] else f" of {row['reach']}")
    elif words != "unreached":
        words += f" in {row['seconds']:.1f} s"
    test = row["test"] + (f" ({row['why']})" if row["verdict"] in {"limit", "crash"} else "")
    return words, test.replace("\t", " ").replace("\n", " ")
