"""`tileir batch verify`: everything that is wrong with modules."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from tileir.batches.protocol import Request, Response
from tileir.commands.modules import ignored_attributes, module_in
from tileir.commands.verify import as_json, exit_code, verdict, verified

from . import ONE, given

SUMMARY = "say everything that is wrong with modules"
TARGETS = ONE
FILES = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("--strict", action="store_true", help="warnings are errors")


def options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options given."""
    return given(strict=arguments.strict)


def compute(request: Request) -> Response:
    """Return what is wrong with a module, as `tileir verify --json` has it."""
    opened = partial(module_in, request.parts[0], request.name)
    diagnostics, error = verified(opened, request.target, bool(request.options.get("strict")))
    code = exit_code(diagnostics, error)
    response = Response(code, result=as_json(diagnostics, error))
    if error is not None:
        response.failure, response.message = type(error).__name__, str(error)
    elif code:
        first = next((each for each in diagnostics if each.severity == "error"), diagnostics[0])
        response.failure, response.message = "invalid", f"{verdict(diagnostics)}; {first}"
    else:
        response.warnings = [*ignored_attributes(opened())]
    return response
