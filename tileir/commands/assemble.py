"""`tileir as`: text to bytecode. All errors of the text are reported at once, with positions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import tileir
from tileir.command_line.exit_codes import UNREADABLE, UsageError, called, explained, fail
from tileir.command_line.files import check_output, open_input, write_output
from tileir.command_line.standard_output import json_line, stdout_text, wants_colour
from tileir.errors import TileIRError
from tileir.formats.container import MAGIC
from tileir.formats.version import LATEST, SUPPORTED
from tileir.messages.texts import decode_text

from .colour import GREEN, RED, escaped, paint
from .modules import bytecode_output, version_given, warn_of_lost_attributes

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode
    from tileir.errors import AssemblyError

JSON_SCHEMA = 1

SUFFIX = ".tileirbc"

EXAMPLES = f"""\
examples:
  tileir as kernel.tileir                     write kernel.tileirbc
  tileir as kernel.tileir -o k.tileirbc       into this file
  tileir as --version {SUPPORTED[0]} kernel.tileir      in an older version of the format
  tileir dis k.tileirbc | sed s/1024/2048/g | tileir as - -o k2.tileirbc

--json prints an object for each error and warning, one a line: file, severity, line and column
(from 1), length (in characters), message, source (the line), schema; null where there is no place.
So is everything else that goes wrong, as a file that is not there.

exit status: 0, 2 wrong use or no such file, 3 the text has errors, or needs a newer version, 4
--version is not supported"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Assemble Tile IR text, as `tileir dis` prints it, to bytecode."
    parser.epilog = EXAMPLES
    parser.add_argument("file", metavar="FILE", help="text file, or - for standard input")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"output file (default: FILE with {SUFFIX})"
    )
    parser.add_argument("--version", metavar="V", help=f"bytecode version (default: {LATEST})")
    parser.add_argument("--json", action="store_true", help="errors and warnings as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if not arguments.json:
        return _assemble(arguments)
    try:
        return _assemble(arguments)
    except (UsageError, TileIRError, OSError) as error:
        message, code = explained(error)
        _print_json(called(arguments.file), "error", message=message)
        return code


def _assemble(arguments: argparse.Namespace) -> int:
    version = version_given(arguments.version, "--version") or LATEST
    data = open_input(arguments.file)
    name = called(arguments.file)
    if data.startswith(MAGIC):
        return _unread(arguments, f"{name} is bytecode already; tileir dis prints it as text")
    output = _output(arguments)
    check_output(output, arguments.file)
    text = decode_text(data)
    if not text.strip():  # what a program writes that has failed
        problem = "the text is empty; module {} is a module without kernels"
        return _unread(arguments, f"{name}: {problem}")
    try:
        bytecode = tileir.assemble(text, version, name)
    except tileir.AssemblyError as error:
        _report(error, arguments.json)
        return UNREADABLE
    write_output(output, bytes(bytecode.data))
    _warn(bytecode, name, arguments.json)
    return 0


def _unread(arguments: argparse.Namespace, problem: str) -> int:
    """Report a file that is no text, and return the exit code."""
    if not arguments.json:
        return fail("as", problem, UNREADABLE)
    _print_json(called(arguments.file), "error", message=problem)
    return UNREADABLE


def _output(arguments: argparse.Namespace) -> str | None:
    """Return the path of the output file; None for standard output."""
    output = arguments.output
    if output is None and arguments.file != "-":
        path = Path(arguments.file)
        if path.suffix == SUFFIX or not path.name:
            raise UsageError(f"-o is needed: without it, {arguments.file} would be the output")
        return str(path.with_suffix(SUFFIX))
    return bytecode_output(output, arguments.json)


def _report(error: AssemblyError, as_json: bool) -> None:
    """Print all errors of a text: as text on standard error, or as JSON on standard output."""
    if as_json:
        for problem in error.problems:
            _print_json(error.name, "error", **problem._asdict())
        return
    colour = wants_colour(sys.stderr)
    for problem in error.problems:
        lines = escaped(problem.shown(error.name)).split("\n")
        print("\n".join(_coloured(lines) if colour else lines), file=sys.stderr)
    if error.more:
        print(f"{error.name}: too many errors, the rest was not read", file=sys.stderr)


def _coloured(lines: list[str]) -> list[str]:
    """Colour the lines of an error: position and message, the source line, the carets."""
    position, word, message = lines[0].partition(" error: ")
    head = f"{paint('*', position)}{paint(f'*{RED}*', word)}{paint('*', message)}"
    return [head, *lines[1:-1], paint(f"*{GREEN}*", lines[-1])]


def _warn(bytecode: Bytecode, name: str, as_json: bool) -> None:
    """Warn about launch attributes of the text, which bytecode cannot hold."""
    if not as_json:
        warn_of_lost_attributes(bytecode, name)
        return
    for attribute in bytecode.launch_attributes.spelled():
        _print_json(name, "warning", message=f"bytecode cannot hold {attribute}")


def _print_json(file: str, severity: str, **fields: object) -> None:
    empty = dict.fromkeys(("line", "column", "length", "message", "source"))
    record = {"schema": JSON_SCHEMA, "file": file, "severity": severity, **empty, **fields}
    with stdout_text() as out:
        out.write(json_line(record))
