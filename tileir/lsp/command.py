"""`tileir lsp`: a language server for Tile IR text, and a grammar that colours it."""

from __future__ import annotations

import argparse
import sys

from tileir.command_line.exit_codes import OK, UsageError
from tileir.command_line.files import write_output
from tileir.messages.missing_packages import needing

EXAMPLES = """\
examples:
  tileir lsp                                    what an editor starts, with pipes on both sides
  tileir lsp --grammar > tileir.tmLanguage.json a TextMate grammar, for VS Code, Sublime Text ...

The server shows errors of the assembler and of tileir verify at their places; it knows types of
values and the documentation of ops, definitions and references, symbols, completion, and layout,
which keeps names and comments. Files are texts as `tileir dis` prints them.

exit status: 0, 2 wrong use, 5 the package pygls is not installed
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Serve editors: diagnostics, hover, definitions, completion, layout."
    parser.epilog = EXAMPLES
    parser.add_argument("--stdio", action="store_true", help="over standard streams (the default)")
    parser.add_argument("--grammar", action="store_true", help="print a TextMate grammar instead")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.grammar:
        from tileir.text.textmate import grammar_text

        if arguments.stdio:
            raise UsageError("--grammar prints a grammar, and serves nobody")
        write_output(None, grammar_text().encode())
        return OK
    with needing(("pygls", "lsprotocol"), "serving an editor"):
        from .server import make_server
    with open(sys.stdout.fileno(), "wb", closefd=False) as out:  # pygls closes it at the end
        make_server().start_io(stdout=out)
    return OK
