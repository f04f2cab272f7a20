"""`tileir guide`: a page about tileir for agents, or an index of a folder of documentation."""

from __future__ import annotations

import argparse
from pathlib import Path

from tileir.command_line.exit_codes import OK, UsageError
from tileir.command_line.files import write_output
from tileir.messages.missing_packages import CODEGEN, needing

EXAMPLES = """\
examples:
  tileir guide                                       a page for agents, in Markdown
  tileir guide -o skills/tileir/SKILL.md             where an agent looks for skills
  tileir guide --index docs -o docs/llms.txt         an index of pages, in the form of llms.txt

The page is made from the help of the commands and the package's own docstring.

exit status: 0, 2 wrong use
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Print a page about tileir for agents: commands, examples, exit codes."
    parser.epilog = EXAMPLES
    parser.add_argument("--index", metavar="FOLDER", help="instead an llms.txt of Markdown pages")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="output file (default: standard output)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from .guide import index, skill

    if arguments.index is None:
        with needing(CODEGEN, "the options of all commands"):
            text = skill()
    elif not Path(arguments.index).is_dir():
        raise UsageError(f"--index {arguments.index}: there is no such folder")
    else:
        text = index(Path(arguments.index))
    write_output(arguments.output, text.encode())
    return OK
