"""`tileir reduce`: a file made small while something holds of it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator

from tileir.command_line.argument_parser import number_of_seconds
from tileir.command_line.exit_codes import INTERRUPTED, NO, OK, UsageError, called, fail
from tileir.command_line.files import check_output, write_output
from tileir.command_line.standard_output import json_line, stdout_text
from tileir.commands.modules import (
    add_assume_version,
    bytecode_output,
    open_module,
    version_given,
)
from tileir.commands.progress import progress_bar
from tileir.launch.processors import usable_cpus
from tileir.predicates.options import add_options, predicate_given

from . import reduction
from .reduction import NotInterestingError, Reduced, reduce
from .report import LAYOUT, document, report
from .search import Progress
from .table import PASSES

MOST_JOBS = 64
EXAMPLES = f"""\
examples:
  tileir reduce k.tileirbc --test ./crashes.sh -o small.tileirbc
  tileir reduce k.tileirbc --test 'python ask.py --gpu' -o small.tileirbc --jobs 8
  tileir reduce k.mlir --test ./slow.sh -o small.tileirbc --within 600
  tileir reduce --json k.tileirbc --test ./crashes.sh -o small.tileirbc | jq .after
  tileir dis small.tileirbc > small.mlir

What is printed is the text to paste into a report: what holds, versions, and the module. It can be
assembled again. -o gets the bytecode, after Ctrl-C and --within, too: the smallest one so far.

All that is tried is a valid module. If FILE itself breaks rules, what is tried breaks no others.
The result is the same with any number of jobs.

what is tried, until nothing helps:
{chr(10).join(f"  {row.name:<11} {row.tries}" for row in PASSES)}

{LAYOUT}
exit status: 0 it is reduced, 1 it does not hold of FILE, or no longer of the result, 2 wrong use or
no such file, 3 FILE is not readable, 4 its version is not supported, 5 a tool is missing,
130 interrupted"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Make a module as small as it gets while something holds of it."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("file", metavar="FILE", help="bytecode or text, - for standard input")
    add("-o", "--output", metavar="FILE", required=True, help="where the small bytecode goes")
    add("--jobs", metavar="N", type=int, help="trials at a time (default: CPUs)")
    add(
        "--within",
        metavar="SECONDS",
        type=number_of_seconds,
        help="end after that long with what there is",
    )
    add("--json", action="store_true", help="one JSON document, for programs")
    add_assume_version(parser)
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    check_output(arguments.output, arguments.file)
    bytecode_output(arguments.output, arguments.json)
    if arguments.jobs is not None and not 1 <= arguments.jobs <= MOST_JOBS:
        raise UsageError(f"--jobs is a number from 1 to {MOST_JOBS}")
    predicate = predicate_given(arguments)
    bytecode = open_module(arguments.file, version_given(arguments.assume_version))
    by_default = arguments.of is None and (arguments.says or arguments.matches) is not None
    hint = "; --of names who is asked" if by_default else ""
    with progress_bar("ops less") as show, _told_more(hint):

        def watch(progress: Progress) -> None:
            if show is not None:
                before = progress.before.all_ops
                show(before - progress.now.all_ops, before)

        reduced = reduce(
            bytecode,
            predicate,
            jobs=arguments.jobs or min(usable_cpus(), MOST_JOBS),
            seconds=arguments.within,
            watch=watch,
        )
    write_output(arguments.output, reduced.data)
    name, description = called(arguments.file), predicate.description
    with stdout_text() as out:
        if arguments.json:
            made = document(reduced, arguments.file, arguments.output, description)
            out.write(json_line(made))
        elif arguments.output == "-":
            sys.stderr.write(report(reduced, name, description))
        else:
            out.write(report(reduced, name, description))
    return _ended(reduced)


@contextlib.contextmanager
def _told_more(hint: str) -> Iterator[None]:
    """Add a hint to the error that there is nothing to reduce."""
    try:
        yield
    except NotInterestingError as error:
        raise NotInterestingError(f"{error}{hint}") from None


def _ended(reduced: Reduced) -> int:
    """Say how the reduction ended, if not by itself, and return the exit code."""
    if reduced.ended == reduction.INTERRUPTED:
        return fail("reduce", "interrupted; the file is the smallest one so far", INTERRUPTED)
    if reduced.ended == reduction.TIME:
        fail("reduce", "the time is over; the file is the smallest one so far", OK)
    if not reduced.stable:
        why = "asked once more, it does not hold of the result: the answers are not always the same"
        return fail("reduce", why, NO)
    return OK
