"""`verify`: every rule asked of a whole module, everything that is wrong collected.

Of one op the first thing wrong is reported. What it defines is poisoned: an op that uses it is
asked too, but what is wrong with that one is taken for a consequence and not reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tileir.bytecode import Bytecode
from tileir.errors import Diagnostic, VerifyError
from tileir.read.function import Function, Global
from tileir.read.text_positions import located

from .body import body_findings
from .catalogue import ERROR, WARNING, Rule, declare
from .rules import hints, names, symbols
from .rules.debug import function_problem
from .rules.targets import check_target

ALIGNMENT = declare(
    "global-alignment",
    "The alignment of a global is a power of two, or 0 for the natural one. NVIDIA's disassembler "
    "accepts any number; what its compiler makes of one that is none is not known.",
    "use a power of two",
    WARNING,
)
FLAGS = declare(
    "unknown-flags",
    "A bit is set that no version of the format gives a meaning, in the flags of an op. Readers "
    "ignore it, so whoever set it meant something that does not happen.",
    severity=WARNING,
)


def verify(
    bytecode: Bytecode | bytes, target: str | None = None, strict: bool = False
) -> list[Diagnostic]:
    """Everything that is wrong with a module, as `Diagnostic`s; [] if nothing is.

    Errors are what NVIDIA's tools refuse, in their words. Warnings are what they accept and users
    stumble over later; with `strict` they are errors. `target` is a GPU such as "sm_90" and adds
    what tileiras refuses for it. Raises BytecodeError for what cannot be read, UnsupportedError for
    a target that nobody knows. What is odd about the bytes alone is in `Bytecode.warnings`.
    """
    bytecode = Bytecode.of(bytecode)
    if target is not None:
        check_target(target)
    bytecode.touch()
    found = list(_items(bytecode.functions, bytecode.globals, warn=True))
    variables = {variable.name: variable for variable in bytecode.globals}
    for function in bytecode.functions:
        found += body_findings(function, variables, bytecode.version, target, warn=True)
    for odd in bytecode.warnings:
        if odd.kind == "unknown_flags":
            found.append(replace(odd, kind=FLAGS.id))
    if strict:
        found = [replace(finding, severity=ERROR) for finding in found]
    return located(found, bytecode)


def check(bytecode: Bytecode, functions: Iterable[Function] | None = None) -> None:
    """Raise one VerifyError that lists every error of the module, or of these functions of it."""
    functions = list(bytecode.functions if functions is None else functions)
    found = list(_items(functions, bytecode.globals, warn=False))
    variables = {variable.name: variable for variable in bytecode.globals}
    for function in functions:
        found += body_findings(function, variables, bytecode.version)
    refuse(located(found, bytecode))


def refuse(found: list[Diagnostic]) -> None:
    """Raise VerifyError if there is an error among the findings."""
    errors = [finding for finding in found if finding.severity == ERROR]
    if errors:
        count = "one problem" if len(errors) == 1 else f"{len(errors)} problems"
        raise VerifyError(f"not valid Tile IR, {count}:", errors)


def _items(functions: list[Function], variables: list[Global], warn: bool) -> Iterator[Diagnostic]:
    """What is wrong with the entries and globals of a module, apart from bodies."""
    for rule, text, hint, name in symbols.repeated(functions, variables):
        yield _about(rule, text, hint, "", name)
    for variable in variables:
        wrong = symbols.global_problem(variable)
        if wrong:
            yield _about(*wrong, "", f"global {variable.name}")
        if warn and variable.alignment & (variable.alignment - 1):
            text = f"alignment {variable.alignment} is no power of two"
            yield _about(ALIGNMENT, text, ALIGNMENT.hint, "", f"global {variable.name}")
    for function in functions:
        for wrong in symbols.entry_problems(function):
            yield _about(*wrong, function.name, "entry")
        wrong = function_problem(function.name, function.location)
        if wrong:
            yield _about(*wrong, function.name, "entry", str(function.location))
        if warn:
            for text in hints.unknown(function.hints, hints.ENTRY):
                yield _about(hints.UNKNOWN, text, "", function.name, "entry")
    if warn:
        yield from _names(functions, variables)


def _names(functions: list[Function], variables: list[Global]) -> Iterator[Diagnostic]:
    public = [variable.name for variable in variables if not variable.private]
    public += [function.name for function in functions]
    for name in dict.fromkeys(public):
        if not names.spelled_in_ptx(name):
            text = f"{name!r} is not a name that PTX can have"
            yield _about(names.NAME, text, names.NAME.hint, "", name)
    items = [item.name for item in (*variables, *functions)]
    for name, first in names.clashes(dict.fromkeys(items)):
        text = f"{name!r} and {first!r} are both {names.mangled(name)!r} in PTX"
        yield _about(names.CLASH, text, names.CLASH.hint, "", name)


def _about(
    rule: Rule, text: str, hint: str, function: str, item: str, location: str = ""
) -> Diagnostic:
    return Diagnostic(rule.severity, rule.id, text, None, function, location, op=item, hint=hint)
