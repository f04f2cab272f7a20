"""Property: whatever the bytes, only a BytecodeError escapes, and it says where and what.

Of what is accepted, everything a reader may ask for is asked for: the annotated dump as text and as
JSON, the verifier, `strict`. Of what is refused, the part that can be shown.
"""

from __future__ import annotations

import json

from tests.debug_lists import list_length
from tileir import Bytecode, BytecodeError
from tileir.explain.annotate import Leaf, annotate, salvage
from tileir.inspect import as_json, render
from tileir.verifier.module import verify

from .finding import Finding, Outcome

LONGEST_MESSAGE = 2000
"""Characters of an error's text; names from the file are shortened, paths too."""


def check(data: bytes) -> Outcome:
    """Ask for everything."""
    error = _refusal(data)
    if error is None:
        _accepted(data)
        return Outcome("accepted")
    _well_formed(error, data)
    again = _refusal(data, strict=True)
    if again is None or again.kind != error.kind:
        raise Finding("strict refuses otherwise", f"{error}; strict: {again}")
    _tiles(list(salvage(memoryview(data))), data, maybe_none=True)
    return Outcome(error.kind)


def _refusal(data: bytes, strict: bool = False) -> BytecodeError | None:
    try:
        Bytecode.parse(data, strict=strict).touch()
    except BytecodeError as error:
        return error
    return None


def _accepted(data: bytes) -> None:
    bytecode = Bytecode.parse(data).touch()
    lines = list(annotate(bytecode))
    _tiles([line for line in lines if isinstance(line, Leaf)], data)
    for row in render(lines):
        if not row.isprintable():
            raise Finding("a line that is not printable", repr(row))
    for line in lines:
        if isinstance(line, Leaf):
            json.dumps(as_json(line))
    for finding in verify(bytecode):
        str(finding)
    for function in bytecode.functions:
        str(function.location), list_length(function), repr(function)
    repr(bytecode), repr(bytecode.types), repr(bytecode.strings)
    for item in bytecode.globals:
        str(item.value)
    for table in (lambda: list(bytecode.types), lambda: bytecode.debug and bytecode.debug.records):
        try:
            table()
        except BytecodeError as error:  # of an entry that nothing uses
            _well_formed(error, data)
    odd = bytecode.warnings
    refused = _refusal(data, strict=True)
    if bool(odd) != (refused is not None):
        raise Finding("strict and warnings disagree", f"{odd}; strict: {refused}")
    if refused is not None:
        _well_formed(refused, data)
        if refused.kind != "noncanonical":
            raise Finding("strict gives another kind", str(refused))


def _well_formed(error: BytecodeError, data: bytes) -> None:
    text = str(error)
    wrong = {
        "no known kind": error.kind not in BytecodeError.KINDS,
        "no offset in the file": not 0 <= error.offset <= len(data),
        "an offset that is no plain number": type(error.offset) is not int,
        "no section": not error.section,
        "nothing expected or found": not (error.expected and error.found),
        "more than one line": not text.isprintable(),
        "a long text": len(text) > LONGEST_MESSAGE,
    }
    for what, holds in wrong.items():
        if holds:
            raise Finding(f"an error with {what}", f"{text!r:.300}, offset {error.offset!r}")


def _tiles(leaves: list[Leaf], data: bytes, maybe_none: bool = False) -> None:
    """The leaves cover the file, each byte once."""
    if maybe_none and not leaves:
        return
    position = 0
    for leaf in leaves:
        if leaf.offset != position or not leaf.length:
            raise Finding("leaves do not tile the file", f"{leaf.path} at {leaf.offset:#x}")
        position += leaf.length
    if position != len(data):
        raise Finding("leaves do not tile the file", f"they end at {position:#x}")
