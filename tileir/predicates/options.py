"""The options by which commands are told a predicate, and the predicate that they name."""

from __future__ import annotations

import argparse

from tileir.commands.conventions import UsageError

from .interestingness import InterestingnessTest
from .predicate import Predicate
from .programs import Limits
from .toolkit import INSTALLED, Toolkit

TEST_HELP = """\
a command, which gets the file as its last argument, in an empty folder and without a shell; it says
yes by exit code 0, as for C-Reduce and wasm-tools shrink. It may ask anything, and is killed at
--timeout"""
MIB = 1 << 20


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a predicate, one of which has to be given, and its limits."""
    asked = parser.add_argument_group("what is asked of a file").add_mutually_exclusive_group(
        required=True
    )
    asked.add_argument("--test", metavar="CMD", help=" ".join(TEST_HELP.split()))
    limits = parser.add_argument_group("limits of each time it is asked")
    limits.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=60.0, help="of time (60); then it is no"
    )
    limits.add_argument(
        "--memory", metavar="MIB", type=int, default=4096, help="of memory, on Linux (4096)"
    )


def predicate_given(arguments: argparse.Namespace, toolkit: Toolkit = INSTALLED) -> Predicate:
    """Return the predicate that the arguments name, with the tools of a toolkit.

    UsageError for what makes no sense.
    """
    limits = _limits(arguments)
    try:
        return InterestingnessTest.of(arguments.test, limits, toolkit)
    except ValueError as error:
        raise UsageError(f"--test: {error}") from None


def _limits(arguments: argparse.Namespace) -> Limits:
    if not 0 < arguments.timeout <= 86400:
        raise UsageError("--timeout is a number of seconds above 0")
    if arguments.memory < 1:
        raise UsageError("--memory is a number of MiB above 0")
    return Limits(arguments.timeout, arguments.memory * MIB)
