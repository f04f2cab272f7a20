"""`tileir remarks`: what makes kernels fast or slow on a GPU, why, and what to change."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import tileir
from tileir.command_line.exit_codes import OK, UNREADABLE, UsageError, called, fail
from tileir.command_line.files import open_input
from tileir.command_line.running import main_of
from tileir.command_line.standard_output import json_line, stdout_text
from tileir.errors import MissingPackageError, TileIRError
from tileir.formats.forks import not_forking
from tileir.gpus import TARGETS
from tileir.messages.missing_packages import compiling, not_installed
from tileir.messages.texts import display, printable
from tileir.tools import nvidia

from .launch_options import add_options, named_as_written, options_given
from .modules import add_assume_version, check_entry, module_of, version_given

if TYPE_CHECKING:
    from tileir.codegen.remarks import Remark

JSON_SCHEMA = 1
COLOURS = {"passed": "32", "missed": "33", "analysis": "36"}
"""Outcome -> its colour on a terminal."""

EXAMPLES = """\
examples:
  tileir remarks --target sm_90 kernel.tileirbc         all of them
  tileir remarks --target sm_90 --missed k.tileirbc     what could be better, and what to change
  tileir remarks --target sm_80 --topic accesses k.mlir one topic
  tileir remarks --target sm_90 --json k.tileirbc | jq .remarks
  tileiras --remarks=all --remark-format=yaml --remarks-output-file=k.yaml ... && \\
  tileir remarks k.yaml                                 what tileiras says, each thing once
  tileir remarks --topics                               what topics there are

Outcomes: passed (it is the fast way), missed (it is not, and why), analysis (a fact). Where ptxas
is installed, it tells of registers and spills.

the keys of --json: schema; file; target (null for the remarks of tileiras); remarks, each with
kernel, file, line and column (from 1; null if unknown), outcome, topic, what, reasons (ids), why,
change (null if there is nothing to change), facts

exit status: 0, 1 an entry cannot be compiled, 2 wrong use or no such file, 3 a file is not
readable, 4 a version or target is not supported, 5 a package is missing"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    from tileir.codegen.remarks import Outcome, Topic

    topics = [*map(str, Topic)]  # as texts: argparse shows others as Python writes them
    parser.description = "Say what makes kernels fast or slow on a GPU, why, and what to change."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="bytecode, text, or YAML of tileiras; - for stdin")
    add("--target", metavar="GPU", help=f"one of {', '.join(TARGETS)}")
    add("--entry", metavar="NAME", action="append", help="this kernel; once for each of several")
    add("--topic", action="append", choices=topics, metavar="TOPIC", help="this topic alone")
    add("--outcome", action="append", choices=[*map(str, Outcome)], help="these outcomes alone")
    add("--missed", dest="outcome", action="append_const", const="missed", help="--outcome missed")
    add("--no-ptxas", action="store_true", help="do not ask ptxas for registers and spills")
    add("--portable", action="store_true", help="PTX that all later GPUs run too")
    add("--json", action="store_true", help="one JSON document, for programs")
    add("--topics", action="store_true", help="list the topics")
    add_options(parser)
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.topics:
        return _list_topics(arguments)
    if arguments.file is None:
        raise UsageError("name a file, or - for standard input (see tileir remarks --help)")
    with compiling(), not_forking:
        from tileir.codegen import tileiras_remarks

    data = open_input(arguments.file)
    if data.startswith(tileiras_remarks.STARTS):
        _check_nothing_compiled(arguments)
        try:
            remarks: Sequence[Remark] = tileiras_remarks.fold(data, called(arguments.file))
        except MissingPackageError:
            raise
        except TileIRError as error:
            return fail("remarks", str(error), UNREADABLE)
        target = None
    else:
        target, remarks = _compiled(data, arguments)
    wanted = [
        remark
        for remark in remarks
        if remark.topic in (arguments.topic or [remark.topic])
        and remark.outcome in (arguments.outcome or [remark.outcome])
    ]
    with stdout_text() as out:
        if arguments.json:
            rows = [_as_json(remark) for remark in wanted]
            document = {"schema": JSON_SCHEMA, "file": called(arguments.file)}
            document |= {"target": target, "remarks": rows}
            out.write(json_line(document))
        else:
            write_remarks(out, called(arguments.file), wanted)
    return OK


def _check_nothing_compiled(arguments: argparse.Namespace) -> None:
    given = [flag for flag in ("target", "entry", "portable") if getattr(arguments, flag)]
    given += options_given(arguments)
    if given:
        raise UsageError(f"nothing is compiled of remarks; leave --{given[0]} away")


def _compiled(data: bytes, arguments: argparse.Namespace) -> tuple[str, list[Remark]]:
    """Compile a module, and return the target and the remarks."""
    from tileir.codegen.targets import HOST, named_target, no_gpu

    options: dict[str, Any] = options_given(arguments)
    bytecode = module_of(data, arguments.file, version_given(arguments.assume_version))
    for name in arguments.entry or ():
        check_entry(bytecode, name)
    target = arguments.target or named_target(bytecode)
    if target is None or target == HOST:
        raise UsageError(no_gpu("tileir remarks", "a GPU as --target", host=target == HOST))
    options |= {"symbols": arguments.entry, "portable": arguments.portable}
    with compiling(), named_as_written():
        compiled = tileir.compile(bytecode, target, **options)
        remarks, symbols = list(compiled.remarks), list(compiled)
    if arguments.no_ptxas:
        return target, remarks
    if nvidia.find("ptxas") is None:
        fail("remarks", f"registers are not shown: {not_installed(nvidia.PACKAGES['ptxas'])}", OK)
        return target, remarks
    from tileir.codegen.nvptx.reports.register_remarks import register_remarks

    remarks += register_remarks(compiled.ptx or "", target, compiled.plan)
    return target, sorted(remarks, key=lambda remark: symbols.index(remark.entry))


def _list_topics(arguments: argparse.Namespace) -> int:
    from tileir.codegen.remarks import TOPICS

    if arguments.file is not None:
        raise UsageError("--topics lists topics, and no file is looked at")
    with stdout_text() as out:
        if arguments.json:
            document = {"schema": JSON_SCHEMA, "topics": dict(TOPICS)}
            out.write(json_line(document))
        else:
            out.writelines(f"{topic:<14}  {about}\n" for topic, about in TOPICS.items())
    return OK


# Text -------------------------------------------------------------------------------------------


def write_remarks(out: TextIO, file: str, remarks: Iterable[Remark]) -> None:
    """Write remarks as compilers do, those of each kernel under its name."""
    colour = out.isatty() and not os.environ.get("NO_COLOR")
    kernel = None
    for remark in remarks:
        if remark.entry != kernel:
            kernel = remark.entry
            out.write(f"{file}: kernel {display(kernel)}\n")
        outcome = str(remark.outcome)
        if colour:
            outcome = f"\033[{COLOURS[outcome]}m{outcome}\033[0m"
        place = f"{_place(remark)}: " if remark.location else ""
        out.write(f"{place}{outcome}: {printable(remark.what)} [{remark.topic}]\n")
        times = remark.facts.get("times", 1)
        often = f" ({times} times)" if times != 1 else ""
        if remark.why:
            out.write(f"    why: {printable(remark.why)}{often}\n")
        if remark.change:
            out.write(f"    change: {remark.change}\n")


def _place(remark: Remark) -> str:
    """Return the place in source, as compilers write it: that of the innermost call."""
    at = remark.location.innermost if remark.location else None
    return printable(str(at or remark.location))


def _as_json(remark: Remark) -> dict[str, object]:
    at = remark.location.innermost if remark.location else None
    facts = dict(remark.facts)
    return {
        "kernel": printable(remark.entry),
        "file": printable(at.filename) if at else None,
        "line": at.line if at else None,
        "column": at.column if at else None,
        "outcome": remark.outcome,
        "topic": remark.topic,
        "what": printable(remark.what),
        "reasons": facts.pop("reasons", ()),
        "why": printable(remark.why),
        "change": remark.change or None,
        "facts": facts,
    }


if __name__ == "__main__":
    sys.exit(main_of("remarks"))
