"""What `tileir run` checks while a kernel runs: on the CPU accesses to memory, if not told else.

A kernel gets addresses, and a wrong extent ends the process where nothing is checked. Runs that
are timed are not checked: there, one run before them is.
"""

from __future__ import annotations

import argparse
from typing import cast

from tileir.launch.breakpoints import BREAKS
from tileir.launch.compile_options import Check
from tileir.messages.wording import choice, did_you_mean

from .conventions import UsageError

DEFAULT: Check = "memory"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add --check and --no-check."""
    parser.add_argument(
        "--check",
        metavar="WHAT",
        help="what to check while it runs: memory (accesses stay within the arrays; the default on "
        "the CPU), undefined (results are defined, assumptions true), nan (no op makes a NaN or an "
        "infinity), or several, as in memory,undefined",
    )
    parser.add_argument(
        "--break",
        metavar="WHAT",
        dest="break_on",
        help="open pdb with the kernel's variables where an assertion fails (assert), where a "
        "check finds something (finding), or at both (assert,finding); print them if nobody is at "
        "a terminal",
    )
    parser.add_argument(
        "--no-check",
        action="store_const",
        const="",
        dest="check",
        help="check nothing, which is faster; the runs that --time measures are not checked anyway",
    )


def breaks_of(arguments: argparse.Namespace, on_host: bool) -> list[str]:
    """Return at what to stop. UsageError for what does not exist, or not there."""
    asked = [word.strip() for word in (arguments.break_on or "").split(",") if word.strip()]
    if asked and (not on_host or arguments.time):
        raise UsageError("--break is for --target host, without --time")
    for word in asked:
        if word not in BREAKS:
            meant = did_you_mean(word, BREAKS)
            raise UsageError(f"--break takes {choice(BREAKS)}, or both, not {word!r}{meant}")
    return asked


def checks_of(arguments: argparse.Namespace, on_host: bool) -> tuple[list[Check], list[Check]]:
    """Return the checks of one run before all others, and those of the runs that count.

    UsageError for a check that does not exist.
    """
    from tileir.codegen.api import CHECKS

    if arguments.check is None:
        default: list[Check] = [DEFAULT] if on_host else []
        return (default, []) if arguments.time else ([], default)
    asked = [word.strip() for word in arguments.check.split(",") if word.strip()]
    for word in asked:
        if word not in CHECKS:
            meant = did_you_mean(word, CHECKS)
            raise UsageError(f"--check takes {choice(CHECKS)}, or several, not {word!r}{meant}")
    return [], cast(list[Check], asked)
