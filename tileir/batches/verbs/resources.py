"""`tileir batch resources`: what compiled kernels take of GPUs."""

from __future__ import annotations

import argparse
from typing import Any

from tileir.batches.protocol import Request, Response
from tileir.commands.launch_options import add_options, options_given
from tileir.commands.modules import ignored_attributes, module_in
from tileir.resources.command import COMPILERS, kernels_of, targets_of
from tileir.resources.of_kernels import OURS
from tileir.resources.report import as_json

from . import SEVERAL, given

SUMMARY = "say what compiled kernels take of GPUs: registers, memory, spills, occupancy"
TARGETS = SEVERAL
FILES = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = parser.add_argument
    add("--compiler", choices=COMPILERS, help="who compiles (default: tileir)")
    add("--no-instructions", action="store_true", help="do not ask nvdisasm for instructions")
    add("--portable", action="store_true", help="PTX that all later GPUs run too")
    add_options(parser)


def options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options given."""
    return given(
        compiler=arguments.compiler,
        no_instructions=arguments.no_instructions,
        portable=arguments.portable,
        **options_given(arguments),
    )


def compute(request: Request) -> Response:
    """Return what the kernels of a module take, as `tileir resources --json` has it."""
    options = dict(request.options)
    compiler = options.pop("compiler", None) or OURS
    instructions = not options.pop("no_instructions", False)
    bytecode = module_in(request.parts[0], request.name)
    (target,) = targets_of(bytecode, [request.target] if request.target else None)
    found = kernels_of(bytecode, target, compiler, options, instructions)
    result = {"target": target, "kernels": list(map(as_json, found))}
    return Response(result=result, warnings=[*ignored_attributes(bytecode)])
