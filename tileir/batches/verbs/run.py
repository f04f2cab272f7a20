"""`tileir batch run`: kernels on the CPU or an emulator, launched as a file beside them says."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import tileir
from tileir.batches.protocol import Request, Response
from tileir.batches.sources import Source
from tileir.command_line.argument_parser import counting_number
from tileir.command_line.exit_codes import UsageError
from tileir.commands.checks import DEFAULT, check_words
from tileir.commands.launch_on import on_emulator, on_host
from tileir.commands.modules import check_entry, ignored_attributes, module_in
from tileir.errors import LaunchError
from tileir.gpus import HOST
from tileir.launch.compile_options import CHECKS
from tileir.launch.described import read_description
from tileir.messages.missing_packages import CODEGEN, needing

from . import SEVERAL, given

SUMMARY = "run kernels as the .json file beside each module says, and check them"
TARGETS = SEVERAL
FILES = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = parser.add_argument
    add("--check", metavar="WHAT", help=f"{', '.join(CHECKS)}, or several (default: {DEFAULT})")
    add("--threads", metavar="N", type=counting_number,
        help="threads of the CPU for each kernel (default: 1)")  # fmt: skip


def options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options given."""
    words = [word.strip() for word in (arguments.check or "").split(",") if word.strip()]
    check_words("--check", words, CHECKS)
    return given(check=words, threads=arguments.threads)


def beside(source: Source, options: Mapping[str, Any]) -> list[bytes]:
    """Return the bytes of the description of a launch, as `tileir smith` writes it."""
    return [source.beside(".json")]


def compute(request: Request) -> Response:
    """Return the checksum of what a kernel computes, as `tileir run --launch` prints it.

    On the host under checks; for a GPU on the emulator, which checks for itself.
    """
    data, description = request.parts
    try:
        described = read_description(description)
    except LaunchError as error:
        raise UsageError(f"the launch beside it: {error}") from None
    bytecode = module_in(data, request.name)
    check_entry(bytecode, described.entry)
    target = request.target or HOST
    checks: Any = request.options.get("check") or [DEFAULT]
    with needing(CODEGEN, "running a kernel"):
        values = described.values()
        if target == HOST:
            compiled = tileir.compile(bytecode, HOST, symbols=[described.entry], check=checks)
            launch = on_host(request.options.get("threads", 1), None)
            launch(compiled[described.entry], described.grid, values)
        else:
            made = tileir.compile(bytecode, target, symbols=[described.entry])
            kernel = tileir.emulator.load(made)[described.entry]
            on_emulator(kernel, described.grid, values)
        checksum = f"{described.checksum(values):08x}"
    result = {"entry": described.entry, "grid": list(described.grid), "checksum": checksum}
    return Response(result=result, warnings=[*ignored_attributes(bytecode)])
