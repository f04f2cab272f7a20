"""`tileir inspect`: every byte of a file in hexadecimal, with its meaning."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from tileir.bytecode import Bytecode
from tileir.command_line.command_table import COMMANDS
from tileir.command_line.exit_codes import UsageError, called, fail_at
from tileir.command_line.files import open_input
from tileir.command_line.standard_output import json_line, stdout_text, wants_colour
from tileir.errors import BytecodeError, TileIRError
from tileir.explain.annotate import FOLD, Heading, Leaf, annotate, salvage
from tileir.formats.cursor import brief
from tileir.formats.errors import shorten
from tileir.messages.texts import decode_text, display

from .modules import add_assume_version, version_given

JSON_SCHEMA = 1
BYTES_PER_LINE = 8
FIELD_WIDTH = 26
DEEPEST = 40
"""Most levels of indentation; fields that are nested deeper are not indented further."""
PATH_PARTS = 200
"""Most parts of a path that JSON has; of a field nested deeper, those at the end of its path."""
LONGEST_NAME = 1000
"""Most characters that JSON has of the name of the function around a field."""
MARGIN = 9 + 3 * BYTES_PER_LINE + 3

EXAMPLES = """\
examples:
  tileir inspect kernel.tileirbc                    every byte, with headings
  tileir inspect --function vector_add k.tileirbc   one function's body
  tileir inspect --section Type k.tileirbc          one section
  tileir inspect --json k.tileirbc | jq .kind       one JSON object a line for each field
  tileir inspect --html k.tileirbc -o k.html        a page for the browser, see tileir report
  cat k.tileirbc | tileir inspect -                 standard input

Of several files each has its name above it, and with --json as "file" in each object.

exit status: 0, 2 wrong use or no such file, 3 a file is not readable to its end (what is before
that is shown), 4 a version is not supported; that of the first of several files that fails"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Explain every byte of a Tile IR bytecode file."
    parser.epilog = EXAMPLES
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="bytecode file, or - for standard input"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line for each field")
    parser.add_argument("--full", action="store_true", help="do not fold long runs of bytes")
    parser.add_argument("--strict", action="store_true", help="refuse what is readable but odd")
    add_assume_version(parser)
    parser.add_argument(
        "--html", action="store_true", help="the page of tileir report, of one file"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the page of --html")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--function", metavar="NAME", help="only the entry of this function")
    part.add_argument("--section", metavar="NAME", help="only this section, for example Type")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code, that of the first file that fails."""
    if arguments.html or arguments.output is not None:
        return _page(arguments)
    several = len(arguments.files) > 1
    codes = []
    for path in arguments.files:
        try:
            _inspect(path, arguments, several)
        except (UsageError, TileIRError, OSError) as error:
            if isinstance(error, UsageError) and not several:
                raise
            codes.append(fail_at("inspect", path, error))
    return codes[0] if codes else 0


def _page(arguments: argparse.Namespace) -> int:
    """Write the page of one file, as ``tileir report`` does."""
    if not arguments.html:
        raise UsageError("-o is for --html")
    for name in ("json", "full", "strict", "function", "section"):
        if getattr(arguments, name):
            raise UsageError(f"--html shows all of a file, and takes no --{name}")
    if len(arguments.files) > 1:
        raise UsageError("--html is for one file; tileir report shows two side by side")
    report = import_module(COMMANDS["report"][0])
    assumed = version_given(arguments.assume_version)
    return report.write_report("inspect", arguments.files, arguments.output, assumed=assumed)


def _inspect(path: str, arguments: argparse.Namespace, several: bool) -> None:
    """Print what a file holds, under its name if it is one of several."""

    def write(lines: Iterable[Heading | Leaf]) -> None:
        lines = kept(lines, arguments.function, arguments.section)
        if arguments.json:
            _print_json(lines, arguments.full, {"file": called(path)} if several else {})
        else:
            _print(lines, arguments.full, called(path) if several else "")

    data, assumed = open_input(path), version_given(arguments.assume_version)
    try:
        bytecode = Bytecode.parse(data, assume_version=assumed).touch()
    except BytecodeError:
        write(salvage(memoryview(data), assumed))
        raise
    bytecode.touch(strict=arguments.strict)
    check_names(bytecode, arguments.function, arguments.section)
    write(annotate(bytecode))
    for warning in bytecode.warnings:
        print(f"tileir inspect: {called(path)}: {warning}", file=sys.stderr)


def check_names(bytecode: Bytecode, function: str | None, section: str | None) -> None:
    """Raise UsageError for a function or a section that the file does not have."""
    if function is not None and function not in {f.name for f in bytecode.functions}:
        names = ", ".join(display(f.name) for f in bytecode.functions)
        raise UsageError(f"there is no function {function!r}; the file has {names or 'none'}")
    names = ["header", *dict.fromkeys(s.name for s in bytecode.sections)]
    if section is not None and section.lower() not in map(str.lower, names):
        raise UsageError(f"there is no section {section!r}; the file has {', '.join(names)}")


def kept(
    lines: Iterable[Heading | Leaf], function: str | None, section: str | None
) -> Iterator[Heading | Leaf]:
    """Yield only the leaves of one function or section, and the headings above them.

    In a broken file, the unread bytes right after such a leaf are kept, too.
    """
    waiting: list[Heading] = []
    kept = function is None and section is None
    for line in lines:
        if isinstance(line, Heading):
            waiting = [h for h in waiting if _outranks(h, line)] + [line]
            continue
        if line.kind != "unread":
            kept = (section is None or line.section.lower() == section.lower()) and (
                function is None or line.function == function
            )
        if kept:
            yield from waiting
            waiting = []
            yield line


def _outranks(above: Heading, below: Heading) -> bool:
    order = ("section", "function", "op")
    if above.level == below.level == "op":
        return above.depth < below.depth
    return order.index(above.level) < order.index(below.level)


# JSON ---------------------------------------------------------------------------------------


def _print_json(lines: Iterable[Heading | Leaf], full: bool, where: dict[str, str]) -> None:
    with stdout_text() as out:
        for line in lines:
            if isinstance(line, Leaf):
                out.write(json_line(as_json(line, full, **where)))


def as_json(leaf: Leaf, full: bool = False, **where: str) -> dict[str, object]:
    """Return a leaf as an object of JSON's types; bytes become hexadecimal text."""
    return {
        "schema": JSON_SCHEMA,
        **where,
        "offset": leaf.offset,
        "length": leaf.length,
        "path": brief(leaf.place, PATH_PARTS),
        "kind": leaf.kind,
        "value": _json_value(leaf, full),
        "meaning": leaf.meaning,
        "function": shorten(leaf.function, LONGEST_NAME) or None,
        "op": leaf.op.name if leaf.op else None,
        "location": (leaf.op.location_text if leaf.op else "") or None,
    }


def _json_value(leaf: Leaf, full: bool) -> object:
    value: Any = leaf.value
    if leaf.kind == "text":
        return decode_text(value.data).encode("utf-8", "backslashreplace").decode()
    if leaf.kind == "version":
        return str(value)
    if isinstance(value, int):
        return int(value)
    data = leaf.data if full else leaf.data[:FOLD]
    return data.hex() + ("..." if len(data) < leaf.length else "")


# Text ---------------------------------------------------------------------------------------

Line = list[tuple[str, str]]
"""Pieces of one line of output, each with its style."""


def render(lines: Iterable[Heading | Leaf], full: bool = False) -> Iterator[str]:
    """Yield what `tileir inspect` prints, as lines of plain text."""
    for line in lines:
        for row in _render(line, full):
            yield "".join(text for text, _ in row).rstrip()


def _print(lines: Iterable[Heading | Leaf], full: bool, title: str) -> None:
    head = f"=== {title} ===" if title else ""
    with stdout_text() as out:
        coloured = wants_colour(out)
        if not coloured:
            out.writelines(row + "\n" for row in ([head] if head else []))
            out.writelines(row + "\n" for row in render(lines, full))
    if not coloured:  # where the reader has left, the block above ends early
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True, emoji=False)
    if head:
        console.print(Text(head, "bold"))
    for line in lines:
        for row in _render(line, full):
            console.print(Text.assemble(*row))


def _render(line: Heading | Leaf, full: bool) -> Iterator[Line]:
    if isinstance(line, Leaf):
        yield from _render_leaf(line, full)
    elif line.level == "section":
        yield [(f"== {line.text} ==", "bold")]
    elif line.level == "function":
        yield [(f"-- {line.text} --", "bold cyan")]
    else:
        yield [(f"{' ' * MARGIN}{_indent(line.depth)}{line.text}", "cyan")]


def _render_leaf(leaf: Leaf, full: bool) -> Iterator[Line]:
    field = f"{_indent(leaf.depth)}{leaf.field}"
    for index, (offset, row) in enumerate(_rows(leaf, full)):
        line: Line = [(f"0x{offset:06x}", "dim"), (f" | {row:<{3 * BYTES_PER_LINE - 1}} |", "")]
        if index == 0:
            line += [(f" {field:<{FIELD_WIDTH}}", "green"), (f" {leaf.meaning}", "")]
        yield line


def _indent(depth: int) -> str:
    return "  " * min(depth, DEEPEST)


def _rows(leaf: Leaf, full: bool) -> Iterator[tuple[int, str]]:
    data = leaf.data
    shown = data if full or len(data) <= FOLD else data[: 2 * BYTES_PER_LINE]
    for start in range(0, len(shown), BYTES_PER_LINE):
        yield leaf.offset + start, shown[start : start + BYTES_PER_LINE].hex(" ")
    if len(shown) < len(data):
        yield leaf.offset + len(shown), f"... {len(data) - len(shown)} more bytes"
