"""The options by which commands are told a predicate, and the predicate that they name."""

from __future__ import annotations

import argparse
import re

from tileir.command_line.argument_parser import number_of_mebibytes, number_of_seconds
from tileir.command_line.exit_codes import UsageError
from tileir.commands.launch_options import GRID, grid_given
from tileir.errors import UnsupportedError

from .crashes import Crashes
from .differs import Differs
from .interestingness import InterestingnessTest
from .predicate import Explaining
from .programs import Limits
from .says import Says
from .subjects import SPELLED, Bench, Subject
from .toolkit import INSTALLED, Toolkit

_WHO = ", ".join(SPELLED)

TEST_HELP = """\
a command that gets the file as its last argument, in an empty folder and without a shell, says yes
by exit code 0, as for C-Reduce and wasm-tools shrink. Names of files in CMD are made absolute."""
CRASHES_HELP = f"""\
it dies of the file, by a signal or an internal error; what it refuses with a diagnostic, or what
takes too long, is no crash. WHO is one of {_WHO}"""
SAYS_HELP = "what is printed about the file, diagnostics or text, contains this text"
MATCHES_HELP = "the same for a regular expression of Python, in which ^ and $ match at each line"
OF_HELP = "of whom --says and --matches speak (default: tileiras:sm_100)"
DIFFERS_HELP = """\
two of them answer differently: dis,tileirdisasm prints another text; verify,tileirdisasm or
verify,tileiras:sm_90 accept it or not; host,sm_90 or sm_80,sm_90 compute other values on the CPU
and on the emulator. Each entry is launched with arguments made by the roles of its parameters; what
cannot be launched or compiled does not differ, nor what the CPU's checks find undefined, nor floats
that are as close as rounding may leave them"""
GRID_HELP = "tile blocks of launches (default: 2 along each axis whose block index is used)"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a predicate, one of which has to be given, and its limits."""
    group = parser.add_argument_group("what is asked of a file (one of these)")
    asked = group.add_mutually_exclusive_group()
    asked.add_argument("--test", metavar="CMD", help=_filled(TEST_HELP))
    asked.add_argument("--crashes", metavar="WHO", help=_filled(CRASHES_HELP))
    asked.add_argument("--says", metavar="TEXT", help=SAYS_HELP)
    asked.add_argument("--matches", metavar="REGEX", help=MATCHES_HELP)
    asked.add_argument("--differs", metavar="A,B", help=_filled(DIFFERS_HELP))
    group.add_argument("--of", metavar="WHO", help=OF_HELP)
    group.add_argument("--grid", metavar=GRID, help=GRID_HELP)
    limits = parser.add_argument_group("limits of each time it is asked")
    limits.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=number_of_seconds,
        default=60.0,
        help="of time (60); then it is no",
    )
    limits.add_argument(
        "--memory",
        metavar="MIB",
        type=number_of_mebibytes,
        default=4096,
        help="of memory, on Linux (4096)",
    )


def is_given(arguments: argparse.Namespace) -> bool:
    """Whether the arguments name a predicate."""
    names = ("test", "crashes", "says", "matches", "differs")
    return any(getattr(arguments, name) is not None for name in names)


def predicate_given(arguments: argparse.Namespace, toolkit: Toolkit = INSTALLED) -> Explaining:
    """Return the predicate that the arguments name, with the tools of a toolkit.

    UsageError for what makes no sense, UnsupportedError for subjects that there are not.
    """
    limits = limits_of(arguments)
    if arguments.of is not None and arguments.says is None and arguments.matches is None:
        raise UsageError("--of is for --says and --matches")
    grid = None if arguments.grid is None else grid_given(arguments.grid, 1)
    bench = Bench(limits, toolkit, grid)
    if arguments.test is not None:
        try:
            return InterestingnessTest.of(arguments.test, limits, toolkit)
        except ValueError as error:
            raise UsageError(f"--test: {error}") from None
    if arguments.crashes is not None:
        return Crashes(_subject("--crashes", arguments.crashes), bench)
    if arguments.differs is not None:
        return _differs(arguments.differs, bench)
    who = _subject("--of", arguments.of or "tileiras")
    if arguments.says is not None:
        return Says.text(arguments.says, who, bench)
    if arguments.matches is not None:
        try:
            re.compile(arguments.matches)
        except (re.error, OverflowError, RecursionError) as error:
            raise UsageError(f"--matches: {error}") from None
        return Says(arguments.matches, who, bench)
    raise UsageError("say what is asked: --test, --crashes, --says, --matches or --differs")


def _differs(text: str, bench: Bench) -> Differs:
    one, comma, other = text.partition(",")
    if not comma or "," in other:
        raise UsageError(f"--differs takes two, as in dis,tileirdisasm, not {text!r}")
    try:
        return Differs(_subject("--differs", one), _subject("--differs", other), bench)
    except UnsupportedError as error:
        raise UsageError(f"--differs: {error}") from None


def _subject(option: str, text: str) -> Subject:
    try:
        return Subject.of(text)
    except UnsupportedError as error:
        raise UsageError(f"{option}: {error}") from None


def limits_of(arguments: argparse.Namespace) -> Limits:
    """Return the limits that the arguments set."""
    return Limits(arguments.timeout, arguments.memory << 20)


def _filled(text: str) -> str:
    return " ".join(text.split())
