"""`tileir opt`: passes over a module, and explanations of them."""

from __future__ import annotations

import argparse
import sys

from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import UsageError
from tileir.command_line.standard_output import stdout_text
from tileir.errors import UnsupportedError
from tileir.text.printer import disassemble

from .canonical.rules import RULES
from .module_output import (
    KEYS,
    STATUS,
    add_module_arguments,
    module_given,
    print_json,
    write_module,
)
from .opt import Step, opt
from .passes import ALIASES, DEFAULT, PASSES, named

EXAMPLES = f"""\
examples:
  tileir opt -O k.tileirbc -o small.tileirbc
  tileir opt -p canonicalise,cse,dce k.tileirbc -o k2.tileirbc
  tileir opt -p hoist --emit text k.tileirbc
  tileir opt -O --time k.tileirbc -o k2.tileirbc     changes and time of each pass
  tileir opt -O --print-after-all k.tileirbc -o k2.tileirbc
  tileir opt --list                                  the passes
  tileir opt --rules                                 the rules of canonicalise, and why

-O is -p {",".join(DEFAULT)}.
Kernels compute the same, bit for bit, wherever the result is defined: nothing is rounded otherwise.
The module is verified before the first pass and after the last one.

the keys of --json: {KEYS}
ops_before and ops_after; passes, each with name, changes and seconds. With --list: passes, each
with name, aliases and what; with --rules: rules, each with name, ops, what and why.

{STATUS}
(1 also for a module that breaks rules to begin with)
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Run passes over a Tile IR module."
    parser.epilog = EXAMPLES
    add_module_arguments(parser, optional=True)
    add = parser.add_argument
    add("-p", "--passes", metavar="PASS,...", help="the passes, in order")
    add("-O", dest="default", action="store_true", help=f"the passes {', '.join(DEFAULT)}")
    add("--verify-each", action="store_true", help="verify after each pass, too")
    add("--time", action="store_true", help="changes and time of each pass, on standard error")
    add("--print-after-all", action="store_true", help="the text after each, on standard error")
    add("--list", action="store_true", help="list the passes")
    add("--rules", action="store_true", help="list the rules of canonicalise")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.list or arguments.rules:
        (_list_passes if arguments.list else _list_rules)(arguments.json)
        return 0
    if arguments.file is None:
        raise UsageError("name a file, or - for standard input (see tileir opt --help)")
    if arguments.default and arguments.passes is not None:
        raise UsageError("-O and -p both name the passes; choose one")
    if not arguments.default and arguments.passes is None:
        raise UsageError("name passes with -p, or take those of -O; --list has all of them")
    names = list(DEFAULT) if arguments.passes is None else arguments.passes.split(",")
    try:
        named(names)
    except UnsupportedError as error:
        raise UsageError(str(error)) from None
    given = module_given(arguments)
    steps: list[Step] = []

    def watch(step: Step, module: Bytecode) -> None:
        steps.append(step)
        if arguments.print_after_all:
            _print_after(step, module)

    made = opt(given, names, watch, arguments.verify_each)
    if arguments.time:
        _print_times(steps)
    report = [step._asdict() for step in steps]
    counts = {"ops_before": _ops(given), "ops_after": _ops(made)} if arguments.json else {}
    write_module(arguments, given, made, **counts, passes=report)
    return 0


def _ops(module: Bytecode) -> int:
    return sum(1 for function in module.functions for _ in function.walk())


def _print_after(step: Step, module: Bytecode) -> None:
    print(f"// after {step.name}, changes: {step.changes}", file=sys.stderr)
    print(disassemble(module), file=sys.stderr)


def _print_times(steps: list[Step]) -> None:
    width = max((len(step.name) for step in steps), default=0)
    for step in steps:
        print(f"{step.name:{width}}  {step.changes:>8,}  {step.seconds:8.3f} s", file=sys.stderr)


def _list_passes(as_json: bool) -> None:
    others = {name: [a for a, meant in ALIASES.items() if meant == name] for name in PASSES}
    if as_json:
        rows = [
            {"name": name, "aliases": others[name], "what": each.what}
            for name, each in PASSES.items()
        ]
        print_json({"passes": rows})
        return
    with stdout_text() as out:
        for name, each in PASSES.items():
            also = f" (also {', '.join(others[name])})" if others[name] else ""
            out.write(f"{name:<15} {each.what}{also}\n")


def _list_rules(as_json: bool) -> None:
    if as_json:
        keys = ("name", "ops", "what", "why")
        print_json({"rules": [{key: getattr(rule, key) for key in keys} for rule in RULES]})
        return
    with stdout_text() as out:
        for rule in RULES:
            out.write(f"{rule.name}: {rule.what}\n    {rule.why}\n    of {', '.join(rule.ops)}\n")
