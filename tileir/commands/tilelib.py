"""`tileir tilelib`: what is in a tile library, listed, verified and extracted."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tileir.command_line.exit_codes import NO, OK, called
from tileir.command_line.files import open_input, write_output
from tileir.command_line.standard_output import json_line
from tileir.errors import Diagnostic
from tileir.messages.texts import printable
from tileir.read.declarations import Implementation
from tileir.read.library import TileLibrary
from tileir.text.printer.declarations import print_declaration
from tileir.text.printer.pieces import BoundedText
from tileir.verifier.module import verify

EXAMPLES = """\
examples:
  tileir tilelib scale.tilelib                  its parts, functions and implementations
  tileir tilelib scale.tilelib --extract parts  each part as a file in the folder parts
  tileir tilelib scale.tilelib --json | jq '.functions[].name'

A library is what tileiras links with calls of extern functions (--preview=simt -l FILE). The exit
code is 1 if something is wrong with it or a module in it.

--json prints an object: file, schema, parts [{name, kind, offset, size}], functions and
implementations [{name, implements, text}], problems [text].
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "List, verify and extract what is in a tile library (.tilelib)."
    parser.epilog = EXAMPLES
    parser.add_argument("file", metavar="FILE", help="the library, or - for standard input")
    parser.add_argument("--extract", metavar="FOLDER", help="write each part to a file")
    parser.add_argument("--json", action="store_true", help="an object instead of lines")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    library = TileLibrary.parse(open_input(arguments.file))
    problems = [*library.problems(), *map(str, _diagnostics(library))]
    if arguments.extract is not None:
        folder = Path(arguments.extract)
        folder.mkdir(parents=True, exist_ok=True)
        for name, part in library.file_names().items():
            write_output(str(folder / name), bytes(part.content.data))
    listing = _json(arguments.file, library, problems) if arguments.json else _lines(library)
    write_output(None, listing.encode("utf-8", "backslashreplace"))
    for problem in problems:
        print(f"tileir tilelib: {called(arguments.file)}: {printable(problem)}", file=sys.stderr)
    return NO if problems else OK


def _diagnostics(library: TileLibrary) -> list[Diagnostic]:
    """Return the errors in the modules of a library."""
    modules = [library.interface, *library.implementations]
    found = [each for module in modules if module is not None for each in verify(module)]
    return [each for each in found if each.severity == "error"]


def _items(library: TileLibrary) -> list[dict[str, object]]:
    items: list[dict[str, object]] = []
    for module in (library.interface, *library.implementations):
        if module is None:
            continue
        every = BoundedText(module, keep=False)  # types are written out wherever they are used
        for item in module.declarations:
            text = BoundedText(module)
            print_declaration(item, text, None)
            every.append(str(text))
            implements = item.implements if isinstance(item, Implementation) else None
            items.append({"name": item.name, "implements": implements, "text": str(text).strip()})
    return items


def _lines(library: TileLibrary) -> str:
    lines = [
        f"{part.name:<9} {len(part.content.data):>8} bytes at {part.content.offset:#x}: {part.kind}"
        for part in library.parts
    ]
    return "\n".join(printable(str(line)) for line in (*lines, *_texts(library))) + "\n"


def _texts(library: TileLibrary) -> list[object]:
    return [item["text"] for item in _items(library)]


def _json(path: str, library: TileLibrary, problems: list[str]) -> str:
    parts = [
        {
            "name": part.name,
            "kind": part.kind,
            "offset": part.content.offset,
            "size": len(part.content.data),
        }
        for part in library.parts
    ]
    items = _items(library)
    tree = {
        "schema": 1,
        "file": path,
        "parts": parts,
        "functions": [item for item in items if item["implements"] is None],
        "implementations": [item for item in items if item["implements"] is not None],
        "problems": problems,
    }
    return json_line(tree)
