"""`tileir batch compile`: modules to PTX and whatever else `tileir compile` makes, per target."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import tileir
from tileir.batches.protocol import File, Request, Response
from tileir.batches.variants.figures import OCCUPANCY, unfit
from tileir.batches.variants.measuring import taken
from tileir.batches.variants.space import configurations, value_spelled
from tileir.command_line.exit_codes import NO, UsageError
from tileir.commands.compile import EMIT, emitted, written
from tileir.commands.launch_options import (
    add_options,
    flag,
    named_as_written,
    options_given,
    read_setting,
)
from tileir.commands.modules import ignored_attributes, module_in
from tileir.messages.texts import printable

from . import SEVERAL, given

SUMMARY = "compile modules for one or several targets"
TARGETS = SEVERAL
FILES = True

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
    parser.add_argument("--set", metavar="NAME=VALUES", action="append",
        help="variants: the values of an option, such as num_warps=4,8 or maxnreg=none,128, with"
        " all of other options; a table shows what each takes of a GPU",
    )  # fmt: skip
    add_options(parser)


def settings(arguments: argparse.Namespace) -> Sequence[Mapping[str, Any]]:
    """Return the configurations that --set asks for, one without settings if there is none."""
    space: dict[str, list[object]] = {}
    for text in arguments.set or ():
        name, _, values = text.partition("=")
        name = name.replace("-", "_")
        if not values:
            raise UsageError(f"--set {text}: write NAME=VALUE,VALUE, such as num_warps=4,8")
        if name in space:
            raise UsageError(f"--set {name} is given twice; write all values in one")
        if getattr(arguments, name, None) is not None:
            raise UsageError(f"{flag(name)} and --set {name} are both given")
        chosen = [read_setting(name, value) for value in values.split(",")]
        space[name] = [each for at, each in enumerate(chosen) if each not in chosen[:at]]
    return list(configurations(space))


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
        variants=list(settings(arguments)[0]),
        **options_given(arguments),
    )


def compute(request: Request) -> Response:
    """Return which kernels a module has for a target, and the files that are made of them."""
    options = dict(request.options)
    names = options.pop("variants", ())
    chosen = [f"{name}={value_spelled(options[name])}" for name in names]
    emit, cache = options.pop("emit", ()), not options.pop("no_cache", False)
    bytecode = module_in(request.parts[0], request.name)
    warned = [*ignored_attributes(bytecode)]
    with named_as_written(names):
        compiled = tileir.compile(bytecode, request.target, cache=cache, **options)
    target = compiled.target
    emit = emit or ["llvm" if target == "host" else "ptx"]
    lines = bool(options.get("lineinfo"))
    stem = ".".join([target, *chosen])
    files = {
        f"{stem}.{ENDINGS[name]}": File.of(written(compiled, name, lines, cache)) for name in emit
    }
    result: dict[str, Any] = {"target": target, "kernels": [printable(each) for each in compiled]}
    if names:
        result["resources"] = taken(compiled)
        if reason := unfit(result["resources"], target):
            return Response(NO, OCCUPANCY, reason, result)
    return Response(result=result, files=files, warnings=warned)
