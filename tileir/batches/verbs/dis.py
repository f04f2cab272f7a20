"""`tileir batch dis`: modules as text."""

from __future__ import annotations

import argparse
from typing import Any

from tileir.batches.protocol import File, Request, Response
from tileir.bytecode import Bytecode
from tileir.text.printer import disassemble

from . import NONE, given

SUMMARY = "print modules as text, one file for each"
TARGETS = NONE
FILES = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("-g", "--debug", action="store_true", help="with source locations")


def options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options given."""
    return given(debug=arguments.debug)


def compute(request: Request) -> Response:
    """Return the text of a module as a file."""
    bytecode = Bytecode.parse(request.parts[0]).touch()
    text = disassemble(bytecode, bool(request.options.get("debug")))
    files = {"mlir": File.of(text.encode("utf-8", "surrogateescape"))}
    return Response(files=files, warnings=list(map(str, bytecode.warnings)))
