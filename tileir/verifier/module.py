"""`verify`: every rule is checked for a whole module, and all violations are collected.

For each op, the first problem is reported. The results of such an op are poisoned: problems of ops
that use them count as consequences, and are not reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode
from tileir.errors import Diagnostic, VerifyError
from tileir.read.function import Function, Global
from tileir.read.text_positions import located

from .body import body_diagnostics
from .catalogue import ERROR, WARNING, Rule, declare
from .rules import hints, names, symbols
from .rules.debug import function_problem
from .rules.targets import check_target

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

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
    bytecode: Bytecode | ReadableBuffer, target: str | None = None, strict: bool = False
) -> list[Diagnostic]:
    """Return everything that is wrong with a module; see `tileir.verify`."""
    bytecode = Bytecode.of(bytecode)
    if target is not None:
        check_target(target)
    bytecode.touch()
    diagnostics = list(_items(bytecode.functions, bytecode.globals, warn=True))
    variables = {variable.name: variable for variable in bytecode.globals}
    for function in bytecode.functions:
        diagnostics += body_diagnostics(function, variables, bytecode.version, target, warn=True)
    for odd in bytecode.warnings:
        if odd.kind == "unknown_flags":
            diagnostics.append(replace(odd, kind=FLAGS.id))
    if strict:
        diagnostics = [replace(each, severity=ERROR) for each in diagnostics]
    return located(diagnostics, bytecode)


def check(bytecode: Bytecode, functions: Iterable[Function] | None = None) -> None:
    """Raise one VerifyError that lists every error of the module, or of these functions of it."""
    functions = list(bytecode.functions if functions is None else functions)
    diagnostics = list(_items(functions, bytecode.globals, warn=False))
    variables = {variable.name: variable for variable in bytecode.globals}
    for function in functions:
        diagnostics += body_diagnostics(function, variables, bytecode.version)
    refuse(located(diagnostics, bytecode))


def refuse(diagnostics: list[Diagnostic]) -> None:
    """Raise VerifyError if there is an error among the diagnostics."""
    errors = [each for each in diagnostics if each.severity == ERROR]
    if errors:
        count = "one problem" if len(errors) == 1 else f"{len(errors)} problems"
        raise VerifyError(f"not valid Tile IR, {count}:", errors)


def _items(functions: list[Function], variables: list[Global], warn: bool) -> Iterator[Diagnostic]:
    """Yield what is wrong with the entries and globals of a module, apart from bodies."""
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
