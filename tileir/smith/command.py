"""`tileir smith`: random modules that compute, with the arguments that they are launched with."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import tileir
from tileir.command_line.argument_parser import counting_number, whole_number
from tileir.command_line.exit_codes import UsageError
from tileir.command_line.files import check_output, check_output_folder, write_output
from tileir.commands.modules import bytecode_output, version_given
from tileir.commands.progress import progress_bar
from tileir.errors import BuildError
from tileir.formats.version import LATEST, Version
from tileir.messages.missing_packages import ARRAYS, needing
from tileir.messages.wording import counted

from .features import FEATURES, NARROW

if TYPE_CHECKING:
    from .case import Case

SCHEMA = 1
MODULE, LAUNCH = ".tileirbc", ".json"

EXAMPLES = f"""\
examples:
  tileir smith --seed 7                               its text
  tileir smith --seed 7 | tileir verify -
  tileir smith --seed 7 --ops 500 -o k.tileirbc       and k.json, which says how to launch it
  tileir run k.tileirbc --launch k.json               prints a checksum of the results
  tileir run k.tileirbc --launch k.json --emulate sm_90
  tileir smith --count 100 --features products,views -o FOLDER
  tileir smith --only addi,muli --version 13.1 --seed 3

A program ends, stays in bounds and does nothing that is undefined: so every implementation computes
the same, and gets the same checksum. It is of the results whose bits Tile IR determines; the file
beside a module lists all results, and for the others how far two right ones may be apart
(`python -c "help('tileir.launch.described')"` has the format). A module and its launch are written
over those of their names; a launch without such a module is another one's, and is left alone.

A seed, with the other options, gives the same bytes on every machine. With --undefined, operands
are not kept to those for which an op has a meaning: fuel for compilers, not for comparing results.

features: {", ".join(sorted([*FEATURES, NARROW]))}.
Their ops are drawn, besides those that load and store; "{NARROW}" is about element types of at most
8 bits.

--json is an object a line for each module: "schema", "seed", "version", "ops", "module" and
"launch", the paths that were written. Exit code 2: wrong use.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Make random modules that compute, with defined results."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("--seed", metavar="N", type=whole_number, default=0, help="of the first one (default: 0)")
    add("--count", metavar="N", type=counting_number, help="so many modules, of seeds from there")
    add("--ops", metavar="N", type=whole_number, default=100, help="about so many (default: 100)")
    add("--features", metavar="LIST", type=_list, default=[], help="with ops of these features")
    add("--only", metavar="LIST", type=_list, default=[], help="with these ops")
    add("--version", metavar="V", help=f"bytecode version (default: {LATEST})")
    add("--undefined", action="store_true", help="let ops do what has no meaning, too")
    add(
        "-o",
        "--output",
        metavar="PATH",
        help="a file to write, with the launch beside it; a folder, with --count; - is standard"
        " output, for the module alone",
    )
    add("--json", action="store_true", help="with -o, print what was written as JSON")


def _list(text: str) -> list[str]:
    names = [name for part in text.split(",") if (name := part.strip())]
    if not names:
        raise argparse.ArgumentTypeError(f"{text!r} names nothing")
    return names


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    version = version_given(arguments.version, "--version") or LATEST
    path: str | None = arguments.output
    if path is None:
        if arguments.count is not None or arguments.json:
            needed = "--json" if arguments.count is None else "--count"
            raise UsageError(f"-o is needed with {needed}")
        case = _made(arguments, arguments.seed, version)
        write_output(None, tileir.disassemble(case.bytecode).encode())
        return 0
    if path == "-":
        if arguments.count is not None:
            raise UsageError("--count takes a folder, such as -o FOLDER")
        bytecode_output(path, arguments.json)
        write_output(path, _made(arguments, arguments.seed, version).bytecode.build())
        return 0
    folder = arguments.count is not None or os.path.isdir(path)
    if folder:
        check_output_folder(path)
    elif Path(path).suffix == LAUNCH:
        raise UsageError(f"{path} is the name of a launch; -o takes that of a module")
    else:
        check_output(path)
        launch = Path(path).with_suffix(LAUNCH)
        check_output(str(launch))
        if launch.exists() and not Path(path).exists():
            raise UsageError(f"{launch} is there and not of {path}; -o takes another name")
    count = 1 if arguments.count is None else arguments.count
    with progress_bar("smith") as progress:
        for number in range(count):
            if progress is not None:
                progress(number, count)
            seed = arguments.seed + number
            module = Path(path, f"seed-{seed}{MODULE}") if folder else Path(path)
            row = _written(_made(arguments, seed, version), module, _origin(arguments, seed))
            if arguments.json:
                print(json.dumps(row))
    if folder:
        each = f"{counted(count, 'module')}, each with its launch,"
        print(f"{each} in {path}", file=sys.stderr)
    return 0


def _made(arguments: argparse.Namespace, seed: int, version: Version) -> Case:
    with needing(ARRAYS, "making programs"):
        from .forging import smith
    try:
        return smith(
            seed,
            arguments.ops,
            version,
            features=arguments.features,
            only=arguments.only,
            undefined=arguments.undefined,
        )
    except BuildError as error:
        raise UsageError(str(error)) from None


def _origin(arguments: argparse.Namespace, seed: int) -> dict[str, object]:
    names = ("ops", "features", "only", "version", "undefined")
    return {"seed": seed, **{name: getattr(arguments, name) for name in names}}


def _written(case: Case, module: Path, origin: dict[str, object]) -> dict[str, object]:
    """Write a module and its launch; returns what --json says of them."""
    from .forging import description

    launch = module.with_suffix(LAUNCH)
    module.parent.mkdir(parents=True, exist_ok=True)
    write_output(str(module), case.bytecode.build())
    write_output(str(launch), json.dumps(description(case, **origin)).encode() + b"\n")
    return {
        "schema": SCHEMA,
        "seed": origin["seed"],
        "version": str(case.bytecode.version),
        "ops": sum(1 for each in case.bytecode.functions for _ in each.walk()),
        "module": str(module),
        "launch": str(launch),
    }
