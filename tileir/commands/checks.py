"""What `tileir run` checks while a kernel runs: on the CPU accesses to memory, if not told else.

A kernel gets addresses, and a wrong extent ends the process where nothing is checked. Runs that
are timed are not checked: there, one run before them is.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import cast

from tileir.command_line.exit_codes import UsageError
from tileir.launch.breakpoints import BREAKS
from tileir.launch.compile_options import CHECKS, Check
from tileir.messages.wording import choice, did_you_mean

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
    asked = _words(arguments.break_on or "")
    if asked and (not on_host or arguments.time):
        raise UsageError("--break is for --target host, without --time")
    check_words("--break", asked, BREAKS)
    return asked


def checks_of(arguments: argparse.Namespace, on_host: bool) -> tuple[list[Check], list[Check]]:
    """Return the checks of one run before all others, and those of the runs that count.

    UsageError for a check that does not exist.
    """
    if arguments.check is None:
        default: list[Check] = [DEFAULT] if on_host else []
        return (default, []) if arguments.time else ([], default)
    asked = _words(arguments.check)
    check_words("--check", asked, CHECKS)
    return [], cast(list[Check], asked)


def check_words(option: str, words: Iterable[str], known: Sequence[str]) -> None:
    """Raise UsageError for a word given to an option that is none of the known ones."""
    for word in words:
        if word not in known:
            more = "both" if len(known) == 2 else "several"
            meant = did_you_mean(word, known)
            raise UsageError(f"{option} takes {choice(known)}, or {more}, not {word!r}{meant}")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
