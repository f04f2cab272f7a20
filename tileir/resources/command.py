"""`tileir resources`: what compiled kernels take of a GPU, and whether that is more than it was."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import tileir
from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import NO, OK, UsageError, called, explained, fail, fail_at
from tileir.command_line.files import check_no_input, check_output, open_input, write_output
from tileir.command_line.standard_output import json_line, stdout_text
from tileir.commands.launch_options import add_options, flag, named_as_written, options_given
from tileir.commands.modules import add_assume_version, check_entry, module_of, version_given
from tileir.commands.progress import progress_bar
from tileir.errors import PackageError, TileIRError
from tileir.gpus import TARGETS
from tileir.messages.missing_packages import compiling
from tileir.messages.texts import display, printable
from tileir.messages.wording import counted
from tileir.tools import nvidia

from . import baseline, report
from .cubin import ELF
from .kernel_resources import KernelResources
from .of_kernels import OURS, THEIRS, resources_by_tileiras, resources_of

JSON_SCHEMA = 1
COMPILERS = (OURS, THEIRS)
Failure = UsageError | TileIRError | OSError

EXAMPLES = """\
examples:
  tileir resources --target sm_90 kernel.tileirbc            our PTX, assembled by ptxas
  tileir resources --target sm_80 --target sm_90 k.tileirbc  for several GPUs, side by side
  tileir resources --target sm_90 --compiler tileir --compiler tileiras k.tileirbc
                                                             ours beside that of NVIDIA's tileiras
  tileir resources kernel.cubin                              a cubin, of tileiras or of ptxas
  tileir resources --target sm_90 --baseline resources.json --update *.tileirbc
                                                             write a baseline, and from then on
  tileir resources --target sm_90 --baseline resources.json *.tileirbc
                                                             fail if any figure is worse
  tileir resources --target sm_90 --json k.tileirbc | jq '.files[].kernels[].registers'

What is memory or code is in bytes. Spilled are registers, in bytes that the code stores and loads,
each instruction once; a cubin does not say how many, nor what shared memory a launch adds.
Occupancy is that of CUDA's programming guide, for one kernel alone on an SM with all of its shared
memory; clusters are not looked at. A baseline is sorted JSON, keyed by file (as seen from the
baseline's folder), kernel and target; what was not measured now is not compared, and --update
leaves it as it is. A kernel or target that fails does not hide the others, but nothing is updated.
ptxas of another release may change figures: then the difference is told, too.

the keys of --json: schema; files, each with file, problems (texts) and kernels; a kernel has
kernel, entry, target, compiler, registers, threads, static_shared, dynamic_shared, reserved_shared,
stack, spill_stores, spill_loads, barriers, mbarriers, code_bytes, opcodes, instructions, main_loop
(its instructions), occupancy: blocks, warps, most_warps, limits and limited_by. null is what is
not known. With --baseline also baseline: holds, worse, better, new, absent

exit status: 0, 1 an entry cannot be compiled, or a figure is worse than in the baseline, or a
kernel is not in it, 2 wrong use or no such file, 3 a file is not readable, 4 a version or target is
not supported, 5 a package or a tool is missing, or fails; the highest of several files"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = (
        "Say what compiled kernels take of a GPU: registers, shared memory, spills, stack,\n"
        "barriers, instructions, and how many blocks fit an SM."
    )
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("files", metavar="FILE", nargs="+", help="bytecode, text or a cubin; - for standard input")
    add("--target", metavar="GPU", action="append", help=f"once for each of {', '.join(TARGETS)}")
    add("--entry", metavar="NAME", action="append", help="this kernel; once for each of several")
    add(
        "--compiler",
        choices=COMPILERS,
        action="append",
        help="who compiles; once for each of both, side by side (default: tileir)",
    )
    add("--no-instructions", action="store_true", help="do not ask nvdisasm for instructions")
    add("--baseline", metavar="JSON", help="compare with the figures in this file")
    add(
        "--update",
        action="store_true",
        help="write the figures to the baseline instead; others stay",
    )
    add("--portable", action="store_true", help="PTX that all later GPUs run too")
    add("--json", action="store_true", help="one JSON document, for programs")
    add_options(parser)
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.update and arguments.baseline is None:
        raise UsageError("--update is for a baseline; --baseline JSON names its file")
    check_no_input(arguments.baseline, *arguments.files, option="--baseline")
    if arguments.update:
        check_output(arguments.baseline)
    before = None
    if arguments.baseline is not None and not (arguments.update and _is_new(arguments.baseline)):
        before = _baseline(arguments.baseline)
    code, found = OK, dict[str, Measured]()
    with progress_bar("compiling") as progress:
        for number, path in enumerate(dict.fromkeys(arguments.files)):
            if progress:
                progress(number, len(arguments.files))
            measured = found[path] = Measured()
            _measure(measured, path, arguments)
            code = max(code, *(fail_at("resources", path, error) for error in measured.errors), OK)
    kernels = [kernel for each in found.values() for kernel in each.kernels]
    keyed = _keyed(found, arguments.baseline) if arguments.baseline is not None else {}
    compared = baseline.compare(before, keyed) if before and not arguments.update else None
    written = arguments.update and code == OK
    if written:
        write_output(arguments.baseline, baseline.to_bytes(keyed, _tools(kernels), before))
    with stdout_text() as out:
        if arguments.json:
            out.write(json_line(_document(found, compared)))
        elif compared is not None and before is not None:
            _write_comparison(out, compared, before, kernels)
        elif written:
            number = counted(len(kernels), "kernel")
            absent = baseline.compare(before, keyed).absent if before else ()
            kept = f", {counted(len(absent), 'other')} kept" if absent else ""
            out.write(f"{printable(str(arguments.baseline))}: {number} written{kept}\n")
        elif not arguments.update:
            _write_tables(out, found)
    if compared is not None and not compared.holds:
        code = max(code, NO)
    return code


@dataclass(slots=True)
class Measured:
    """What a file's kernels take, and why some could not be measured."""

    kernels: list[KernelResources] = field(default_factory=list)
    errors: list[Failure] = field(default_factory=list)

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        """Keep an error, and go on with what is next."""
        try:
            yield
        except (UsageError, TileIRError, OSError) as error:
            if str(error) not in map(str, self.errors):
                self.errors.append(error)


def _measure(measured: Measured, path: str, arguments: argparse.Namespace) -> None:
    """Measure the kernels of a file, for each target and compiler."""
    with measured.attempt():
        data, wanted = open_input(path), not arguments.no_instructions
        if data.startswith(ELF):
            _check_nothing_compiled(path, arguments)
            measured.kernels += resources_of(data, instructions=wanted)
            return
        bytecode = module_of(data, path, version_given(arguments.assume_version))
        entries: list[str] = []
        for name in dict.fromkeys(arguments.entry or ()):
            with measured.attempt():
                check_entry(bytecode, name)
                entries.append(name)
        if arguments.entry and not entries:
            return
        options = options_given(arguments) | ({"portable": True} if arguments.portable else {})
        for target in targets_of(bytecode, arguments.target):
            for compiler in dict.fromkeys(arguments.compiler or (OURS,)):
                of = partial(kernels_of, bytecode, target, compiler, options, wanted)
                _measure_all(measured, of, entries, bytecode)


def _measure_all(
    measured: Measured,
    of: Callable[[Sequence[str] | None], list[KernelResources]],
    entries: Sequence[str],
    bytecode: Bytecode,
) -> None:
    """Measure kernels by a compiler: one by one if not all can be compiled."""
    with measured.attempt():
        names = list(entries) or [function.name for function in bytecode.functions]
        try:
            measured.kernels += of(entries or None)
        except TileIRError:
            if len(names) < 2:
                raise
            for name in names:
                with measured.attempt():
                    measured.kernels += of([name])


def kernels_of(
    bytecode: Bytecode,
    target: str,
    compiler: str,
    options: dict[str, Any],
    instructions: bool,
    entries: Sequence[str] | None = None,
) -> list[KernelResources]:
    """Return what a compiler's kernels of a module take, or of some entries alone.

    UsageError for options that tileiras does not take.
    """
    if compiler == THEIRS:
        if options:
            raise UsageError(
                f"tileiras takes no such option; leave {flag(next(iter(options)))} away"
            )
        found = resources_by_tileiras(bytecode, target, instructions=instructions)
        return [each for each in found if not entries or each.kernel in entries]
    with compiling(), named_as_written():
        compiled = tileir.compile(bytecode, target, symbols=entries, **options)
        return resources_of(compiled, instructions=instructions)


def targets_of(bytecode: Bytecode, asked: Sequence[str] | None) -> Sequence[str]:
    """Return the targets asked for, else the one that a text names; UsageError without any."""
    from tileir.codegen.targets import HOST, named_target, no_gpu

    targets = list(dict.fromkeys(asked or ())) or [named_target(bytecode)]
    if targets[0] is None or HOST in targets:
        raise UsageError(no_gpu("tileir resources", "a GPU as --target", host=HOST in targets))
    return [target for target in targets if target is not None]


def _check_nothing_compiled(path: str, arguments: argparse.Namespace) -> None:
    names = ("target", "entry", "compiler", "portable", "assume_version")
    given = [name for name in names if getattr(arguments, name)]
    given += options_given(arguments)
    if given:
        raise UsageError(f"{called(path)} is compiled already; leave {flag(given[0])} away")


# The baseline ------------------------------------------------------------------------------------


def _baseline(path: str) -> baseline.Baseline:
    try:
        return baseline.from_bytes(Path(path).read_bytes())
    except PackageError as error:
        raise PackageError(f"{display(path)}: {error}") from None
    except FileNotFoundError:
        raise UsageError(f"there is no {display(path)}; --update writes it") from None


def _is_new(path: str) -> bool:
    """Whether there is no such file, or nothing in it."""
    with contextlib.suppress(FileNotFoundError):
        return not Path(path).read_bytes()
    return True


def _keyed(found: dict[str, Measured], path: str) -> dict[str, KernelResources]:
    """Return the kernels by their keys in the baseline at a path."""
    return {
        baseline.key_of(baseline.file_in(path, file), kernel): kernel
        for file, measured in found.items()
        for kernel in measured.kernels
    }


def _tools(kernels: Sequence[KernelResources]) -> dict[str, str]:
    """Return the releases of what made kernels, as far as they are known."""
    names = {"ptxas" if each.compiler == OURS else each.compiler for each in kernels}
    found = {name: nvidia.find(name) for name in sorted(names)}
    releases = {name: nvidia.release_of(tool) for name, tool in found.items() if tool}
    return {name: release for name, release in releases.items() if release}


def _write_comparison(
    out: TextIO,
    compared: baseline.Comparison,
    before: baseline.Baseline,
    kernels: Sequence[KernelResources],
) -> None:
    for change in compared.changes:
        out.write(f"{'worse' if change.worse else 'better'}: {printable(str(change))}\n")
    for key in compared.new:
        out.write(f"new: {printable(key)} is not in the baseline; --update adds it\n")
    same = len(kernels) - len({each.key for each in compared.changes}) - len(compared.new)
    out.write(f"{counted(len(kernels), 'kernel')}, {same} as in the baseline\n")
    for name, release in _tools(kernels).items():
        if before.tools.get(name, release) != release:
            was = display(before.tools[name])
            fail("resources", f"the baseline was written with {name} {was}, this is {release}", OK)
    if any(not change.worse for change in compared.changes) and compared.holds:
        fail("resources", "--update keeps what is better", OK)


# Text and JSON -----------------------------------------------------------------------------------


def _write_tables(out: TextIO, found: dict[str, Measured]) -> None:
    shown = {path: each.kernels for path, each in found.items() if each.kernels or not each.errors}
    for number, (path, kernels) in enumerate(shown.items()):
        if number:
            out.write("\n")
        if len(found) > 1:
            out.write(f"{called(path)}:\n")
        if not kernels:
            out.write("no kernels\n")
        out.writelines(f"{line}\n" for line in report.lines(kernels))
    sys.stdout.flush()


def _document(found: dict[str, Measured], compared: baseline.Comparison | None) -> dict[str, Any]:
    files = [
        {
            "file": called(path),
            "problems": [printable(explained(error)[0]) for error in measured.errors],
            "kernels": list(map(report.as_json, measured.kernels)),
        }
        for path, measured in found.items()
    ]
    document: dict[str, Any] = {"schema": JSON_SCHEMA, "files": files}
    if compared is not None:
        document["baseline"] = {
            "holds": compared.holds,
            "worse": [_change(each) for each in compared.changes if each.worse],
            "better": [_change(each) for each in compared.changes if not each.worse],
            "new": list(map(printable, compared.new)),
            "absent": list(map(printable, compared.absent)),
        }
    return document


def _change(change: baseline.Change) -> dict[str, Any]:
    return {
        "kernel": printable(change.key),
        "figure": change.figure,
        "before": change.before,
        "after": change.after,
    }
