"""The functions and globals of a module that are well-formed, and diagnostics of the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tileir.bytecode import Bytecode
from tileir.errors import Diagnostic
from tileir.ir import Body
from tileir.ir.attribute_kinds import ENTRY, GLOBAL_VARIABLE, item_problem, text_problem
from tileir.ir.location_kinds import location_problem
from tileir.read.function import Function, Global

from .malformed import MALFORMED_ITEM


def good_functions(
    functions: Any, fields: Iterable[str] = (*ENTRY, "location")
) -> tuple[list[Function], list[Diagnostic]]:
    """Return the items of a list that are functions, and what is wrong with the others.

    What has the fields of a function is one; a kernel of the builder has. Only the values of
    `fields` are looked at: others are not even read.
    """
    kinds = {name: ENTRY[name] for name in fields if name in ENTRY}

    def problem(item: Any) -> str:
        if not isinstance(item, Function) and not isinstance(getattr(item, "body", None), Body):
            return f"expected a function, found {item!r}"
        wrong = item_problem(item, kinds)
        if not wrong and "location" in fields:
            wrong = location_problem(item.location, set())
            return wrong and f"location: {wrong}"
        return wrong

    return _divided("functions", functions, problem)


def whole(functions: Iterable[Any]) -> list[Any]:
    """Return the functions that can be read to their ends: all, but in files of newer versions."""
    return [function for function in functions if getattr(function, "opaque", None) is None]


def good_globals(variables: Any) -> tuple[list[Global], list[Diagnostic]]:
    """Return the items of a list that are globals, and what is wrong with the others."""

    def problem(item: Any) -> str:
        if not isinstance(item, Global):
            return f"expected a Global, found {item!r}"
        return item_problem(item, GLOBAL_VARIABLE)

    return _divided("globals", variables, problem)


def producer_problems(bytecode: Bytecode) -> list[Diagnostic]:
    """Return what is wrong with the producer of a module."""
    producer = bytecode.producer
    text = "" if producer is None else text_problem(producer)
    return [_about("producer", text)] if text else []


def _divided(what: str, items: Any, problem: Any) -> tuple[list, list[Diagnostic]]:
    if not isinstance(items, list):
        return [], [_about(what, f"expected a list, found {items!r}")]
    good, diagnostics = [], []
    for index, item in enumerate(items):
        wrong = problem(item)
        if not wrong:
            good.append(item)
            continue
        name = getattr(item, "name", None)
        named = f"{what}[{index}]" if text_problem(name) or not name else name
        diagnostics.append(_about(named, wrong))
    return good, diagnostics


def _about(item: str, text: str) -> Diagnostic:
    return Diagnostic(MALFORMED_ITEM.severity, MALFORMED_ITEM.id, text, op=item)
