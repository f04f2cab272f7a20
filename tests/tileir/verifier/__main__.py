"""`python -m tests.tileir.verifier`: our verdict on changed modules beside NVIDIA's."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tileir.formats.version import SUPPORTED

from .agreement import DISAGREEMENTS, Case, Plan, Tally, compare
from .mutants import kinds

OUTCOMES = ("agree", "laxer", "stricter", "unreadable", "unread", "broken", "crashed")

EXAMPLES = """\
outcomes:
  agree       both accept or both refuse
  laxer       we accept what NVIDIA's tool refuses: a rule that is missing
  stricter    we refuse what it accepts
  unreadable  we cannot read it and it refuses it; says nothing about verifiers
  unread      we cannot read what it accepts
  broken      our verifier raised something
  crashed     NVIDIA's tool did

examples:
  python -m tests.tileir.verifier --count 3000 --seed 1            a table of what differs
  python -m tests.tileir.verifier --version 13.4 --kind op_moved   mutants of one kind
  python -m tests.tileir.verifier --number 1234 --seed 1           one mutant again, in full
  python -m tests.tileir.verifier --save /tmp/found --json   examples as files, figures as JSON

Exit code: 0 no disagreement, 1 some, 2 wrong use.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    given = _parser().parse_args(arguments)
    plan = Plan(given.count, given.seed, given.version, given.kind, given.first)
    if given.number is not None:
        return _again(plan, given.number)
    start, tally = time.monotonic(), Tally()
    for case in compare(plan, given.jobs):
        tally.add(case)
        if given.save and case.outcome in DISAGREEMENTS:
            _save(given.save, case)
    if given.json:
        print(json.dumps(as_json(plan, tally), indent=2))
    else:
        console = Console(width=max(Console().width, 120), highlight=False)
        _show(console, plan, tally, given.ops, given.words)
        console.print(f"{time.monotonic() - start:.0f} s with {given.jobs} jobs")
    return 1 if tally.disagreements else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tileir.verifier",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    versions = list(map(str, SUPPORTED))
    parser.add_argument("--count", type=int, default=3000, help="mutants (3000)")
    parser.add_argument("--seed", type=int, default=1, help="other seeds give other mutants (1)")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant (0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--version", default="", choices=versions, metavar="13.x")
    parser.add_argument("--kind", default="", choices=kinds(), metavar="KIND", help="of change")
    parser.add_argument("--number", type=int, help="one mutant, shown in full")
    parser.add_argument("--save", type=Path, metavar="DIR", help="where examples are kept")
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument("--words", action="store_true", help="also where only the words differ")
    parser.add_argument("--ops", action="store_true", help="also count by op and by kind")
    return parser


def _again(plan: Plan, number: int) -> int:
    """One mutant in full, as text if the module can be printed."""
    for case in compare(plan._replace(first=number, count=1)):
        print(json.dumps(_example(case), indent=2, ensure_ascii=False))
        print(case.mutant.data.hex() if len(case.mutant.data) < 2000 else "")
        return 0 if case.outcome == "agree" else 1
    print("no such mutant")
    return 1


def _save(folder: Path, case: Case) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{case.outcome}-{case.mutant.op}-{case.mutant.kind}-{case.number}"
    (folder / f"{stem}.tileirbc").write_bytes(case.mutant.data)
    text = json.dumps(_example(case), indent=2, ensure_ascii=False)
    (folder / f"{stem}.json").write_text(f"{text}\n")


def _example(case: Case) -> dict:
    made = case.mutant
    return {
        "number": case.number,
        "source": made.source,
        "op": made.op,
        "kind": made.kind,
        "change": made.change,
        "outcome": case.outcome,
        "ours": " ".join(case.ours).strip(),
        "theirs": " ".join(case.theirs).strip(),
        "bytes": len(made.data),
    }


def as_json(plan: Plan, tally: Tally) -> dict:
    """All figures, and one example of each disagreement."""
    return {
        "schema": 1,
        "plan": plan._asdict(),
        "outcomes": dict(tally.outcomes),
        "refused by the tool": tally.refused,
        "refused by both": tally.both,
        "in the same words": tally.alike,
        "ops": {name: dict(counts) for name, counts in sorted(tally.ops.items())},
        "kinds": {name: dict(counts) for name, counts in sorted(tally.kinds.items())},
        "messages": dict(tally.messages.most_common()),
        "disagreements": [
            {
                "outcome": outcome,
                "message": message,
                "count": group.count,
                "ops": dict(group.ops),
                "kinds": dict(group.kinds),
                "example": _example(group.example),
            }
            for (outcome, message), group in _sorted(tally)
        ],
    }


def _sorted(tally: Tally) -> list:
    order = {outcome: place for place, outcome in enumerate((*OUTCOMES, "worded"))}
    return sorted(tally.groups.items(), key=lambda item: (order[item[0][0]], -item[1].count))


def _show(console: Console, plan: Plan, tally: Tally, by_op: bool, words: bool) -> None:
    for (outcome, message), group in _sorted(tally):
        if outcome not in DISAGREEMENTS and not words:
            continue
        case = group.example
        console.print(f"[bold]{outcome}[/] {group.count} times: ", end="")
        console.out(message)
        console.out(f"  in {_counts(group.ops)}; by {_counts(group.kinds)}")
        console.out(f"  number {case.number} of {case.mutant.source}: {case.mutant.change[:300]}")
        console.out(f"  ours: {' '.join(case.ours)[:300]}".replace("\n", "\n    "))
        console.out(f"  theirs: {' '.join(case.theirs)[:600]}")
    if by_op:
        for title, rows in (("op", tally.ops), ("kind", tally.kinds)):
            table = Table(title, *OUTCOMES, "all", box=None)
            for name, counts in sorted(rows.items()):
                cells = [str(counts[outcome] or "") for outcome in OUTCOMES]
                table.add_row(name, *cells, str(counts.total()))
            console.print(table)
    total = tally.outcomes.total()
    shown = ", ".join(f"{tally.outcomes[outcome]:,} {outcome}" for outcome in OUTCOMES)
    console.print(
        f"{total:,} mutants of seed {plan.seed}: {shown}; {tally.refused:,} refused by the tool "
        f"with {len(tally.messages)} different messages, {len(tally.ops)} ops, "
        f"{len(tally.kinds)} kinds; {tally.alike:,} of {tally.both:,} refused in the same words"
    )


def _counts(counter: Counter[str]) -> str:
    most = counter.most_common(6)
    more = f", {len(counter) - 6} more" if len(counter) > 6 else ""
    return ", ".join(f"{name} {number}" for name, number in most) + more


if __name__ == "__main__":
    raise SystemExit(main())
