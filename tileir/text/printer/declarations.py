"""The text of functions without bodies, which are in public preview."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tileir.attributes import EnumAttribute
from tileir.expressions import ConstParam, argument_list, full, qualified
from tileir.formats.enums import SYNCHRONIZATION
from tileir.read.declarations import Declaration, Implementation

from . import values


def declaration(declared: Declaration, tail: Callable | None) -> str:
    """Return the line of a declaration; `tail` gives the text for its location."""
    head = f"{values.symbol(declared.name)}{_const_params(declared.const_params)}"
    if isinstance(declared, Implementation):
        arguments = "" if declared.const_args is None else f"<{argument_list(declared.const_args)}>"
        implemented = f"{values.symbol(declared.implements)}{arguments}"
        head = f"preview$extern_impl {head} implements {implemented} "
        text = f"{head}{_parameters(declared, declared.argument_attributes or ())}"
        text += "".join(f" {clause}" for clause in _clauses(declared))
    else:
        text = f"preview$func extern {head}{_parameters(declared, declared.argument_attributes)}"
        text += f"{_results(declared)} "
    return f"{text}{tail(declared.location) if tail else ''}\n"


def _const_params(params: Iterable[ConstParam] | None) -> str:
    """Return ``<[A: index, ?]>``; nothing if there are none."""
    listed = [
        "?" if param.name == "?" else f"{param.name}: {qualified(param.type)}"
        for param in params or ()
    ]
    return f"<[{', '.join(listed)}]>" if listed else ""


def _parameters(declared: Declaration, attributes: tuple) -> str:
    listed = []
    for index, type in enumerate(declared.type.parameters):
        stated = attributes[index] if index < len(attributes) else {}
        listed.append(f"%arg{index}: {type}{f' {values.attribute(stated)}' if stated else ''}")
    return f"({', '.join(listed)})"


def _results(declared: Declaration) -> str:
    types = ", ".join(map(str, declared.type.results))
    if not types:
        return ""
    return f" -> {types}" if len(declared.type.results) == 1 else f" -> ({types})"


def _clauses(declared: Implementation) -> Iterable[str]:
    """Yield what stands behind the parameters of an implementation."""
    if declared.synchronization is not None:
        case = EnumAttribute(SYNCHRONIZATION.name, declared.synchronization)
        yield f"synchronization = {values.attribute(case)}"
    if declared.arch is not None:
        yield f"arch = {values.attribute(declared.arch)}"
    if declared.scratch is not None:
        size, alignment = full(declared.scratch.size), full(declared.scratch.alignment)
        yield f"scratch {{smem.size = {size}, smem.alignment = {alignment}}}"
    if declared.frontend_abi is not None:
        yield f"{{frontendABI = {values.attribute(declared.frontend_abi)}}}"
