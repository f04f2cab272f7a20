"""What `inspect`, `dis`, `as`, `verify`, `stats`, `diff` and `tilelib` print: modules, as data."""

from __future__ import annotations

from tileir.diff.rows import KINDS

from .forms import (
    ANYTHING,
    COUNT,
    INTEGER,
    NOTHING,
    NUMBER,
    SEVERITY,
    TEXT,
    TRUTH,
    Schema,
    any_of,
    by_name,
    choice,
    either,
    every,
    exactly,
    maybe,
    record,
    said,
    versioned,
)

_SOURCE = said(maybe(TEXT), "the place in source, file:line:column")

FEATURE = record(
    {
        "owner": said(TEXT, "the op, type, attribute, debug record or section that has it"),
        "slot": said(TEXT, "slot, flag or case; empty if all of the owner is meant"),
        "since": said(TEXT, "the first version that has it"),
        "until": said(maybe(TEXT), "the last version that has it"),
        "function": said(maybe(TEXT), "the kernel that uses it"),
        "times": COUNT,
    }
)
"""Something that a module uses and a version lacks."""


def inspect() -> Schema:
    """An object a line for each field of the file."""
    return versioned(
        1,
        {
            "file": said(TEXT, "of several files, which one"),
            "offset": COUNT,
            "length": said(COUNT, "bytes"),
            "path": said(TEXT, "the field's place in the schema of the format"),
            "kind": TEXT,
            "value": said({"type": ["integer", "string"]}, "a number, a text, or hexadecimal"),
            "meaning": TEXT,
            "function": maybe(TEXT),
            "op": maybe(TEXT),
            "location": _SOURCE,
        },
        optional=["file"],
    )


def dis() -> Schema:
    """An object a line for each file: the tree of its ops."""
    value = record({"name": TEXT, "type": TEXT})
    parameter = record({"name": TEXT, "type": TEXT, "attributes": by_name(ANYTHING)})
    ops = every({"$ref": "#/$defs/op"})
    region = record({"arguments": every(value), "ops": ops})
    op = record(
        {
            "name": TEXT,
            "results": every(value),
            "operands": by_name(any_of(maybe(TEXT), every(TEXT))),
            "attributes": by_name(ANYTHING),
            "offset": maybe(COUNT),
            "location": _SOURCE,
            "regions": every(maybe(region)),
        }
    )
    variable = record(
        {
            "name": TEXT,
            "type": TEXT,
            "value": ANYTHING,
            "alignment": maybe(COUNT),
            "private": TRUTH,
            "constant": TRUTH,
        }
    )
    declaration = record(
        {
            "name": TEXT,
            "kind": choice("extern", "implementation"),
            "implements": maybe(TEXT),
            "text": TEXT,
        }
    )
    function = record(
        {
            "name": TEXT,
            "parameters": every(parameter),
            "hints": ANYTHING,
            "location": _SOURCE,
            "opaque": record({"offset": COUNT, "size": COUNT, "message": TEXT}),
            "ops": ops,
        },
        optional=["opaque"],
    )
    whole = versioned(
        1,
        {
            "file": TEXT,
            "version": TEXT,
            "preview": TRUTH,
            "unknown": every(record({"offset": COUNT, "message": TEXT})),
            "producer": maybe(TEXT),
            "globals": every(variable),
            "declarations": every(declaration),
            "functions": every(function),
        },
        optional=["preview", "unknown", "declarations"],
    )
    return {**whole, "$defs": {"op": op}}


def assemble() -> Schema:
    """An object a line for each error and warning; nothing for a text without any."""
    return versioned(
        1,
        {
            "file": TEXT,
            "severity": SEVERITY,
            "line": said(maybe(COUNT), "from 1"),
            "column": said(maybe(COUNT), "from 1"),
            "length": said(maybe(COUNT), "characters"),
            "message": TEXT,
            "source": said(maybe(TEXT), "the line"),
        },
    )


def verify() -> Schema:
    """One object: the diagnostics of all files; or, with --rules or --explain, rules."""
    diagnostic = record(
        {
            "severity": SEVERITY,
            "rule": said(TEXT, "its id; syntax where a text makes no sense"),
            "message": TEXT,
            "function": maybe(TEXT),
            "op": maybe(TEXT),
            "offset": said(maybe(COUNT), "in bytes, of bytecode"),
            "line": said(maybe(COUNT), "of a text, from 1"),
            "column": said(maybe(COUNT), "of a text, from 1"),
            "location": _SOURCE,
            "hint": maybe(TEXT),
        }
    )
    file = record(
        {
            "file": TEXT,
            "valid": TRUTH,
            "unreadable": said(maybe(TEXT), "why, if it is not readable"),
            "diagnostics": every(diagnostic),
        }
    )
    rule = record(
        {
            "rule": TEXT,
            "severity": SEVERITY,
            "explanation": TEXT,
            "hint": maybe(TEXT),
            "ops": every(TEXT),
        }
    )
    return either(
        files=versioned(1, {"files": every(file)}),
        with_rules_or_explain=versioned(1, {"rules": every(rule)}),
    )


def function_stats() -> Schema:
    """Return the schema of what is in a kernel, and of its work."""
    formula = record(
        {"text": TEXT, "terms": every(record({"number": NUMBER, "symbols": every(TEXT)}))}
    )
    return record(
        {
            "name": TEXT,
            "ops": by_name(COUNT),
            "types": by_name(COUNT),
            "attributes": by_name(COUNT),
            "flops": by_name(formula),
            "bytes": by_name(formula),
            "where": said(by_name(TEXT), "what symbols of formulas stand for"),
            "opaque": said(TEXT, "what ends a body that cannot be read, or empty"),
        }
    )


def stats() -> Schema:
    """One object: what is in each file."""
    function = function_stats()
    file = record(
        {
            "file": TEXT,
            "version": TEXT,
            "lowest": said(maybe(TEXT), "the lowest version that can hold the module"),
            "features": every(FEATURE),
            "size": said(COUNT, "bytes"),
            "sections": said(by_name(COUNT), "bytes of each"),
            "globals": COUNT,
            "functions": every(function),
        }
    )
    return versioned(1, {"files": every(file)})


def diff() -> Schema:
    """One object: a comparison of modules, or of what is compiled from them."""
    file = record({"file": TEXT, "version": TEXT, "producer": maybe(TEXT)})
    function = record(
        {
            "before": maybe(TEXT),
            "after": maybe(TEXT),
            "ops": exactly(2, COUNT),
            **dict.fromkeys(map(str, KINDS), COUNT),
        }
    )
    op = record(
        {
            "op": TEXT,
            "line": maybe(COUNT),
            "text": maybe(TEXT),
            "offset": maybe(COUNT),
            "location": _SOURCE,
        }
    )
    part = any_of(NOTHING, op, record({"name": TEXT}))
    change = record({"what": TEXT, "name": TEXT, "before": maybe(TEXT), "after": maybe(TEXT)})
    row = record(
        {
            "kind": choice(*KINDS),
            "subject": choice("op", "function", "global", "declaration", "file"),
            "function": maybe(TEXT),
            "before": part,
            "after": part,
            "changes": every(change),
        }
    )
    line = maybe(record({"line": INTEGER, "text": TEXT}))
    listed = record(
        {
            "kind": choice("inserted", "deleted", "changed"),
            "path": TEXT,
            "before": line,
            "after": line,
        }
    )
    named = record({"file": TEXT})
    return either(
        of_modules=versioned(
            1,
            {
                "equal": TRUTH,
                "before": file,
                "after": file,
                "functions": every(function),
                "rows": every(row),
            },
        ),
        of_what_is_compiled=versioned(
            1,
            {
                "equal": TRUTH,
                "language": TEXT,
                "before": named,
                "after": named,
                "opcodes": said(by_name(exactly(2, COUNT)), "how often, before and after"),
                "rows": every(listed),
            },
        ),
    )


def tilelib() -> Schema:
    """One object: what is in a tile library."""
    item = record({"name": TEXT, "implements": maybe(TEXT), "text": TEXT})
    part = record({"name": TEXT, "kind": TEXT, "offset": COUNT, "size": COUNT})
    return versioned(
        1,
        {
            "file": TEXT,
            "parts": every(part),
            "functions": every(item),
            "implementations": every(item),
            "problems": every(TEXT),
        },
    )
