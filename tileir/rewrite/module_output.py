"""What the commands that rewrite modules share: a module is read, another one is written."""

from __future__ import annotations

import argparse
from typing import Any

from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import called
from tileir.command_line.files import check_output, write_output
from tileir.command_line.standard_output import json_line, stdout_text
from tileir.commands.modules import (
    add_assume_version,
    bytecode_output,
    open_module,
    version_given,
    warn_of_lost_attributes,
)
from tileir.errors import BuildError, UnsupportedError
from tileir.messages.texts import printable
from tileir.text.printer import disassemble
from tileir.write.newer import refuse_newer

SCHEMA = 1
BYTECODE, TEXT = "bytecode", "text"

KEYS = "schema; file; output; bytes_before and bytes_after, sizes as bytecode;"
"""The keys that the JSON of all these commands begins with, for their help."""

STATUS = """\
exit status: 0 written, 1 it breaks rules so that it cannot be, 2 wrong use, 3 not readable, 4 its
version is not supported, or newer than what is known: --assume-version reads it"""
"""The exit status of these commands, for their help."""


def add_module_arguments(parser: argparse.ArgumentParser, optional: bool = False) -> None:
    """Add the arguments that say what is read and where the result goes.

    The file is optional where the command has something to say without one.
    """
    arity: dict[str, Any] = {"nargs": "?"} if optional else {}
    parser.add_argument("file", metavar="FILE", help="bytecode or text, - for stdin", **arity)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="output file (default: standard output)"
    )
    parser.add_argument(
        "--emit", choices=(BYTECODE, TEXT), default=BYTECODE, help="what to write (bytecode)"
    )
    parser.add_argument("--json", action="store_true", help="what has been done; needs -o")
    add_assume_version(parser)


def module_given(arguments: argparse.Namespace) -> Bytecode:
    """Return the module that is read.

    UsageError if the result cannot go where it should, UnsupportedError for a file of a newer
    version, of which something may be unknown.
    """
    check_output(arguments.output, arguments.file)
    if arguments.emit == BYTECODE or arguments.json:
        bytecode_output(arguments.output, arguments.json)
    given = open_module(arguments.file, version_given(arguments.assume_version))
    try:
        refuse_newer(given.original.version)
    except BuildError as error:
        raise UnsupportedError(f"{called(arguments.file)}: {error}") from None
    return given


def write_module(
    arguments: argparse.Namespace, given: Bytecode, made: Bytecode, **report: Any
) -> None:
    """Write what was made of the module given, and with --json print what has been done."""
    data = bytes(made.data)
    written = data
    if arguments.emit == TEXT:
        written = disassemble(made).encode("utf-8", "surrogateescape")
    write_output(arguments.output, written)
    if arguments.json:
        sizes = {"bytes_before": len(given.data), "bytes_after": len(data)}
        output = printable(arguments.output)
        print_json({"file": called(arguments.file), "output": output, **sizes, **report})
    else:
        warn_of_lost_attributes(made, called(arguments.file))


def print_json(report: dict[str, Any]) -> None:
    """Print an object in a line on standard output."""
    with stdout_text() as out:
        out.write(json_line({"schema": SCHEMA, **report}))
