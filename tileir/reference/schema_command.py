"""`tileir schema`: the JSON Schema of what a command prints for programs."""

from __future__ import annotations

import argparse
import json

from tileir.command_line.exit_codes import OK, UsageError
from tileir.command_line.files import write_output
from tileir.messages.missing_packages import CODEGEN, needing
from tileir.messages.wording import did_you_mean

from .schemas.catalogue import SCHEMAS, schema_of

EXAMPLES = """\
examples:
  tileir schema verify                  the schema of tileir verify --json
  tileir schema compile                 that of launch plans, tileir compile --emit plan
  tileir schema                         which commands print JSON, and what it is
  tileir schema --all -o schemas.json   an object, command -> its schema

They are JSON Schema, draft 2020-12. Where a command prints an object a line, the schema is that of
each. An output may get more keys in time, and a reader ignores those it does not know; the number
under the key `schema` is another one when a key goes or means something else.

exit status: 0, 2 wrong use
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Print the JSON Schema of what a command prints with --json."
    parser.epilog = EXAMPLES
    parser.add_argument("command", metavar="COMMAND", nargs="?", help="one that has --json")
    parser.add_argument("--all", action="store_true", help="all of them, in one object")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="output file (default: standard output)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    name = arguments.command
    if arguments.all and name is not None:
        raise UsageError("--all is about all commands; name none")
    if name is not None and name not in SCHEMAS:
        meant = did_you_mean(name, SCHEMAS)
        raise UsageError(f"no command {name!r} prints JSON{meant}; these do: {', '.join(SCHEMAS)}")
    if name is None and not arguments.all:
        width = max(map(len, SCHEMAS))
        rows = (f"{each:{width}}  {_first_line(each)}\n" for each in SCHEMAS)
        write_output(arguments.output, "".join(rows).encode())
        return OK
    with needing(CODEGEN, "the schema of counts"):
        names = SCHEMAS if name is None else (name,)
        found = {each: schema_of(each) for each in names}
    whole = found if name is None else found[name]
    write_output(arguments.output, (json.dumps(whole, indent=2) + "\n").encode())
    return OK


def _first_line(name: str) -> str:
    return (SCHEMAS[name].__doc__ or "").partition("\n")[0]
