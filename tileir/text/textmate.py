"""A TextMate grammar for Tile IR text, by which VS Code, Sublime Text, GitHub and others colour it.

It calls every word what `tileir.pygments_lexer` calls it, and is made from the same tables; an
engine and the lexer are compared by `python -m tests.lab.textmate`.
"""

from __future__ import annotations

import json
from typing import Any

from .words import END, OP, TYPE_NAME

SCOPE = "source.tileir"


def _match(pattern: str, name: str) -> dict[str, Any]:
    return {"match": pattern, "name": f"{name}.tileir"}


def _captures(*names: str) -> dict[str, Any]:
    return {str(n): {"name": f"{name}.tileir"} for n, name in enumerate(names) if name}


_NAME = "[A-Za-z0-9_$.-]"
_PUNCTUATION = "punctuation.separator"
_TYPE, _SYMBOL, _STRING = "storage.type", "entity.name.function", "string.quoted.double"
_OUTSIDE = [{"include": "#op"}, {"include": "#anything"}]
_INSIDE = [{"include": "#anything"}]
_IN_TYPE: list[dict[str, Any]] = [
    {
        "match": r"([0-9]+|\?)(x?)",
        "captures": _captures("", "constant.numeric.integer", _PUNCTUATION),
    },
    {"include": "#brackets"},
    {"include": "#anything"},
]
"""Between the angle brackets of a type, where 0x4xf32 is a shape."""


def _bracketed(begin: str, captures: dict[str, Any]) -> dict[str, Any]:
    """Return a rule for what angle brackets enclose; one that is not closed ends with the line."""
    return {
        "begin": begin,
        "beginCaptures": captures,
        "end": ">|$",
        "endCaptures": _captures(_PUNCTUATION),
        "patterns": _IN_TYPE,
    }


def grammar() -> dict[str, Any]:
    """Return the grammar as an object of JSON's types."""
    types = _bracketed(rf"({TYPE_NAME})(<)", _captures("", _TYPE, _PUNCTUATION))
    words = [
        _match(rf"%{_NAME}+(?:#[0-9]+)?", "variable.other"),
        _match("->", "keyword.operator"),
        _match(r"[\]\[(){}<>,:?*+]", _PUNCTUATION),
        _match("=", "keyword.operator"),
        types,
        _match(rf"{TYPE_NAME}{END}(?!\s*=)", _TYPE),
        _match(r"(?:true|false)(?![A-Za-z0-9_])", "constant.language"),
        _match(r"[A-Za-z_][A-Za-z0-9_.$]*", "entity.other.attribute-name"),
        _match(rf"[#!]{_NAME}*", "entity.name.label"),
        _match("-?0[xX][0-9a-fA-F]+", "constant.numeric.hex"),
        _match(
            r"-?[0-9]+(?:\.[0-9]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)", "constant.numeric.float"
        ),
        _match("-?[0-9]+", "constant.numeric.integer"),
        _match(rf"@{_NAME}+", _SYMBOL),
        {
            "begin": '@"',
            "end": '"|$',
            "name": f"{_SYMBOL}.tileir",
            "patterns": [{"match": r"\\."}],
        },
        {
            "begin": '"',
            "end": '"|$',
            "name": f"{_STRING}.tileir",
            "patterns": [_match(r"\\(?:[0-9a-fA-F]{2}|.)", "constant.character.escape")],
        },
        _match("//.*$", "comment.line.double-slash"),
        _match("[-/]", "keyword.operator"),
    ]
    op = {
        "begin": OP,
        "beginCaptures": _captures("keyword.other"),
        "end": "[{}]|$",
        "endCaptures": _captures(_PUNCTUATION),
        "patterns": _INSIDE,
    }
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Tile IR",
        "scopeName": SCOPE,
        "fileTypes": ["tileir"],
        "patterns": _OUTSIDE,
        "repository": {
            "op": op,
            "brackets": _bracketed("<", _captures(_PUNCTUATION)),
            "anything": {"patterns": words},
        },
    }


def grammar_text() -> str:
    """Return the grammar as the text of a .tmLanguage.json file."""
    return json.dumps(grammar(), indent=1) + "\n"
