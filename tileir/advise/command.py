"""`tileir advise`: what keeps kernels from being fast on a GPU, and what each fix would give."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, TextIO

from tileir.bytecode import Bytecode
from tileir.command_line.argument_parser import counting_number, number_of_seconds
from tileir.command_line.exit_codes import OK, UsageError, called, explained, fail, fail_at
from tileir.command_line.running import main_of
from tileir.command_line.standard_output import json_line, stdout_text, wants_colour
from tileir.commands.argument_words import ArrayWord, values_by_role
from tileir.commands.colour import CYAN, RED, YELLOW, paint
from tileir.commands.launch_options import (
    GRID,
    add_options,
    grid_given,
    named_as_written,
    options_given,
)
from tileir.commands.modules import add_assume_version, check_entry, open_module, version_given
from tileir.commands.progress import progress_bar
from tileir.errors import TileIRError
from tileir.formats.forks import not_forking
from tileir.gpus import HOST, TARGETS, unknown
from tileir.messages.missing_packages import compiling, is_installed, not_installed
from tileir.messages.texts import display, printable
from tileir.messages.wording import counted, did_you_mean
from tileir.tools import nvidia

if TYPE_CHECKING:
    from tileir.codegen.advise.finding import Finding
    from tileir.codegen.advise.rule import Rule
    from tileir.codegen.advise.search import Advice
    from tileir.ir.locations import Location

JSON_SCHEMA = 2
COLOURS = {"certain": RED, "likely": YELLOW, "maybe": CYAN}
"""How sure a finding is -> its colour on a terminal."""
_ARRAY = "the next array of a launch: a .npy file, or zeros:SHAPE:DTYPE"

EXAMPLES = """\
examples:
  tileir advise --target sm_90 kernel.tileirbc          what would make it faster, most gain first
  tileir advise --target sm_90 --grid 256,4 k.tileirbc  also what is wrong with such a launch
  tileir advise --target sm_90 --array x.npy --array zeros:4096:f32 --arg 2.5 k.tileirbc
                                                        what these arguments break is no advice
  tileir advise --target sm_90 kernels/*.tileirbc       of several files, one after the other
  tileir advise --target sm_90 --within 60 k.mlir       ends after that long with what there is
  tileir advise --target sm_90 --json k.mlir | jq '.files[].findings'
  tileir advise --explain no-tensor-copy                what a rule is about
  tileir advise --rules                                 all rules

Each finding names a static figure. Its fix has been made in a copy of the kernel and compiled: the
figure is shown before and after, and what does not improve it is not shown. How sure a fix is:
certain (the kernel computes the same), likely (if arguments are as they usually are), maybe (the
kernel or its caller has to change for it). Registers are those that ptxas gives, where it and
pyelftools are installed.

the keys of --json: schema; files, each with file, target, problem (why nothing is known of it, or
null) and findings: kernel, rule, title, sure, op (the one to be changed; null for all of a kernel),
file, line and column (from 1; null if unknown), why, fix, figure, before and after (numbers), shown
(both in words), gain (by which they are sorted), also (where it is felt, and where else it is so:
file, line and column); and untried: each kernel with the rules that were not tried everywhere in
it, as there was no time, or too many ops would have to be tried one by one. With --rules or
--explain: schema; rules, each with rule, title, sure, figure, explanation and fix

exit status: 0 whatever is found, 1 an entry cannot be compiled, 2 wrong use or no such file, 3 a
file is not readable, 4 a version or target is not supported, 5 a package is missing, or a tool
fails; the highest of several files"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Say what keeps kernels from being fast on a GPU, and try each fix."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("files", metavar="FILE", nargs="*", help="bytecode or text; - for standard input")
    add("--target", metavar="GPU", help=f"one of {', '.join(TARGETS)}")
    add("--entry", metavar="NAME", action="append", help="this kernel; once for each of several")
    add("--grid", metavar=GRID, help="the tile blocks of a launch")
    add(
        "--sms",
        metavar="N",
        type=counting_number,
        help="SMs of the GPU (default: of a common product)",
    )
    add("--array", metavar="VALUE", action="append", dest="values", type=ArrayWord, help=_ARRAY)
    add("--arg", metavar="VALUE", action="append", dest="values", help="the next scalar")
    add("--convention", choices=["cutile"], help="whose order arrays without a view have")
    add("--no-ptxas", action="store_true", help="do not ask ptxas for registers")
    add(
        "--within",
        metavar="SECONDS",
        type=number_of_seconds,
        help="end after that long, for each file",
    )
    add("--portable", action="store_true", help="PTX that all later GPUs run too")
    add("--json", action="store_true", help="one JSON document, for programs")
    about = parser.add_mutually_exclusive_group()
    about.add_argument("--explain", metavar="RULE", help="what a rule is about, by its id")
    about.add_argument("--rules", action="store_true", help="list all rules")
    add_options(parser)
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.explain is not None or arguments.rules:
        if arguments.files:
            raise UsageError("--rules and --explain are about rules, and no file is looked at")
        return _explain(arguments)
    if not arguments.files:
        raise UsageError("name a file, or - for standard input (see tileir advise --help)")
    if arguments.sms is not None and arguments.grid is None:
        raise UsageError("--sms is for launches; name one by --grid")
    if arguments.values is None and arguments.convention is not None:
        raise UsageError("--convention needs --array")
    if arguments.values is not None and len(arguments.files) > 1:
        raise UsageError("--array is for a launch of one kernel; name its file alone")
    _check_launch(arguments)
    lacking = [] if arguments.no_ptxas else _lacking()
    looked_at = False
    code, files = OK, list[dict[str, object]]()
    for path in arguments.files:
        try:
            bytecode = open_module(path, version_given(arguments.assume_version))
            target, found = _found(bytecode, arguments, not (arguments.no_ptxas or lacking))
        except (UsageError, TileIRError, OSError) as error:
            code = max(code, fail_at("advise", path, error))
            files.append(_file_as_json(path, problem=printable(explained(error)[0])))
            continue
        looked_at = True
        files.append(_file_as_json(path, target, found))
        if not arguments.json:
            names = arguments.entry or [function.name for function in bytecode.functions]
            with stdout_text() as out:
                _write(out, called(path), names, target, found)
    if arguments.json:
        with stdout_text() as out:
            out.write(json_line({"schema": JSON_SCHEMA, "files": files}))
    if looked_at and lacking:
        fail("advise", f"registers are not shown: {not_installed(*lacking)}", OK)
    return code


def _check_launch(arguments: argparse.Namespace) -> None:
    """Check target and grid once, as they are no file's fault."""
    if arguments.target not in (None, HOST, *TARGETS):
        raise unknown(arguments.target, TARGETS)
    if arguments.target == HOST:
        raise UsageError(_no_gpu(host=True))
    if arguments.grid is not None:
        grid_given(arguments.grid, 1)


def _no_gpu(host: bool = False) -> str:
    with compiling(), not_forking:
        from tileir.codegen.targets import no_gpu
    return no_gpu("tileir advise", "a GPU as --target", host=host)


def _lacking() -> list[str]:
    """Return what is missing for registers: packages, and modules of Python."""
    lacking = [] if nvidia.find("ptxas") else [nvidia.PACKAGES["ptxas"]]
    return lacking + ([] if is_installed("elftools") else ["elftools"])


def _found(bytecode: Bytecode, arguments: argparse.Namespace, ptxas: bool) -> tuple[str, Advice]:
    """Return the target, and the advice on a module."""
    for name in arguments.entry or ():
        check_entry(bytecode, name)
    with compiling(), not_forking:
        from tileir.codegen.advise.search import advice
        from tileir.codegen.targets import named_target
    target = arguments.target or named_target(bytecode)
    if target is None:
        raise UsageError(_no_gpu())
    options: dict[str, Any] = options_given(arguments)
    with compiling(), named_as_written(), progress_bar("trying") as progress:
        return target, advice(
            bytecode,
            target,
            symbols=arguments.entry,
            grid=None if arguments.grid is None else grid_given(arguments.grid, 1),
            processors=arguments.sms,
            arguments=_values(bytecode, arguments),
            portable=arguments.portable,
            ptxas=ptxas,
            seconds=inf if arguments.within is None else arguments.within,
            progress=progress,
            **options,
        )


def _values(bytecode: Bytecode, arguments: argparse.Namespace) -> Sequence[object]:
    """Return what the launch passes for each parameter, as far as that is given."""
    if arguments.values is None:
        return ()
    names = arguments.entry or [function.name for function in bytecode.functions]
    if len(names) != 1:
        raise UsageError("--array is for a launch of one kernel; choose it by --entry")
    (function,) = [each for each in bytecode.functions if each.name == names[0]]
    return values_by_role(function, arguments.values, arguments.convention)


# Rules ------------------------------------------------------------------------------------------


def _explain(arguments: argparse.Namespace) -> int:
    with compiling(), not_forking:
        from tileir.codegen.advise.rules import RULES
    name = arguments.explain
    if name is not None and name not in RULES:
        raise UsageError(f"there is no rule {name!r}{did_you_mean(name, RULES)}")
    rules = list(RULES.values()) if name is None else [RULES[name]]
    with stdout_text() as out:
        if arguments.json:
            document = {"schema": JSON_SCHEMA, "rules": [*map(_rule_as_json, rules)]}
            out.write(json_line(document))
        elif name is None:
            out.writelines(f"{rule.id:<24}  {rule.title}\n" for rule in rules)
        else:
            (rule,) = rules
            out.write(f"{rule.id}: {rule.title}\n\n{textwrap.fill(rule.explanation, 80)}\n\n")
            out.write(f"figure: {_figures(rule)}\nfix: {rule.fix}\nsure: {rule.sure}\n")
    return OK


def _figures(rule: Rule) -> str:
    return "; or ".join(figure.name for figure in (rule.figure, *rule.others))


def _rule_as_json(rule: Rule) -> dict[str, str]:
    texts = {"rule": rule.id, "title": rule.title, "sure": rule.sure, "figure": _figures(rule)}
    return {**texts, "explanation": rule.explanation, "fix": rule.fix}


# Text -------------------------------------------------------------------------------------------


def _write(out: TextIO, file: str, names: Sequence[str], target: str, found: Advice) -> None:
    """Write findings, those of each kernel under its name, and what was not tried."""
    coloured = wants_colour(out)
    for name in names:
        own = [each for each in found.findings if each.kernel == name]
        if own:
            said = f": {counted(len(own), 'finding')} for {target}"
        else:
            said = f": no rule knows how to make it faster on {target}"
        out.write(f"{file}: kernel {display(name)}{said}\n")
        for each in own:
            out.writelines(f"{line}\n" for line in _lines(each, coloured))
        if rules := found.untried.get(name):
            out.write(f"{file}: kernel {display(name)}: not tried everywhere: {', '.join(rules)}\n")


def _lines(each: Finding, coloured: bool) -> Iterator[str]:
    place = f"{_place(each.location)}: " if each.location else ""
    sure = paint(COLOURS[each.sure], each.sure) if coloured else each.sure
    yield f"{place}{sure}: {each.title} [{each.rule}]"
    before, after = each.shown
    yield f"    {each.figure}, now: {before}; with the fix: {after}"
    yield f"    fix: {printable(each.fix)}"
    yield f"    why: {printable(each.why)}"
    if places := dict.fromkeys(_place(at) for at in each.also if at is not None):
        yield f"    also at {', '.join(places)}"


def _place(location: Location | None) -> str:
    at = location.innermost if location else None
    return printable(str(at or location))


def _file_as_json(
    path: str, target: str | None = None, found: Advice | None = None, problem: str | None = None
) -> dict[str, object]:
    """Return what JSON has of a file: advice, or why there is none."""
    findings = [] if found is None else found.findings
    untried = {} if found is None else found.untried
    return {
        "file": called(path),
        "target": target,
        "problem": problem,
        "findings": [as_json(each) for each in findings],
        "untried": [{"kernel": printable(name), "rules": ids} for name, ids in untried.items()],
    }


def as_json(each: Finding) -> dict[str, object]:
    """Return a finding as JSON; its keys are in the help."""
    return {
        "kernel": printable(each.kernel),
        "rule": each.rule,
        "title": each.title,
        "sure": each.sure,
        "op": each.op,
        **_place_as_json(each.location),
        "why": printable(each.why),
        "fix": printable(each.fix),
        "figure": each.figure,
        "before": each.before,
        "after": each.after,
        "shown": list(each.shown),
        "gain": round(each.gain, 3),
        "also": [_place_as_json(at) for at in each.also],
    }


def _place_as_json(location: Location | None) -> dict[str, object]:
    at = location.innermost if location else None
    if at is None:
        return {"file": None, "line": None, "column": None}
    return {"file": printable(at.filename), "line": at.line, "column": at.column}


if __name__ == "__main__":
    sys.exit(main_of("advise"))
