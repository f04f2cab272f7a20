"""`tileir dis`: bytecode as text, byte for byte what NVIDIA's tileirdisasm prints; or as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import UsageError, called, fail_at
from tileir.command_line.files import check_output, open_input, write_output
from tileir.command_line.standard_output import stdout_text, wants_colour
from tileir.errors import TileIRError
from tileir.explain.op_tree import LAYOUT, op_tree
from tileir.messages.texts import display, printable
from tileir.text.printer.disassembly import print_module
from tileir.text.printer.pieces import BoundedText, WrittenText

from .modules import add_assume_version, version_given

EXAMPLES = """\
examples:
  tileir dis kernel.tileirbc                    the module as text
  tileir dis -g kernel.tileirbc                 with source locations
  tileir dis kernel.tileirbc -o kernel.tileir   into a file, for `tileir as`
  tileir dis --function softmax k.tileirbc      one kernel and the globals
  tileir dis --json k.tileirbc | jq '.functions[].ops[].name'

A text of more than 8 Mi characters and 64 for each byte of the file is written to a pipe as it is
made, so that it may end early where an op cannot be printed; elsewhere it is an error.

Of a file of a newer version than is known, the text says between << and >> what cannot be printed;
no such text is assembled.

Of several files each has its name above it. With -g their texts cannot be joined to one: each
numbers its locations from #loc on.

--json prints an object for each file, one a line: file, its name, and
"""


EXIT_STATUS = """\
exit status: 0, 1 the text is too long, 2 wrong use or no such file, 3 a file is not readable, 4 a
version is not supported; that of the first of several files that fails"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Print Tile IR bytecode as text, as NVIDIA's tileirdisasm 13.5 does."
    parser.epilog = f"{EXAMPLES}{LAYOUT}\n{EXIT_STATUS}"
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="bytecode file, or - for standard input"
    )
    parser.add_argument("-g", "--debug", action="store_true", help="with source locations")
    parser.add_argument("--function", metavar="NAME", help="leave out all other kernels")
    parser.add_argument("--json", action="store_true", help="the tree of ops, one line a file")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="output file (default: standard output)"
    )
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code, that of the first file that fails."""
    check_output(arguments.output, *arguments.files)
    codes: list[int] = []
    if arguments.output in (None, "-"):
        for text in _texts(arguments, codes):
            _print(text, arguments.json)
    else:
        pieces = [_encoded(text, arguments.json) for text in _texts(arguments, codes)]
        if not codes:
            write_output(arguments.output, b"".join(pieces))
    return codes[0] if codes else 0


def _texts(arguments: argparse.Namespace, codes: list[int]) -> Iterator[str]:
    """Yield the text of each file; report one that fails, and add its exit code to `codes`."""
    several = len(arguments.files) > 1
    for path in arguments.files:
        try:
            text = _text(path, arguments, several)
        except (UsageError, TileIRError, OSError) as error:
            if isinstance(error, UsageError) and not several:
                raise
            codes.append(fail_at("dis", path, error))
            continue
        yield text


def _text(path: str, arguments: argparse.Namespace, several: bool) -> str:
    """Return the text of a file; of one that is too long for memory, what is not yet printed."""
    assumed = version_given(arguments.assume_version)
    bytecode = Bytecode.parse(open_input(path), assume_version=assumed).touch()
    name = arguments.function
    names = [function.name for function in bytecode.functions]
    if name is not None and name not in names:
        shown = ", ".join(map(display, names))
        raise UsageError(f"there is no function {name!r}; the file has {shown or 'none'}")
    if arguments.json:
        text = op_tree(bytecode, name, file=path) + "\n"
    else:
        piped = arguments.output in (None, "-") and not sys.stdout.isatty()
        out = WrittenText(bytecode, _pipe) if piped else BoundedText(bytecode)
        if several:
            out.append(f"// {printable(path)}\n")
        print_module(bytecode, out, arguments.debug, name)
        text = str(out)
    for warning in bytecode.warnings:
        print(f"tileir dis: {called(path)}: {warning}", file=sys.stderr)
    return text


def _encoded(text: str, json: bool) -> bytes:
    """Return a text as UTF-8; lone surrogates become the file's bytes, or escapes in JSON."""
    return text.encode("utf-8", "backslashreplace" if json else "surrogateescape")


def _pipe(text: str) -> None:
    write_output(None, _encoded(text, json=False))


def _print(text: str, json: bool) -> None:
    if json or not sys.stdout.isatty():
        write_output(None, _encoded(text, json))
        return
    from .colour import escaped, write_coloured

    with stdout_text() as out:
        if wants_colour(out):
            write_coloured(text, out)
        else:
            out.write(escaped(text))
