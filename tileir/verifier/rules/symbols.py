"""Rules about the items of a module, entries and globals: their names, signatures, contents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, cast

from tileir.attributes import DenseElements, Hints
from tileir.ir import Op
from tileir.read.function import Function, Global
from tileir.types import FunctionType, Pointer, Tile
from tileir.verifier.catalogue import Rule, declare
from tileir.verifier.constraints import Problem
from tileir.verifier.wording import named, quoted

Named = tuple[Rule, str, str, str]
"""A rule that an item of the module breaks, what is wrong, a hint, and the item's name."""

UNIQUE = declare(
    "symbol-unique",
    "Entries and globals share one space of names, and every name is there once: the host launches "
    "a kernel by its name, and get_global refers to a global by its.",
    "rename one of them",
)
PUBLIC = declare(
    "entry-public",
    "An entry is launched by the host, so it cannot be private.",
    "make it public",
)
PARAMETERS = declare(
    "entry-parameters",
    "The parameters of an entry are scalars: tiles of rank 0 of numbers or pointers. Pass "
    "a pointer "
    "to what is larger, and make a view of it in the kernel.",
    "pass a pointer",
)
RESULTS = declare(
    "entry-results",
    "An entry returns nothing; results go to memory.",
    "store results through a pointer parameter",
)
ARGUMENTS = declare(
    "argument-attributes",
    "Attributes of parameters are one dictionary for each parameter, or nothing but empty "
    "ones. They "
    "belong to a dialect: their names have a dot, as in cuda_tile.name.",
    "as in cuda_tile.name",
)
DENSE = declare(
    "dense-elements",
    "Dense elements do not stand in hints or attributes of parameters: the dictionaries there hold "
    "numbers, truths, texts, types, lists and dictionaries.",
    "use a list of numbers",
)
GLOBAL_TYPE = declare(
    "global-type",
    "The contents of a global are a tile of rank 1 of numbers. Kernels see it through a pointer to "
    "its first element, so its shape would be lost.",
    "flatten it",
)
GLOBAL_USE = declare(
    "get-global",
    "get_global names a global of this module, and its result points to elements of its type.",
)


class BuiltEntry(Protocol):
    """A function that was built, as far as the rules about entries need it."""

    @property
    def type(self) -> FunctionType: ...

    @property
    def private(self) -> bool: ...

    @property
    def hints(self) -> Hints: ...

    @property
    def argument_attributes(self) -> object: ...


def repeated(functions: Sequence[Function], variables: Sequence[Global]) -> Iterator[Named]:
    """Yield the problem of each item with the name of an earlier one."""
    seen: set[str] = set()
    for item in (*variables, *functions):
        if item.name in seen:
            text = f"redefinition of symbol named '{named(item.name)}'"
            yield UNIQUE, text, UNIQUE.hint, item.name
        seen.add(item.name)


def entry_problems(function: Function | BuiltEntry) -> Iterator[Problem]:
    """Yield what is wrong with an entry besides its body and its name."""
    if function.private:
        yield PUBLIC, "entry op must have public symbol visibility", PUBLIC.hint
    for at, type in enumerate(function.type.parameters):
        if not isinstance(type, Tile):
            text = (
                f"unsupported type in bytecode for entry argument #{at}: {quoted(type)}; "
                "expected a "
                "rank-0 !cuda_tile.tile type"
            )
            yield PARAMETERS, text, PARAMETERS.hint
        elif type.rank:
            text = "entry op must have scalar types (rank 0 !cuda_tile.tile)"
            yield PARAMETERS, text, f"parameter {at} is {type}"
    if function.type.results:
        yield RESULTS, "entry op must not return values", RESULTS.hint
    wrong = _argument_problem(function)
    if wrong:
        yield ARGUMENTS, wrong, ARGUMENTS.hint
    elif _holds_elements(function.argument_attributes):
        yield DENSE, "unknown DenseElementsAttr based Attr", DENSE.hint
    if _holds_elements(function.hints.entries):
        yield DENSE, "unknown DenseElementsAttr based Attr", DENSE.hint


def _argument_problem(function: Function | BuiltEntry) -> str | None:
    given, due = function.argument_attributes, len(function.type.parameters)
    if not isinstance(given, tuple | list) or not all(isinstance(one, dict) for one in given):
        return "attribute 'arg_attrs' failed to satisfy constraint: Array of dictionary attributes"
    if any(given) and len(given) != due:
        return (
            "expects argument attribute array to have the same number of elements as the number of "
            f"function arguments, got {len(given)}, but expected {due}"
        )
    if any("." not in key for one in given for key in one):
        return "arguments may only have dialect attributes"
    return None


def _holds_elements(attribute: object) -> bool:
    """Whether an attribute contains dense elements, at any depth."""
    waiting = [attribute]
    while waiting:
        one = waiting.pop()
        if isinstance(one, DenseElements):
            return True
        if isinstance(one, Hints):
            one = one.entries
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, tuple | list):
            waiting += one
    return False


def hint_problem(hints: object) -> Problem | None:
    """Return the problem of an op's hints that NVIDIA's readers have no form for."""
    if hints and _holds_elements(hints):
        return DENSE, "unknown DenseElementsAttr based Attr", DENSE.hint
    return None


def global_problem(variable: Global) -> Problem | None:
    """Return what is wrong with a global besides its name."""
    if not isinstance(variable.type, Tile) or variable.type.rank != 1:
        return GLOBAL_TYPE, "type must have rank 1", f"it is {variable.type}: {GLOBAL_TYPE.hint}"
    if variable.value.type != variable.type:
        text = f"the value is {quoted(variable.value.type)}, the global {quoted(variable.type)}"
        return GLOBAL_TYPE, text, ""
    return None


def use_problem(op: Op, variables: Mapping[str, Global]) -> Problem | None:
    """Return the problem of a get_global that names no global, or one of another type."""
    name, type = op.attributes["name"], op.result.type
    if name not in variables:
        return GLOBAL_USE, f"'{named(name)}' does not reference a valid global", ""
    if not isinstance(variables[name].type, Tile):  # which is an error of its own
        return None
    element = variables[name].type.element
    pointer = cast("Pointer", type.element)
    if pointer.pointee == element:
        return None
    text = (
        f"pointee type of result type {quoted(pointer)} does not match type "
        f"{quoted(element)} of the "
        f"global @{named(name)}"
    )
    return GLOBAL_USE, text, ""
