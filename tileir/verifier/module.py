"""`verify`: every rule is checked for a whole module, and all violations are collected.

For each op, the first problem is reported. The results of such an op are poisoned: problems of ops
that use them count as consequences, and are not reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode
from tileir.errors import LONGEST_MESSAGE, Diagnostic, VerifyError
from tileir.formats.errors import shorten
from tileir.ir.attribute_kinds import ENTRY
from tileir.messages.flags import flag
from tileir.read.declarations import ExternFunction
from tileir.read.function import Function, Global
from tileir.read.text_positions import located

from .body import body_diagnostics
from .catalogue import ERROR, WARNING, Rule, declare
from .items import good_functions, good_globals, producer_problems, whole
from .malformed import all_well_formed
from .rules import hints, names, preview, symbols
from .rules.debug import function_problem
from .rules.header import OFFSET, TAG, newer_problems, tag_problem
from .rules.targets import check_target
from .wording import named

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
    bytecode, strict = Bytecode.of(bytecode), flag("strict", strict)
    if target is not None:
        check_target(target)
    bytecode.touch()
    diagnostics = list(newer_problems(bytecode))
    diagnostics += _module(bytecode, bytecode.functions, target, warn=True)
    for odd in bytecode.warnings:
        if odd.kind == "unknown_flags":
            diagnostics.append(replace(odd, kind=FLAGS.id))
    if strict:
        diagnostics = [replace(each, severity=ERROR) for each in diagnostics]
    return located(diagnostics, bytecode)


def check(bytecode: Bytecode, functions: Iterable[Function] | None = None) -> None:
    """Raise one VerifyError that lists every error of the module, or of these functions of it."""
    given = bytecode.functions if functions is None else list(functions)
    refuse(located(_module(bytecode, given, None, warn=False), bytecode))


def check_names(bytecode: Bytecode) -> None:
    """Raise one VerifyError that lists the functions that are none, or have no names."""
    refuse(good_functions(bytecode.functions, ["name"])[1])


def check_well_formed(
    bytecode: Bytecode, functions: Sequence[Function], locations: bool = False
) -> None:
    """Raise VerifyError if a global or one of the functions is malformed, or an op in one.

    Bodies that nobody has looked at are those of the file, and not read for that. The `locations`
    of functions are only read if they are wanted.
    """
    wrong = [*good_globals(bytecode.globals)[1], *producer_problems(bytecode)]
    fields = (*ENTRY, "location") if locations else ENTRY
    refuse([*wrong, *good_functions(functions, fields)[1]])
    for function in functions:
        seen = not isinstance(function, Function) or function.decoded
        if seen and not all_well_formed(function.body):
            check(bytecode, functions)


def _module(
    bytecode: Bytecode, given: Sequence[Function], target: str | None, warn: bool
) -> list[Diagnostic]:
    functions, diagnostics = good_functions(whole(given) if bytecode.newer else given)
    globals_, wrong = good_globals(bytecode.globals)
    diagnostics += [*_header(bytecode), *wrong, *producer_problems(bytecode)]
    diagnostics += _items(functions, globals_, warn)
    variables = {variable.name: variable for variable in globals_}
    version = bytecode.original.version if bytecode.newer else bytecode.version
    for function in functions:
        diagnostics += body_diagnostics(function, variables, version, target, warn)
    return diagnostics + list(_preview(bytecode, functions))


def _preview(bytecode: Bytecode, functions: list[Function]) -> Iterator[Diagnostic]:
    """Yield what is wrong with functions without bodies, and with calls of them."""
    if not bytecode.version.preview:
        return
    named: dict[str, object] = {function.name: function for function in bytecode.functions}
    for item in bytecode.declarations:
        extern = isinstance(item, ExternFunction)
        if item.name in named:
            text = f"redefinition of symbol named '{item.name}'"
            yield _about(symbols.UNIQUE, text, symbols.UNIQUE.hint, "", item.name)
        named[item.name] = item
        text = preview.declaration_problem(item)
        if text:
            rule = preview.FUNCTION if extern else preview.IMPLEMENTATION
            word = "preview$func" if extern else "preview$extern_impl"
            yield _about(rule, text, rule.hint, item.name, word)
    for function in functions:
        for op in function.walk():
            text = preview.call_problem(op, named) if op.name == "preview$call" else None
            if text:
                yield Diagnostic.about(op, function.name, preview.CALL.id, text)


def refuse(diagnostics: list[Diagnostic]) -> None:
    """Raise VerifyError if there is an error among the diagnostics."""
    errors = [each for each in diagnostics if each.severity == ERROR]
    if errors:
        count = "one problem" if len(errors) == 1 else f"{len(errors)} problems"
        raise VerifyError(f"not valid Tile IR, {count}:", errors)


def _header(bytecode: Bytecode) -> Iterator[Diagnostic]:
    text = tag_problem(bytecode)
    if text:
        yield Diagnostic(TAG.severity, TAG.id, text, OFFSET, "", "", op="header", hint=TAG.hint)


def _items(functions: list[Function], variables: list[Global], warn: bool) -> Iterator[Diagnostic]:
    """Yield what is wrong with the entries and globals of a module, apart from bodies."""
    for rule, text, hint, name in symbols.repeated(functions, variables):
        yield _about(rule, text, hint, "", name)
    for variable in variables:
        wrong = symbols.global_problem(variable)
        if wrong:
            yield _about(*wrong, "", f"global {named(variable.name)}")
        if warn and variable.alignment & (variable.alignment - 1):
            text = f"alignment {variable.alignment} is no power of two"
            yield _about(ALIGNMENT, text, ALIGNMENT.hint, "", f"global {named(variable.name)}")
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
            text = f"{named(name)!r} is not a name that PTX can have"
            yield _about(names.NAME, text, names.NAME.hint, "", name)
    items = [item.name for item in (*variables, *functions)]
    for name, first in names.clashes(dict.fromkeys(items)):
        text = (
            f"{named(name)!r} and {named(first)!r} are both {named(names.mangled(name))!r} in PTX"
        )
        yield _about(names.CLASH, text, names.CLASH.hint, "", name)


def _about(
    rule: Rule, text: str, hint: str, function: str, item: str, location: str = ""
) -> Diagnostic:
    text = shorten(text, LONGEST_MESSAGE)
    return Diagnostic(rule.severity, rule.id, text, None, function, location, op=item, hint=hint)
