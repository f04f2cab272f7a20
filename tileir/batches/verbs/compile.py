"""`tileir batch compile`: modules to PTX and whatever else `tileir compile` makes, per target."""

from __future__ import annotations

import argparse
from typing import Any

import tileir
from tileir.batches.answers import Answer, File, Request
from tileir.commands.compile import EMIT, emitted, written
from tileir.commands.conventions import UsageError
from tileir.commands.launch_options import add_options, named_as_written, options_given
from tileir.commands.modules import ignored_attributes, module_in
from tileir.messages.texts import display

from . import SEVERAL, given

SUMMARY = "compile modules for one or several targets"
TARGETS = SEVERAL

ENDINGS = {"ptx": "ptx", "llvm": "ll", "plan": "plan.json", "cubin": "cubin", "sass": "sass"}
"""What --emit may name -> how the names of such files end."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    what = [name for name in EMIT if name in ENDINGS]
    parser.add_argument("--emit", metavar="WHAT", action="append",
        help=f"once for each of {', '.join(what)} (default: ptx for GPUs, llvm for the host)",
    )  # fmt: skip
    parser.add_argument("--lineinfo", action="store_true", help="GPUs: source lines in the PTX")
    parser.add_argument("--portable", action="store_true", help="PTX that all later GPUs run too")
    parser.add_argument("--no-cache", action="store_true", help="do without what is kept on disk")
    add_options(parser)


def options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options given."""
    for name in arguments.emit or ():
        if emitted(name) not in ENDINGS:
            raise UsageError(f"--emit {name} makes no file for each module")
    return given(
        emit=list(dict.fromkeys(arguments.emit or ())),
        lineinfo=arguments.lineinfo,
        portable=arguments.portable,
        no_cache=arguments.no_cache,
        **options_given(arguments),
    )


def compute(request: Request) -> Answer:
    """Return which kernels a module has for a target, and the files that are made of them."""
    options = dict(request.options)
    emit, cache = options.pop("emit", ()), not options.pop("no_cache", False)
    bytecode = module_in(request.parts[0], request.name)
    warned = [*ignored_attributes(bytecode)]
    with named_as_written():
        compiled = tileir.compile(bytecode, request.target, cache=cache, **options)
    target = compiled.target
    emit = emit or ["llvm" if target == "host" else "ptx"]
    lines = bool(options.get("lineinfo"))
    files = {
        f"{target}.{ENDINGS[name]}": File.of(written(compiled, name, lines, cache)) for name in emit
    }
    result = {"target": target, "kernels": [display(symbol) for symbol in compiled]}
    return Answer(result=result, files=files, warnings=warned)
