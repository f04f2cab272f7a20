"""`tileir compile`: bytecode to LLVM IR, PTX, the launch plan or machine code."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

import tileir
from tileir.bytecode import Bytecode
from tileir.command import UsageError, check_output, open_input, write_output

from . import nvidia_tools

if TYPE_CHECKING:
    from tileir.codegen.api import Compilation

EMIT = ("ptx", "llvm", "plan", "cubin", "sass")

EXAMPLES = """\
examples:
  tileir compile --target sm_90 kernel.tileirbc              PTX on standard output
  tileir compile --target sm_90 --emit plan kernel.tileirbc  how to launch it, as JSON
  tileir compile --target sm_90 kernel.tileirbc -o k.ptx     into a file
  tileir compile --target sm_90 --emit sass kernel.tileirbc  machine code, by ptxas and nvdisasm
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
    write_output(arguments.output, _written(compiled, emit))
    return 0


def _written(compiled: Compilation, emit: str) -> bytes:
    if emit == "llvm":
        return compiled.llvm_ir.encode()
    if emit == "ptx":
        return compiled.ptx.encode()
    if emit == "plan":
        return (json.dumps(compiled.plan, indent=2) + "\n").encode()
    cubin = nvidia_tools.assemble(compiled.ptx, compiled.target)
    return cubin if emit == "cubin" else nvidia_tools.disassemble(cubin)
