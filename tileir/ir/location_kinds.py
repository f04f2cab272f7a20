"""Which values the fields of debug records can hold; what was set by hand may be anything."""

from __future__ import annotations

import operator
from dataclasses import fields
from typing import Any

from .attribute_kinds import text_problem
from .locations import (
    CallSite,
    CompileUnit,
    File,
    LexicalBlock,
    Location,
    SourceLocation,
    Subprogram,
)

POSITIONS = (SourceLocation, CallSite, type(None))
"""The classes that the location of an op or a function may have."""

KINDS = {
    "file": File,
    "compile_unit": CompileUnit,
    "scope": (Subprogram, LexicalBlock),
    "callee": POSITIONS,
    "caller": POSITIONS,
}
"""Field of a debug record that names another record -> the classes that it may have."""

NUMBERS = ("line", "column", "scope_line")
LARGEST = (1 << 32) - 1
"""The greatest line and column."""


def location_problem(location: Any, known: set[Location]) -> str:
    """Return what is wrong with the location of an op or a function; "" if nothing is.

    Records that are right are added to `known`, because chains can be long and share parts.
    """
    if not isinstance(location, POSITIONS):
        return f"expected a source location, found {location!r}"
    waiting = [] if location is None else [location]
    while waiting:
        record = waiting.pop()
        if record in known:
            continue
        for field in fields(record):
            if not field.init:
                continue
            value = getattr(record, field.name)
            wrong = _field_problem(field.name, value)
            if wrong:
                return f"{field.name} of a {type(record).__name__}: {wrong}"
            if field.name in KINDS and value is not None:
                waiting.append(value)
        known.add(record)
    return ""


def _field_problem(name: str, value: Any) -> str:
    if name in KINDS:
        right = isinstance(value, KINDS[name])
        return "" if right else f"found {value!r}"
    if name in NUMBERS:
        try:
            right = 0 <= operator.index(value) <= LARGEST
        except TypeError:
            right = False
        return "" if right else f"expected a line or column, found {value!r}"
    if name == "declaration":
        return "" if isinstance(value, bool) else f"expected True or False, found {value!r}"
    return text_problem(value)
