"""What is wrong with a file, at its bytes, in JSON's types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tileir.bytecode import Bytecode
from tileir.errors import BytecodeError, Diagnostic, TileIRError
from tileir.messages.texts import printable
from tileir.verifier.catalogue import RULES
from tileir.verifier.module import verify

Problem = dict[str, Any]


def of_module(bytecode: Bytecode) -> list[Problem]:
    """Return the problems of a module that can be read."""
    return [_problem(each) for each in _diagnostics(bytecode)]


def _diagnostics(bytecode: Bytecode) -> Iterator[Diagnostic]:
    """Yield what is wrong with a readable file, and what is odd about it, each once."""
    found = verify(bytecode)
    yield from found
    known = {(each.message, each.offset) for each in found}
    for odd in bytecode.warnings:
        if (odd.message, odd.offset) not in known:
            yield odd


def _problem(diagnostic: Diagnostic) -> Problem:
    rule = RULES.get(diagnostic.rule)
    return {
        "severity": diagnostic.severity,
        "rule": diagnostic.rule,
        "message": diagnostic.message,
        "offset": diagnostic.offset,
        "function": diagnostic.function or None,
        "op": diagnostic.op or None,
        "location": diagnostic.location or None,
        "hint": diagnostic.hint,
        "about": "" if rule is None else rule.explanation,
    }


def unreadable(error: BytecodeError) -> Problem:
    """Return the problem of a file that breaks."""
    about = "The file cannot be read beyond this place; what follows is shown as it is."
    return {
        "severity": "error",
        "rule": error.kind,
        "message": printable(str(error)),
        "offset": error.offset,
        "function": None,
        "op": None,
        "location": None,
        "hint": error.hint,
        "about": about,
    }


def unprintable(error: TileIRError) -> Problem:
    """Return the problem of a module that has no text."""
    return {
        "severity": "error",
        "rule": "text",
        "message": printable(str(error).split("\n")[0]),
        "offset": getattr(error, "offset", None),
        "function": None,
        "op": None,
        "location": None,
        "hint": "",
        "about": "The text pane has an outline instead.",
    }
