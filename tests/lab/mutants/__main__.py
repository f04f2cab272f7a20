"""`python -m tests.lab.mutants`: is another suite of tests as strong as the one there was?"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from . import mutation
from .draw import SEED, draw

HERE = Path(__file__).parent
DRAWN = HERE / "drawn.tsv"
ROOT = HERE.parents[2]

STEPS = """\
steps, in this order (trees are checkouts with the same product, such as git worktrees):
  draw                          the mutants, by a seed, into drawn.tsv
  cover old ../before           which test runs which line, once for each suite
  cover new .
  run new .                     each mutant against the tests that run its line
  run old ../before             likewise
  run old ../before --survivors-of new --effort 600
                                what one suite let pass, against the whole other
  check new .                   that every test that noticed something passes without a fault
  table                         what came of it, into results.tsv, and the sum

Everything goes on where it was interrupted: what is done lies in the folder of --state. Two
processes at once: run each step twice, with --share 0/2 and --share 1/2.

Exit code: 0; of `table` 1 if the old suite notices what the new one does not; 2 wrong use.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    given = _parser().parse_args(arguments)
    return given.step(given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.mutants",
        description=__doc__.partition(": ")[2],
        epilog=STEPS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = parser.add_subparsers(required=True, metavar="STEP")
    drawing = steps.add_parser("draw", help="draw the mutants")
    drawing.add_argument("--tree", type=Path, default=ROOT, help="the product (this one)")
    drawing.add_argument("--count", type=int, default=900, help="how many (900, with a reserve)")
    drawing.add_argument("--seed", type=int, default=SEED)
    drawing.set_defaults(step=_draw)
    for name, step, text in (
        ("cover", _cover, "find out which test runs which line"),
        ("run", _run, "try the mutants on a suite"),
        ("check", _check, "run the tests that noticed something, without any fault"),
    ):
        parts = steps.add_parser(name, help=text)
        parts.add_argument("suite", help="what the suite is called: old or new")
        parts.add_argument("tree", type=Path, help="the checkout it is in")
        parts.add_argument("--share", type=_share, default=(0, 1), metavar="N/M")
        parts.set_defaults(step=step)
        if name == "cover":
            parts.add_argument("--parts", type=int, default=24, help="pieces of the run (24)")
        if name == "run":
            parts.add_argument("--from", type=int, default=0, dest="start", metavar="N")
            parts.add_argument("--to", type=int, default=10**6, metavar="N")
            parts.add_argument(
                "--effort",
                type=float,
                default=10.0,
                metavar="SECONDS",
                help="of tests for a mutant, without a fault (10)",
            )
            parts.add_argument(
                "--survivors-of", metavar="SUITE", help="only mutants that this suite let pass"
            )
    table = steps.add_parser("table", help="write the table and print the sum")
    table.set_defaults(step=_table)
    for each in steps.choices.values():
        each.add_argument(
            "--list",
            type=Path,
            default=DRAWN,
            metavar="FILE",
            help="the drawn mutants (drawn.tsv beside this tool)",
        )
        each.add_argument(
            "--state",
            type=Path,
            default=ROOT / "build" / "mutants",
            metavar="FOLDER",
            help="what is done so far (build/mutants)",
        )
    return parser


def _share(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    return int(number), int(of)


def _draw(given: argparse.Namespace) -> int:
    said = f"draw --count {given.count} --seed {given.seed}"
    head = [
        f"drawn by `python -m tests.lab.mutants {said}`{_state_of(given.tree)}",
        "file, place, operator, what stands there, what stands there instead, what runs it",
    ]
    mutation.write(given.list, head, draw(given.tree, given.count, given.seed))
    return 0


def _state_of(tree: Path) -> str:
    """The commit that last changed the product, where git knows."""
    command = ["git", "log", "-1", "--format=%h", "--", *mutation.LAYERS]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    return f" from the product of {done.stdout.strip()}" if done.stdout.strip() else ""


def _cover(given: argparse.Namespace) -> int:
    from .covering import cover
    from .overlay import Overlay

    folder = given.state / given.suite
    overlay = Overlay(given.tree, folder / f"tree-{given.share[0]}")
    cover(overlay, folder / "coverage", given.parts, given.share, _tell)
    return 0


def _run(given: argparse.Namespace) -> int:
    from .overlay import Overlay
    from .reach import Suite
    from .trying import Attempt

    folder = given.state / given.suite
    overlay = Overlay(given.tree, folder / f"tree-{given.share[0]}")
    suite = Suite(overlay.root, folder / "coverage")
    drawn = list(enumerate(mutation.read(given.list)))
    chosen = [
        each for each in drawn[given.start : given.to] if each[0] % given.share[1] == given.share[0]
    ]
    if given.survivors_of:
        let_pass = verdicts(given.state / given.survivors_of)
        chosen = [each for each in chosen if let_pass.get(each[0], {}).get("verdict") == "survived"]
    done = verdicts(folder)
    chosen = [each for each in chosen if not _is_done(done.get(each[0]), given.effort)]
    reaches = suite.reach([each for _, each in chosen])
    if given.survivors_of:  # at length, those first that can be finished
        chosen.sort(key=lambda each: suite.cost(reaches[each[1]].all))
    attempt = Attempt(overlay, suite)
    with open(folder / f"verdicts-{given.share[0]}.jsonl", "a", encoding="utf-8") as results:
        for number, each in chosen:
            verdict = attempt(each, reaches[each], given.effort)
            results.write(json.dumps(verdict.as_row(number)) + "\n")
            results.flush()
            _tell(f"{number} {each.path}:{each.line} {each.operator}: {verdict.in_words()}")
    attempt.close()
    return 0


def _is_done(row: dict | None, effort: float) -> bool:
    return row is not None and (row["complete"] or row["effort"] >= effort)


def verdicts(folder: Path) -> dict[int, dict]:
    """What a suite said so far, by the number of the mutant: the word with the most effort."""
    found: dict[int, dict] = {}
    for row in _rows(folder):
        before = found.get(row["mutant"])
        if before is None or _weight(row) >= _weight(before):
            found[row["mutant"]] = row
    return found


def _weight(row: dict) -> tuple[bool, float]:
    return row["complete"], row["effort"]


def _rows(folder: Path) -> Iterator[dict]:
    for path in sorted(folder.glob("verdicts-*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def _check(given: argparse.Namespace) -> int:
    from .overlay import Overlay
    from .reach import Suite
    from .watching import cold

    folder = given.state / given.suite
    overlay = Overlay(given.tree, folder / f"tree-{given.share[0]}")
    suite = Suite(overlay.root, folder / "coverage")
    noticed = sorted({row["test"] for row in verdicts(folder).values()} & suite.seconds.keys())
    modules = sorted({name.partition("::")[0] for name in noticed})
    outcome = cold(overlay.root, modules, noticed, suite.limit, total=3600)
    _tell(f"{len(noticed)} tests without a fault: {outcome.verdict} {outcome.test} {outcome.why}")
    return int(outcome.killed)


def _table(given: argparse.Namespace) -> int:
    from .table import summary, write

    drawn = mutation.read(given.list)
    old, new = (verdicts(given.state / name) for name in ("old", "new"))
    text, lost = summary(drawn, old, new)
    write(given.list.with_name("results.tsv"), text, drawn, old, new)
    print(text)
    return int(lost > 0)


def _tell(text: str) -> None:
    print(time.strftime("%H:%M:%S"), text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
