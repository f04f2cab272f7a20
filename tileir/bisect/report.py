"""What a search has found, as a table for people and as JSON for programs."""

from __future__ import annotations

from tileir.messages.texts import printable

from .search import Change, Found

SCHEMA = 1

_SHOWN = 120
"""Most characters of what was seen that the table has; JSON has all of it."""
_WORDS = {True: "yes", False: "no", None: "no answer"}


def as_text(found: Found, what: str, question: str) -> str:
    """Return the table of verdicts, and what it comes to."""
    rows = []
    for point in found.points:
        if point.verdict is None:
            rows.append((point.name, "not asked", ""))
        else:
            rows.append((point.name, _WORDS[point.verdict.holds], _cut(point.verdict.seen)))
    wide = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    lines = [question]
    for name, word, seen in rows:
        lines.append(printable(f"  {name:<{wide[0]}}  {word:<{wide[1]}}  {seen}").rstrip())
    lines += [_told(change, what) for change in found.changes]
    if not found.changes and found.answered:
        always = "yes" if found.answered[0][1] else "no"
        noun = what.removesuffix("s")
        if len(found.answered) == len(found.points):
            lines.append(f"no {noun} changes the answer: {always} everywhere")
        elif all(point.verdict is not None for point in found.points):
            lines.append(f"no {noun} changes the answer: {always} wherever there is one")
        else:
            lines.append(f"{always} at both ends; --all asks each {noun} between them, too")
    return "\n".join(lines) + "\n"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _told(change: Change, what: str) -> str:
    noun = what.removesuffix("s")
    verb = "holds" if change.holds else "ceases to hold"
    text = f"first {noun} where it {verb}: {change.after} ({change.before} -> {change.after})"
    return f"{text}, but {', '.join(change.between)} had no answer" if change.between else text


def no_answer(found: Found) -> str:
    """Return why there is no answer anywhere: what the last point that was asked said."""
    verdicts = [point.verdict for point in found.points if point.verdict is not None]
    seen = [verdict.seen for verdict in verdicts if verdict.seen]
    return f"no answer at all: {seen[-1] if seen else 'there is nothing to ask'}"


def as_json(found: Found, what: str, question: str, problem: str) -> dict[str, object]:
    """Return the same for programs."""
    return {
        "schema": SCHEMA,
        "question": printable(question),
        "between": what,
        "points": [
            {
                "name": point.name,
                "asked": point.verdict is not None,
                "holds": None if point.verdict is None else point.verdict.holds,
                "seen": None if point.verdict is None else printable(point.verdict.seen),
            }
            for point in found.points
        ],
        "changes": [
            {
                "before": change.before,
                "after": change.after,
                "holds": change.holds,
                "no_answer": list(change.between),
            }
            for change in found.changes
        ],
        "problem": problem or None,
    }
