"""The readers of functions without bodies, which are in public preview."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tileir.attributes import EnumAttribute
from tileir.expressions import ConstParam
from tileir.formats.enums import SYNCHRONIZATION
from tileir.read.declarations import ExternFunction, Implementation
from tileir.types import FunctionType, ParameterType, Type

from .lexer import VALUE, WORD, phrase, shown
from .source import Source

Named = Callable[[], str]
"""Reads the name of a new symbol."""

UNNAMED = ConstParam("?", ParameterType("index"))
"""A parameter without a name, of which the text does not say the type."""


def read_extern(source: Source, named: Named) -> ExternFunction | None:
    """``preview$func extern @f<[A: index]>(%arg0: T {...}) -> T``, after the first word.

    None is a function with a type that was wrong and has been reported.
    """
    reader = source.reader
    reader.expect(phrase("extern"))
    name, params = named(), _const_params(source)
    types, attributes = _parameters(source)
    results: list[Type | None] = []
    if reader.accept(phrase("->")):
        if reader.accept(phrase("(")):
            if not reader.sees(phrase(")")):
                results = [type for type, _ in source.types.read_list()]
            reader.expect(phrase(")"))
        else:
            results = [source.types.read()]
    location = source.locations.optional()
    signature = _signature(types, results)
    if signature is None:
        return None
    return ExternFunction(name, signature, True, attributes, params or (), location)


def read_implementation(source: Source, named: Named) -> Implementation | None:
    """``preview$extern_impl @i<[A: index]> implements @f<[A]> (%arg0: T {...}) ...``"""
    reader, parts = source.reader, {}
    name, parts["const_params"] = named(), _const_params(source)
    reader.expect(phrase("implements"))
    implements = reader.symbol()
    if reader.accept(phrase("<")):
        parts["const_args"] = source.types.expressions.arguments()
        reader.expect(phrase(">"))
    types, parts["argument_attributes"] = _parameters(source)
    while match := WORD.match(reader.text, reader.at):
        if match[1] not in CLAUSES or CLAUSES[match[1]][0] in parts:
            break
        part, read = CLAUSES[match[1]]
        reader.at = match.end()
        parts[part] = read(source)
    if reader.text.startswith("{", reader.at):
        parts["frontend_abi"] = _frontend_abi(source)
    location = source.locations.optional()
    signature = _signature(types, [])
    if signature is None:
        return None
    return Implementation(name, signature, True, implements, **parts, location=location)


def _signature(types: list[Type | None], results: list[Type | None]) -> FunctionType | None:
    known = [type for type in types if type is not None]
    given = [type for type in results if type is not None]
    if len(known) < len(types) or len(given) < len(results):
        return None
    return FunctionType(tuple(known), tuple(given))


def _const_params(source: Source) -> tuple[ConstParam, ...] | None:
    """``<[A: index, ?]>``; None if there are none."""
    reader, params = source.reader, []
    if not reader.accept(phrase("< [")):
        return None
    while not reader.accept(phrase("]")):
        if params:
            reader.expect(phrase(","))
        if reader.accept(phrase("?")):
            params.append(UNNAMED)
        else:
            name = reader.word("the name of a parameter")
            reader.expect(phrase(":"))
            params.append(ConstParam(name, source.types.read()))
    reader.expect(phrase(">"))
    return tuple(params)


def _parameters(source: Source) -> tuple[list[Type | None], tuple]:
    """Read types in parentheses, and a dictionary of attributes for each."""
    reader = source.reader
    types: list[Type | None] = []
    attributes: list[dict] = []
    reader.expect(phrase("("))
    while not reader.accept(phrase(")")):
        if types:
            reader.expect(phrase(","))
        reader.take(VALUE, "a name such as %arg0")
        reader.expect(phrase(":"))
        types.append(source.types.read())
        at = reader.at
        attributes.append(source.attributes.dictionary(1) if _brace(source) else {})
        source.attributes.check_writable(attributes[-1], at)
        source.locations.optional()
    return types, tuple(attributes)


def _brace(source: Source) -> bool:
    return source.reader.text.startswith("{", source.reader.at)


def _synchronization(source: Source) -> str:
    reader, at = source.reader, source.reader.at
    reader.expect(phrase("="))
    value = source.attributes.read()
    if isinstance(value, EnumAttribute) and value.enum == SYNCHRONIZATION.name:
        return value.name
    raise reader.refused("expected #cuda_tile<preview$synchronization<...>>", at)


def _arch(source: Source) -> tuple:
    reader, at = source.reader, source.reader.at
    reader.expect(phrase("="))
    value = source.attributes.read()
    if isinstance(value, tuple) and all(isinstance(name, str) for name in value):
        return value
    raise reader.refused("expected names of architectures in brackets", at)


def _scratch(source: Source) -> Any:
    source.reader.expect(phrase("{"))
    request = source.types.expressions.scratch()
    source.reader.expect(phrase("}"))
    return request


def _frontend_abi(source: Source) -> dict[str, object]:
    """``{frontendABI = {...}}``"""
    at = source.reader.at
    stated = source.attributes.dictionary()
    source.attributes.check_writable(stated, at)
    abi = stated.get("frontendABI")
    if len(stated) == 1 and isinstance(abi, dict):
        return abi
    other = next((name for name in stated if name != "frontendABI"), "frontendABI")
    raise source.reader.refused(f"{shown(other)} is no dictionary of an implementation", at)


CLAUSES: dict[str, tuple[str, Callable[[Source], Any]]] = {
    "synchronization": ("synchronization", _synchronization),
    "arch": ("arch", _arch),
    "scratch": ("scratch", _scratch),
}
"""First word of a clause -> the field of `Implementation`, and the function that reads the rest."""
