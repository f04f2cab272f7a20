"""`python -m tests.lab.serve`: thousands of requests to one server, and the memory it takes."""

from __future__ import annotations

import argparse

from tests.arguments import positive

from .session import Sample, run

GROWTH, SLACK = 1.1, 16 << 10
"""How much more memory the second half may take than the first one: a factor, and KiB."""

EXAMPLES = """\
examples:
  python -m tests.lab.serve                    10,000 requests
  python -m tests.lab.serve --requests 1000    fewer

One request in two is what other programs ask; the rest are mutants, bombs, wrong parameters, what
is no JSON, and compilations that are cancelled. Every answer is checked, and innocent requests must
be answered as before. Exit code: 0 all answers are right and memory is flat, 1 not so.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.serve",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--requests", type=positive, default=10_000, metavar="N")
    given = parser.parse_args(arguments)
    rows = max(1, given.requests // 20)
    print(f"{'requests':>9}{'seconds':>9}{'front MiB':>11}{'worker MiB':>12}")

    def show(sample: Sample) -> None:
        if sample.requests % rows < max(1, rows // 5):
            sizes = f"{sample.front / 1024:>11.1f}{sample.worker / 1024:>12.1f}"
            print(f"{sample.requests:>9}{sample.seconds:>9.1f}{sizes}", flush=True)

    session = run(given.requests, max(1, rows // 5), show)
    for kind, count in sorted(session.answers.items()):
        print(f"{count:>9}  {kind}")
    print(f"{len(session.workers):>9}  workers seen")
    grown = []
    for who in ("front", "worker"):
        first, second = session.peak(who, 0, 0.5), session.peak(who, 0.5, 1)
        flat = second <= GROWTH * first + SLACK
        grown += [] if flat else [who]
        halves = f"{first / 1024:.1f} MiB in the first half, {second / 1024:.1f} in the second"
        print(f"{who}: at most {halves}: {'flat' if flat else 'it grows'}")
    for problem in session.wrong[:50]:
        print(f"wrong: {problem}")
    print(f"{len(session.wrong)} wrong answers")
    return 1 if session.wrong or grown else 0


if __name__ == "__main__":
    raise SystemExit(main())
