"""`tileir verify`: everything that is wrong with modules, and explanations of the rules."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TextIO

from tileir.command_line.exit_codes import (
    NO,
    OK,
    UNREADABLE,
    UNSUPPORTED,
    USAGE,
    UsageError,
    called,
    fail,
)
from tileir.command_line.running import main_of
from tileir.command_line.standard_output import json_line, stdout_text
from tileir.errors import (
    LONGEST_MESSAGE,
    AssemblyError,
    BytecodeError,
    Diagnostic,
    TextPlace,
)
from tileir.formats.errors import shorten
from tileir.gpus import GPUS
from tileir.messages.texts import display, printable
from tileir.messages.wording import did_you_mean
from tileir.verifier.catalogue import RULES, Rule
from tileir.verifier.module import verify
from tileir.verifier.rules.header import NEWER
from tileir.verifier.rules.targets import check_target

from .modules import add_assume_version, open_module, version_given

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

JSON_SCHEMA = 1
Unreadable = BytecodeError | AssemblyError | OSError | UsageError
SYNTAX = "syntax"
"""The rule id of an error in the syntax of a text."""
COLOURS = {"error": "31", "warning": "33"}

EXAMPLES = """\
examples:
  tileir verify kernel.tileirbc                   errors and warnings, one after the other
  tileir verify --target sm_90 a.tileirbc b.tileirbc
                                                  also what tileiras refuses for that GPU
  tileir verify --strict kernel.tileirbc          warnings are errors
  tileir verify --json k.tileirbc | jq .files     one JSON document
  tileir verify --explain same-type               what a rule is about
  tileir verify --rules                           all rules
  cat k.tileirbc | tileir verify -                standard input

the keys of --json: schema; files, each with file, valid, unreadable (why, or null) and diagnostics:
severity, rule (syntax where a text makes no sense), message, function, op, offset (in bytes), line
and column (of a text, from 1), location, hint

exit status: 0 valid (warnings or not), 1 there are errors, 2 wrong use or no such file, 3 a file is
not readable, 4 its version or the target is not supported; the highest of several files.
A file of a newer version is never called valid: what is unknown in it is listed, and the rest
checked by the rules of the latest one, or all of it by those of --assume-version."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Say everything that is wrong with Tile IR bytecode or text files."
    parser.epilog = EXAMPLES
    parser.add_argument("files", metavar="FILE", nargs="*", help="bytecode or text, - for stdin")
    parser.add_argument("--target", metavar="GPU", help=f"also what {GPUS[0]}, ... cannot do")
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    parser.add_argument("--json", action="store_true", help="one JSON document, for programs")
    add_assume_version(parser)
    about = parser.add_mutually_exclusive_group()
    about.add_argument("--explain", metavar="RULE", help="what a rule is about, by its id")
    about.add_argument("--rules", action="store_true", help="list all rules")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.explain is not None or arguments.rules:
        if arguments.files:
            raise UsageError("--rules and --explain are about rules, and no file is looked at")
        return _explain(arguments.explain, arguments.json)
    if not arguments.files:
        raise UsageError("name a file, or - for standard input (see tileir verify --help)")
    if arguments.target is not None:
        check_target(arguments.target)
    assumed = version_given(arguments.assume_version)
    code, results = OK, []
    for path in arguments.files:
        opened = partial(open_module, path, assumed)
        diagnostics, error = verified(opened, arguments.target, arguments.strict)
        result = exit_code(diagnostics, error)
        code = max(code, result)
        if arguments.json:
            results.append({"file": printable(path), **as_json(diagnostics, error)})
        elif error is None:
            with stdout_text() as out:
                _print(out, path, diagnostics)
        if error is not None:
            fail("verify", _message(path, error), result)
    if arguments.json:
        document = {"schema": JSON_SCHEMA, "files": results}
        with stdout_text() as out:
            out.write(json_line(document))
    return code


def verified(
    opened: Callable[[], Bytecode], target: str | None, strict: bool
) -> tuple[list[Diagnostic], Unreadable | None]:
    """Return what is wrong with a module, and why it cannot be opened, if it cannot."""
    try:
        return verify(opened(), target, strict), None
    except AssemblyError as error:
        return syntax_errors(error), error
    except (BytecodeError, OSError, UsageError) as error:
        return [], error


def syntax_errors(error: AssemblyError) -> list[Diagnostic]:
    """Return what is wrong with a text as diagnostics, of a rule that is none of Tile IR."""
    rows = (
        (each.message, TextPlace(error.name, each.line, each.column)) for each in error.problems
    )
    return [Diagnostic("error", SYNTAX, message, text=place) for message, place in rows]


def _reason(error: Unreadable) -> str:
    return (error.strerror or "") if isinstance(error, OSError) else str(error)


def exit_code(diagnostics: Sequence[Diagnostic], error: Unreadable | None = None) -> int:
    """Return the exit code for what `verified` returns."""
    if isinstance(error, (OSError, UsageError)):
        return USAGE
    if isinstance(error, AssemblyError):
        return UNREADABLE
    if error is not None:
        return UNSUPPORTED if error.kind == "version" else UNREADABLE
    if any(one.rule == NEWER.id for one in diagnostics):
        return UNSUPPORTED
    return NO if any(one.severity == "error" for one in diagnostics) else OK


def is_valid(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether a module with these diagnostics is called valid."""
    return exit_code(diagnostics) == OK


def _message(path: str, error: Unreadable) -> str:
    """Return why a file cannot be verified; errors of texts and of usage name it themselves."""
    reason = _reason(error)
    named = isinstance(error, (AssemblyError, UsageError))
    return reason if named else f"{called(path)}: {reason}"


# Text -------------------------------------------------------------------------------------------


def _print(out: TextIO, path: str, diagnostics: Sequence[Diagnostic]) -> None:
    colour = out.isatty() and not os.environ.get("NO_COLOR")
    for one in diagnostics:
        position = one.place if one.text else ": ".join(filter(None, (called(path), one.place)))
        severity = one.severity
        if colour:
            severity = f"\033[{COLOURS[severity]}m{severity}\033[0m"
        op = f"{display(one.op)}: " if one.op else ""
        message = printable(one.message)
        out.write(f"{position}: {severity}: {op}{message} [{one.rule}]\n")
        source = " at ".join(filter(None, (display(one.function), display(one.location))))
        if source:
            out.write(f"    in {source}\n")
        if one.hint:
            out.write(f"    hint: {printable(one.hint)}\n")
    out.write(f"{called(path)}: {verdict(diagnostics)}\n")


def verdict(diagnostics: Iterable[Diagnostic]) -> str:
    """Return in words whether a module with these diagnostics is valid."""
    counts: dict[str, int] = dict.fromkeys(("error", "warning"), 0)
    for one in diagnostics:
        counts[one.severity] += 1
    parts = [f"{count} {name}{'s' * (count > 1)}" for name, count in counts.items() if count]
    if any(one.rule == NEWER.id for one in diagnostics):
        return f"not known to be valid, as its version is newer: {', '.join(parts)}"
    if counts["error"]:
        return f"not valid: {', '.join(parts)}"
    return f"valid, {parts[0]}" if parts else "valid"


def as_json(diagnostics: Sequence[Diagnostic], error: Unreadable | None) -> dict[str, object]:
    """Return what `verified` returns as an object of JSON's types."""
    return {
        "valid": exit_code(diagnostics, error) == OK,
        "unreadable": None if error is None else printable(_reason(error)),
        "diagnostics": [diagnostic_as_json(one) for one in diagnostics],
    }


def diagnostic_as_json(one: Diagnostic) -> dict[str, object]:
    """Return a diagnostic as an object of JSON's types."""
    return {
        "severity": one.severity,
        "rule": one.rule,
        "message": printable(one.message),
        "function": printable(shorten(one.function, LONGEST_MESSAGE)) or None,
        "op": printable(shorten(one.op, LONGEST_MESSAGE)) or None,
        "offset": one.offset,
        "line": one.text.line if one.text else None,
        "column": one.text.column if one.text else None,
        "location": printable(one.location) or None,
        "hint": printable(one.hint) or None,
    }


# Rules ------------------------------------------------------------------------------------------


def _explain(id: str | None, as_json: bool) -> int:
    if id is not None and id not in RULES:
        meant = did_you_mean(id, RULES)
        raise UsageError(f"there is no rule {id!r}{meant}; tileir verify --rules lists them")
    chosen = [RULES[id]] if id is not None else sorted(RULES.values(), key=lambda rule: rule.id)
    with stdout_text() as out:
        if as_json:
            document = {"schema": JSON_SCHEMA, "rules": [_rule_as_json(rule) for rule in chosen]}
            out.write(json_line(document))
        elif id is not None:
            out.write(_paragraph(chosen[0]))
        else:
            for rule in chosen:
                out.write(f"{rule.id:<20}  {rule.severity:<7}  {_first(rule.explanation)}\n")
    return OK


def _rule_as_json(rule: Rule) -> dict[str, object]:
    return {
        "rule": rule.id,
        "severity": rule.severity,
        "explanation": rule.explanation,
        "hint": rule.hint or None,
        "ops": list(rule.ops),
    }


def _paragraph(rule: Rule) -> str:
    import textwrap

    lines = [f"{rule.id} ({rule.severity})", "", *textwrap.wrap(rule.explanation, 80)]
    if rule.hint:
        lines += ["", f"hint: {rule.hint}"]
    if rule.ops:
        lines += ["", *textwrap.wrap(f"ops: {', '.join(rule.ops)}", 80, subsequent_indent="     ")]
    return "\n".join(lines) + "\n"


def _first(text: str) -> str:
    """Return the first sentence of a text, or the part of it before a colon or semicolon."""
    for end in (". ", "; ", ": "):
        text = text.split(end)[0]
    return text.rstrip(".")


if __name__ == "__main__":
    sys.exit(main_of("verify"))
