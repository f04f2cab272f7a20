"""`tileir dump`: runs a program of cuTile, and writes the bytecode of each kernel it makes."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from tileir.command_line.argument_parser import Parser
from tileir.command_line.exit_codes import NO, OK, UsageError
from tileir.command_line.files import check_output_folder
from tileir.command_line.running import guarded
from tileir.messages.texts import printable

from . import OPTIONS, flag, install
from .children import adopt
from .dumped import LIST, Dump
from .program import (
    Program,
    check_options,
    check_program,
    run_program,
    separated,
    without_our_frames,
)

HELP = """\
Run a Python program that uses NVIDIA's cuTile, and write the bytecode of each kernel that it makes.
Kernels run on the CPU, so that the program goes on as it would; no GPU and no compiler of NVIDIA's
is needed.
"""

EXAMPLES = f"""\
examples:
  tileir dump -o kernels program.py --size 4096
  tileir dump -o kernels --no-run program.py
  tileir dump -o kernels -m pytest tests
  tileir dump -o kernels --json program.py | jq -r '.modules[].file'
  tileir dump -o kernels --sm sm_90 -c "import mine; mine.main()"

A file is called by the name of its kernel and a hash of the bytecode; equal bytecode is one file.
It is written when cuTile has compiled the kernel, so it is there even if the program fails then.
With --no-run, kernels are neither compiled further nor launched: arrays stay as they are. That is
for kernels that are large, or that a CPU cannot run; what the program makes of it is its own.

FOLDER/{LIST} lists the files of this run, in the place of the list of an earlier one, and
--json prints that on standard output; what the program prints goes to standard error then. Its
keys: schema; modules, each with file, sha256, bytes, version, and kernels: entry (the symbol), name
(in source), location, parameters (their types), launches and grids (the first different ones);
these are null for processes that the program starts.

exit status: the program's, or 1 if it has made no kernel; before it starts: 2 for wrong use, 4 for
an unknown GPU, or a version of cuda-tile that is not known and lacks what is changed of it, 5 for a
missing package
"""

TAKEN = ("sm", "threads", "autotune")
"""Options of `tileir cutile` that this command has, too."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser; the program and its arguments are no part of it."""
    parser.usage = "%(prog)s -o FOLDER [option] ... (FILE | -m MODULE | -c CODE) [argument] ..."
    parser.description, parser.epilog = HELP, EXAMPLES
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="where files go")
    parser.add_argument("--no-run", action="store_true", help="launch no kernel")
    parser.add_argument("--json", action="store_true", help="print the list of kernels")
    for name in TAKEN:
        parser.add_argument(f"--{flag(name)}", dest=name, **OPTIONS[name])
    parser.add_argument(
        "--children", action="store_true", help="so for all Python processes that it starts"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a program and return an exit code; the program's own exit and exceptions pass through."""
    ready: list[tuple[Program, Dump, bool]] = []

    def prepare() -> int:
        parser = Parser(
            prog="tileir dump",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        configure(parser)
        valued = ["-o", "--output", *(f"--{flag(name)}" for name in TAKEN)]
        ours, program = separated(list(sys.argv[1:] if arguments is None else arguments), valued)
        given = parser.parse_args(ours)
        if program is None:
            raise UsageError("a program is missing (see tileir dump --help)")
        check_program(program)
        check_options(given)
        check_output_folder(given.output)
        options: dict[str, Any] = {name: getattr(given, name) for name in TAKEN}
        dump = Dump(given.output)
        options |= {"dump": str(dump.folder), "run": not given.no_run}
        given_here: dict[str, Any] = {**options, "dump": dump}
        install(**given_here)
        if given.children:
            adopt(options)
        ready.append((program, dump, given.json))
        return OK

    code = guarded("dump", prepare)
    for program, dump, as_json in ready:
        sys.excepthook = without_our_frames(sys.excepthook)
        code = _run(program, dump, as_json)
    return code


def _run(program: Program, dump: Dump, as_json: bool) -> int:
    """Run the program, then tell what there is; 1 if there is nothing."""
    out = os.dup(1) if as_json else None
    if out is not None:
        sys.stdout.flush()
        os.dup2(2, 1)  # what is printed by kernels, too
    modules: list[dict[str, Any]] = []
    try:
        run_program(program)
    finally:
        listed = dump.write_list()
        modules = listed["modules"]
        sys.stdout.flush()
        if out is not None:
            os.dup2(out, 1)
            with os.fdopen(out, "wb") as file:
                file.write(json.dumps(listed).encode() + b"\n")
        _tell(modules, dump)
    return OK if modules else NO


def _tell(modules: Sequence[dict[str, Any]], dump: Dump) -> None:
    if not modules:
        print("tileir dump: the program has made no kernel", file=sys.stderr)
        return
    what = "kernel is" if len(modules) == 1 else "kernels are"
    folder = printable(str(dump.folder))
    print(f"tileir dump: {len(modules)} {what} in {folder}", file=sys.stderr)
