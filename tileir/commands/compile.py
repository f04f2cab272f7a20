"""`tileir compile`: bytecode to LLVM IR, PTX or the launch plan."""

from __future__ import annotations

import argparse
import json

import tileir
from tileir.bytecode import Bytecode
from tileir.command import UsageError, check_output, open_input, write_output

EMIT = ("ptx", "llvm", "plan")

EXAMPLES = """\
examples:
  tileir compile --target sm_90 kernel.tileirbc              PTX on standard output
  tileir compile --target sm_90 --emit plan kernel.tileirbc  how to launch it, as JSON
  tileir compile --target sm_90 kernel.tileirbc -o k.ptx     into a file
  tileir compile --emit llvm kernel.tileirbc                 LLVM IR for this machine's CPU
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Compile the kernels of a Tile IR bytecode file."
    parser.epilog = EXAMPLES
    parser.add_argument("file", metavar="FILE", help="bytecode file, or - for standard input")
    parser.add_argument("--target", default="host", help="host (default), or a GPU such as sm_90")
    parser.add_argument(
        "--emit", choices=EMIT, help="what to write (default: ptx for a GPU, llvm for the host)"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="output file (default: standard output)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    emit = arguments.emit or ("llvm" if arguments.target == "host" else "ptx")
    if arguments.target == "host" and emit != "llvm":
        raise UsageError(f"--emit {emit} needs a GPU as --target, for example sm_90")
    check_output(arguments.output, arguments.file)
    bytecode = Bytecode.parse(open_input(arguments.file))
    compiled = tileir.compile(bytecode, arguments.target)
    text = {
        "llvm": lambda: compiled.llvm_ir,
        "ptx": lambda: compiled.ptx,
        "plan": lambda: json.dumps(compiled.plan, indent=2) + "\n",
    }[emit]()
    write_output(arguments.output, text.encode())
    return 0
