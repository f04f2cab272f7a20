"""`tileir batch diff`: modules, each compared with the one of its name in another folder."""

from __future__ import annotations

import argparse
import os
from collections.abc import Container, Iterator, Mapping
from typing import Any

from tileir.batches.protocol import File, Request, Response
from tileir.batches.sources import Source, read_file, sources
from tileir.command_line.exit_codes import NO, UsageError
from tileir.commands.modules import module_in
from tileir.diff.comparing import compare
from tileir.diff.report import stat, statistics
from tileir.diff.unified import unified
from tileir.messages.texts import display

from . import NONE, given

SUMMARY = "compare modules with those of the same names in another folder"
TARGETS = NONE
FILES = True

_COUNTED = ("locations", "tables", "any_order")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = parser.add_argument
    add("--against", metavar="FOLDER", required=True,
        help="where the other modules are, by their paths below the folders that are given",
    )  # fmt: skip
    add("--locations", action="store_true", help="source locations count, too")
    add("--tables", action="store_true", help="so do header, sections and tables of the files")
    add("--any-order", action="store_true", help="places of ops without effects do not count")


def options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options given; UsageError if there is no such folder."""
    if not os.path.isdir(arguments.against):
        raise UsageError(f"--against {display(arguments.against)}: there is no such folder")
    counted = {name: getattr(arguments, name) for name in _COUNTED}
    return given(against=arguments.against, **counted)


def beside(source: Source, options: Mapping[str, Any]) -> list[bytes]:
    """Return the bytes of the module to compare with."""
    return [read_file(os.path.join(options["against"], source.below))]


def left(
    known: Container[str], suffixes: tuple[str, ...], options: Mapping[str, Any]
) -> Iterator[tuple[str, Response]]:
    """Yield the names of modules that only the other folder has, with what is told of them."""
    for source in sources([options["against"]], suffixes):
        if source.below not in known:
            response = Response(NO, "gone", "there is no module of this name any more")
            yield source.name, response


def compute(request: Request) -> Response:
    """Return how much differs, function by function, and the differences as a file."""
    after, before = request.parts
    modules = module_in(before, request.name).touch(), module_in(after, request.name).touch()
    counted: dict[str, Any] = {name: bool(request.options.get(name)) for name in _COUNTED}
    difference = compare(*modules, **counted)
    result = {"equal": not difference, "functions": statistics(difference)}
    if not difference:
        return Response(result=result)
    names = f"{request.options['against']}: {request.name}", request.name
    text = "".join(f"{line}\n" for line in unified(difference, names=names))
    *_, last = stat(difference)
    files = {"diff": File.of(text.encode("utf-8", "surrogateescape"))}
    return Response(NO, "different", f"they differ: {' '.join(last.split())}", result, files)
