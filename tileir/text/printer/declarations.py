"""The text of functions without bodies, which are in public preview."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tileir.attributes import EnumAttribute
from tileir.expressions import EXPRESSIONS, ConstParam, argument_list, full, qualified
from tileir.formats.enums import SYNCHRONIZATION
from tileir.read.declarations import Declaration, Implementation

from . import values
from .pieces import BoundedText, Pieces, WrittenText


def print_declaration(declared: Declaration, out: Pieces, tail: Callable | None) -> None:
    """Write the line of a declaration in pieces; `tail` gives the text for its location."""
    if isinstance(out, BoundedText | WrittenText):
        out.reserve(sum(values.extent(getattr(declared, name, None)) for name in LONG))
    for piece in _pieces(declared, tail):
        out.append(piece)


LONG = ("argument_attributes", "const_params", "const_args", "arch", "frontend_abi", "scratch")
"""Fields of declarations whose texts may share long names."""


def _pieces(declared: Declaration, tail: Callable | None) -> Iterator[str]:
    head = f"{values.symbol(declared.name)}{_const_params(declared.const_params)}"
    if isinstance(declared, Implementation):
        arguments = "" if declared.const_args is None else f"<{_const_args(declared.const_args)}>"
        implemented = f"{values.symbol(declared.implements)}{arguments}"
        head = f"preview$extern_impl {head} implements {implemented} "
        yield head
        yield from _parameters(declared, declared.argument_attributes or ())
        yield from (f" {clause}" for clause in _clauses(declared))
    else:
        yield f"preview$func extern {head}"
        yield from _parameters(declared, declared.argument_attributes)
        yield from _results(declared)
        yield " "
    yield f"{tail(declared.location) if tail else ''}\n"


def _const_params(params: Iterable[object] | None) -> str:
    """Return ``<[A: index, ?]>``; nothing if there are none."""
    listed = ", ".join(map(_const_param, params or ()))
    return f"<[{listed}]>" if listed else ""


def _const_param(param: object) -> str:
    """Return the text of a parameter; also that of another attribute, which breaks a rule."""
    if not isinstance(param, ConstParam):
        return values.attribute(param)
    return "?" if param.name == "?" else f"{param.name}: {qualified(param.type)}"


def _const_args(arguments: tuple[object, ...]) -> str:
    """Return the text of arguments; also that of other attributes, which break a rule."""
    if all(isinstance(argument, EXPRESSIONS) for argument in arguments):
        return argument_list(arguments)
    return values.attribute(arguments)


def _parameters(declared: Declaration, attributes: tuple) -> Iterator[str]:
    yield "("
    for index, type in enumerate(declared.type.parameters):
        stated = attributes[index] if index < len(attributes) else {}
        comma = ", " if index else ""
        more = f" {values.attribute(stated)}" if stated else ""
        yield f"{comma}%arg{index}: {type}{more}"
    yield ")"


def _results(declared: Declaration) -> Iterator[str]:
    types = declared.type.results
    if len(types) == 1:
        yield f" -> {types[0]}"
    elif types:
        yield " -> ("
        yield from (f"{', ' if index else ''}{type}" for index, type in enumerate(types))
        yield ")"


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
