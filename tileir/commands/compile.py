"""`tileir compile`: bytecode to LLVM IR, PTX, launch plan or machine code; a report on stages."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

import tileir
from tileir.command_line.exit_codes import UsageError, called
from tileir.command_line.files import check_output, write_output
from tileir.gpus import TARGETS
from tileir.messages.missing_packages import compiling
from tileir.messages.wording import did_you_mean
from tileir.tools import nvidia

from .launch_options import add_options, flag, named_as_written, options_given
from .modules import add_assume_version, check_entry, open_module, version_given
from .remarks import write_remarks

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode
    from tileir.codegen.api import Compilation

EMIT = ("ptx", "llvm", "plan", "cubin", "sass", "stages")
ONE_STAGE = "stage:"
ANYWHERE = ("llvm", "stages")
"""The values of --emit that need no GPU as target."""

EXAMPLES = """\
examples:
  tileir compile --target sm_90 kernel.tileirbc              PTX on standard output
  tileir compile --target sm_90 --emit plan kernel.tileirbc  how to launch it, as JSON
  tileir compile --target sm_90 kernel.tileirbc -o k.ptx     into a file
  tileir compile --target sm_90 --emit sass kernel.tileirbc  machine code, by ptxas and nvdisasm
  tileir compile --target sm_80 --num-warps 8 k.tileirbc     with blocks of 256 threads
  tileir compile --target sm_80 --entry scale k.tileirbc     one kernel of several
  tileir compile kernel.mlir                                 for the GPU that the text names
  tileir compile --emit llvm kernel.tileirbc                 LLVM IR for this machine's CPU
  tileir compile --target sm_90 --emit stages k.tileirbc     what is decided, from Tile IR to PTX
  tileir compile --target sm_90 --remarks k.tileirbc -o k.ptx            and what could be faster
  tileir compile --emit stage:fuse kernel.tileirbc           one stage of that
  tileir compile --target sm_80 --stop-after assign_layouts k.tileirbc   and nothing further

What options say about launching comes before attributes of a text (tt.num_warps, nvvm.maxnreg),
and those before hints in bytecode. --emit plan shows what was settled, and who chose it.

A plan says how to launch the PTX: its entries are explained by
  python -c "help('tileir.codegen.nvptx.plan')"

exit status: 0, 1 an entry cannot be compiled, 2 wrong use or no such file, 3 a file is not
readable, 4 a version or target is not supported, 5 a package or an outside tool is missing
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Compile the kernels of a Tile IR bytecode or text file."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("file", metavar="FILE", help="bytecode or text, or - for standard input")
    add(
        "--target",
        metavar="TARGET",
        help=f"host or one of {', '.join(TARGETS)} (default: the GPU that the text names in"
        " nv_tileaa.compute_capability, or else host)",
    )
    add(
        "--entry",
        metavar="NAME",
        action="append",
        help="compile this kernel; once for each of several (default: all)",
    )
    add(
        "--emit",
        metavar="WHAT",
        help=f"what to write: {', '.join(EMIT)} or {ONE_STAGE}NAME"
        " (default: ptx for a GPU, llvm for the host)",
    )
    add("--stop-after", metavar="NAME", help="compile up to this stage, and write what there is")
    add("-o", "--output", metavar="FILE", help="output file (default: standard output)")
    add("--remarks", action="store_true", help="GPUs: also what tileir remarks says, on stderr")
    add("--lineinfo", action="store_true", help="GPUs: source lines in the PTX")
    add(
        "--portable",
        action="store_true",
        help="GPUs: PTX that all later GPUs run too; without, that for sm_90 is for sm_90a, which"
        " 9.0 alone runs, where a kernel uses what only sm_90a has (--emit plan: runs_on)",
    )
    add("--no-cache", action="store_true", help="neither read nor write what is kept on disk")
    add_options(parser)
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from tileir.codegen.launch_terms import beyond_defaults
    from tileir.codegen.targets import HOST, named_target, no_gpu

    check_output(arguments.output, arguments.file)
    if arguments.emit == "cubin" and arguments.output in (None, "-") and sys.stdout.isatty():
        raise UsageError("a cubin is nothing for a terminal; give -o FILE, or a pipe")
    options: dict[str, Any] = options_given(arguments)
    bytecode = open_module(arguments.file, version_given(arguments.assume_version))
    for name in arguments.entry or ():
        check_entry(bytecode, name)
    emit, stage = emitted(arguments.emit), _stage(arguments)
    needs_gpu = [f"--emit {emit}"] if emit in EMIT and emit not in ANYWHERE else []
    needs_gpu += map(flag, beyond_defaults(options))
    flags = ("lineinfo", "portable", "remarks")
    needs_gpu += [flag(name) for name in flags if getattr(arguments, name)]
    target = arguments.target
    if target is None:
        target = named_target(bytecode)
        if target is None and needs_gpu:
            raise UsageError(no_gpu(needs_gpu[0], "a GPU as --target"))
        target = target or HOST
    elif target == HOST and needs_gpu:
        raise UsageError(f"{needs_gpu[0]} needs a GPU as --target, for example sm_90")
    options |= {
        "symbols": arguments.entry,
        "lineinfo": arguments.lineinfo,
        "portable": arguments.portable,
    }
    if arguments.remarks and (stage is not None or emit == "stages"):
        raise UsageError("stages have their remarks in them; leave --remarks away")
    if stage is not None or emit == "stages":
        with compiling():
            text = _stage_text(bytecode, target, stage, options)
        write_output(arguments.output, text.encode("utf-8", "surrogateescape"))
        return 0
    with named_as_written():
        compiled = tileir.compile(bytecode, target, cache=not arguments.no_cache, **options)
    if arguments.remarks:
        write_remarks(sys.stderr, called(arguments.file), compiled.remarks)
    emit = emit or ("llvm" if target == HOST else "ptx")
    cache = not arguments.no_cache
    write_output(arguments.output, written(compiled, emit, arguments.lineinfo, cache))
    return 0


def emitted(what: str | None) -> str | None:
    """Return the value of --emit; UsageError for an unknown one."""
    if what is None or what in EMIT or what.startswith(ONE_STAGE):
        return what
    known = (*EMIT, f"{ONE_STAGE}NAME")
    meant = did_you_mean(what, EMIT)
    raise UsageError(f"there is no --emit {what}{meant}; there are: {', '.join(known)}")


def _stage(arguments: argparse.Namespace) -> str | None:
    """Return the name of the one stage asked for; None for all or none."""
    what, last = arguments.emit or "", arguments.stop_after
    if last is not None and what:
        raise UsageError("--stop-after says what to write; leave --emit away")
    return what.removeprefix(ONE_STAGE) if what.startswith(ONE_STAGE) else last


def _stage_text(bytecode: Bytecode, target: str, stage: str | None, options: dict[str, Any]) -> str:
    """Return the report on all stages, or the whole text of one, which is the last to run.

    UsageError if compiling for the target has no such stage.
    """
    from tileir.codegen.api import stages
    from tileir.codegen.pipeline import unknown_stage
    from tileir.codegen.stage import report
    from tileir.codegen.targets import package_of

    if stage is not None and (problem := unknown_stage(package_of(target), stage)):
        raise UsageError(f"compiling for {target} {problem}")
    with named_as_written():
        recorded = stages(bytecode, target, until=stage, **options)
    return str(recorded[stage]) if stage else report(recorded.values())


def written(compiled: Compilation, emit: str, lines: bool, cache: bool) -> bytes:
    """Return what --emit names: ptx, llvm, plan, cubin or sass, with lines of source or without."""
    if emit == "llvm":
        return compiled.llvm_ir.encode()
    if emit == "ptx":
        return (compiled.ptx or "").encode()
    if emit == "plan":
        return (json.dumps(compiled.plan, indent=2) + "\n").encode()
    from tileir.codegen.cubins import assembled

    cubin = assembled(compiled.ptx or "", compiled.target, lines, cache)
    return cubin if emit == "cubin" else nvidia.disassemble(cubin, lines)
