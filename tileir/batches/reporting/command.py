"""`tileir batch report`: what a manifest says, and whether that is worse than an earlier one."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator

from tileir.batches.manifest import read_manifest
from tileir.command_line.exit_codes import NO, OK, UsageError, called
from tileir.command_line.files import check_output, write_output
from tileir.command_line.standard_output import json_line, stdout_text

from . import lines, parquet
from .comparing import Comparison, compare
from .page import page
from .summary import Summary

NAME = "report"
SUMMARY = "say what a manifest has, as a table or a page, and what is worse than before"
SCHEMA = 1

EXAMPLES = """\
examples:
  tileir batch report verify.jsonl                         counts, what took longest, what failed
  tileir batch report new.jsonl --baseline old.jsonl       fail if anything is worse than it was
  tileir batch report all.jsonl --html report.html         the same as a page that runs no script
  tileir batch report all.jsonl --parquet all.parquet      a row a job, by pyarrow
  tileir batch report all.jsonl --json | jq '.failures[].file'

With --baseline jobs are compared by file, verb, target and options, whatever is in the files. Worse
is a job that fails and was well, failed in another way or was not there, and a figure of a kernel
(registers, spills, shared memory, stack, barriers, code, resident warps) of the verbs that know
them: resources, and compile with --set. Times are not compared. What is better is told.

A job that is missing now is no failure, and a line tells how many are; if no job is in both, there
is nothing to hold and the exit status is 1.

exit status: 0, 1 with --baseline something is worse or nothing was compared, 2 wrong use or no
manifest, 5 no pyarrow"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to a parser."""
    parser.epilog = EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("manifest", metavar="MANIFEST", help="what tileir batch -m has written, or -")
    add("--baseline", metavar="MANIFEST", help="an earlier one, to be no worse than")
    add("--html", metavar="FILE", help="write a page there")
    add("--parquet", metavar="FILE", help="write the records there, as a table")
    add("--json", action="store_true", help="one JSON document, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    inputs = [arguments.manifest, *([arguments.baseline] if arguments.baseline else [])]
    if inputs.count("-") > 1:
        raise UsageError("standard input is one manifest; name a file for the other")
    for option in ("html", "parquet"):
        check_output(getattr(arguments, option), *inputs, option=f"--{option}")
    if arguments.html == "-" or arguments.parquet == "-":
        raise UsageError("--html and --parquet write a file, and standard output has the table")
    compared: Comparison | None = None
    with _opened(arguments.manifest) as path:
        summary = Summary(read_manifest(path))
        if arguments.baseline is not None:
            with _opened(arguments.baseline) as before:
                compared = compare(read_manifest(before), read_manifest(path))
        if arguments.parquet is not None:
            parquet.write(arguments.parquet, read_manifest(path))
    name = called(arguments.manifest)
    if arguments.html is not None:
        write_output(arguments.html, page(name, summary, compared).encode())
    with stdout_text() as out:
        if arguments.json:
            baseline = None if compared is None else compared.as_json()
            document = {"schema": SCHEMA, "manifest": name, **summary.as_json()}
            out.write(json_line({**document, "baseline": baseline}))
        else:
            for line in _lines(name, summary, compared):
                out.write(f"{line}\n")
    return OK if compared is None or compared.holds else NO


def _lines(name: str, summary: Summary, compared: Comparison | None) -> Iterator[str]:
    yield f"{name}: {lines.total(summary)}"
    if summary.jobs:
        yield ""
    yield from lines.lines(summary)
    if compared is not None:
        yield from lines.compared(compared)


@contextlib.contextmanager
def _opened(path: str) -> Iterator[str]:
    """Yield the path of a file with a manifest: of what standard input has, for ``-``."""
    if path != "-":
        yield path
        return
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    number, name = tempfile.mkstemp(prefix="tileir-batch-")
    try:
        with open(number, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield name
    finally:
        os.unlink(name)
