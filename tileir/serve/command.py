"""`tileir serve`: answer requests of another program, until it has had enough."""

from __future__ import annotations

import argparse
import sys

from tileir.command_line.argument_parser import (
    counting_number,
    number_of_mebibytes,
    number_of_seconds,
)
from tileir.command_line.exit_codes import OK, USAGE, UsageError, fail
from tileir.supervisor.memory import LIMITED

EXAMPLES = """\
examples:
  tileir serve --stdio                          what a client starts, with pipes on both sides
  tileir serve --stdio --seconds 10 --memory 1024
  tileir serve --stdio --workers 4              four requests at once
  python -c "help('tileir.serve')"              the protocol: methods, parameters, errors

Messages are JSON-RPC 2.0 with Content-Length, as those of language servers; bytes are in base64,
and no request names a file. A request that takes too long or too much memory, or crashes, is
answered by an error, and harms no other one. examples/clients has clients in C and Rust.

Exit code 0: the client has had enough; 2: its last message was none, or broke off.
"""

SECONDS, MEMORY, REQUEST = 120, 4096, 16
"""Limits unless said otherwise: of time, of a worker's memory and of a request, in MiB."""
MOST_WORKERS = 1024


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Answer requests of another program: JSON-RPC over standard streams."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("--stdio", action="store_true", help="read requests from stdin, write answers to stdout")
    add("--seconds", type=number_of_seconds, default=SECONDS, metavar="S",
        help=f"how long a request may take (default: {SECONDS})")  # fmt: skip
    memory = MEMORY if LIMITED else None
    add("--memory", type=number_of_mebibytes, default=memory, metavar="MIB",
        help=f"memory of a worker, on Linux (default: {MEMORY})")  # fmt: skip
    add("--request", type=number_of_mebibytes, default=REQUEST, metavar="MIB",
        help=f"the longest request (default: {REQUEST})")  # fmt: skip
    add(
        "--workers",
        type=counting_number,
        default=1,
        metavar="N",
        help="requests at once (default: 1)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from .front import Front, Settings

    if not arguments.stdio:
        raise UsageError("give --stdio: there is no other way to reach it yet")
    if arguments.workers > MOST_WORKERS:
        raise UsageError(f"--workers {arguments.workers} is more than {MOST_WORKERS}")
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("standard input or output is closed")
    memory = None if arguments.memory is None else arguments.memory << 20
    settings = Settings(arguments.seconds, memory, arguments.request << 20, arguments.workers)
    problem = Front(sys.stdin.buffer, sys.stdout.buffer, settings).run()
    return fail("serve", problem, USAGE) if problem else OK
