"""`tileir extract`: some functions of a module, with what they need."""

from __future__ import annotations

import argparse

from tileir.commands.modules import check_entry

from .extract import extract
from .module_output import KEYS, STATUS, add_module_arguments, module_given, write_module

EXAMPLES = f"""\
examples:
  tileir extract k.tileirbc --function softmax -o softmax.tileirbc
  tileir extract k.tileirbc --function a --function b -o both.tileirbc
  tileir extract k.tileirbc --function a --emit text
  cat k.tileirbc | tileir extract - --function a | tileir dis -

Written are these functions, in the order of the file, the globals and extern functions that they
refer to, and the types, constants, strings and source locations of these: nothing of the others.

the keys of --json: {KEYS}
functions, their names

{STATUS}
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Write some functions of a Tile IR module, with what they need."
    parser.epilog = EXAMPLES
    add_module_arguments(parser)
    parser.add_argument(
        "--function", metavar="NAME", action="append", required=True, help="once for each"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    given = module_given(arguments)
    for name in arguments.function:
        check_entry(given, name)
    made = extract(given, arguments.function)
    functions = [function.name for function in made.functions]
    write_module(arguments, given, made, functions=functions)
    return 0
