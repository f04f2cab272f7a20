"""`tileir mutate`: modules made from a valid one by a few random changes, and valid again."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import tileir
from tileir.command_line.argument_parser import counting_number, whole_number
from tileir.command_line.exit_codes import UsageError
from tileir.command_line.files import check_output, check_output_folder, write_output
from tileir.commands.modules import (
    add_assume_version,
    bytecode_output,
    open_module,
    version_given,
)
from tileir.commands.progress import progress_bar

from .mutating import STEPS, mutate

SCHEMA = 1

EXAMPLES = f"""\
examples:
  tileir mutate k.tileirbc --seed 7                    the text of another module
  tileir mutate k.tileirbc --seed 7 -o other.tileirbc
  tileir mutate k.tileirbc --count 1000 -o FOLDER      mutant-0.tileirbc and so on
  tileir smith --seed 3 | tileir mutate - --seed 1 | tileir verify -

Each mutant is as valid as the file is, and another one; that it computes something is not said. The
same file and seed give the same bytes on every machine. Steps: {", ".join(sorted(STEPS))}, and
to_version.

--json is an object a line for each mutant: "schema", "seed", "steps", "ops", and "file", the path
that was written.

exit status: 0, 1 the file is not valid, or nothing can be changed, 2 wrong use or no such file, 3
the file is not readable, 4 its version is not supported
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Change a valid module at random, so that it stays valid."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("file", metavar="FILE", help="bytecode or text, or - for standard input")
    add("--seed", metavar="N", type=whole_number, default=0, help="of the first one (default: 0)")
    add("--count", metavar="N", type=counting_number, help="so many mutants, of seeds from there")
    add("-o", "--output", metavar="PATH", help="a file to write; a folder, with --count")
    add("--json", action="store_true", help="with -o, print what was done as JSON")
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    path: str | None = arguments.output
    if path is None and (arguments.count is not None or arguments.json):
        needed = "--json" if arguments.count is None else "--count"
        raise UsageError(f"-o is needed with {needed}")
    if path == "-":
        if arguments.count is not None:
            raise UsageError("--count takes a folder, such as -o FOLDER")
        bytecode_output(path, arguments.json)
    folder = path is not None and (arguments.count is not None or os.path.isdir(path))
    if folder:
        check_output_folder(path)
    else:
        check_output(path, arguments.file)
    bytecode = open_module(arguments.file, version_given(arguments.assume_version))
    if path is None:
        made, _ = mutate(bytecode, arguments.seed)
        write_output(None, tileir.disassemble(made).encode())
        return 0
    count = 1 if arguments.count is None else arguments.count
    with progress_bar("mutate") as progress:
        for number in range(count):
            if progress is not None:
                progress(number, count)
            seed = arguments.seed + number
            file = str(Path(path, f"mutant-{seed}.tileirbc")) if folder else path
            made, steps = mutate(bytecode, seed)
            if folder:
                Path(path).mkdir(parents=True, exist_ok=True)
            check_output(file, arguments.file)
            write_output(file, made.build())
            if arguments.json:
                ops = sum(1 for each in made.functions for _ in each.walk())
                row = {"schema": SCHEMA, "seed": seed, "steps": steps, "ops": ops, "file": file}
                print(json.dumps(row))
    return 0
