"""Completion at an offset: ops where one starts, else visible names, attributes and types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tileir.formats.ops import OPS as ROWS
from tileir.text.assembler.lexer import RESULTS, SKIP

from .analysis import Analysis
from .documentation import OPS, TYPES, op_page, syntax

_BEFORE_OP = re.compile(rf"\s*(?:{RESULTS}={SKIP})?(?:cuda_tile\.)?[\w$]*\Z", re.ASCII)
_PREFIX = re.compile(r"[%@#!]?[\w$.-]*\Z", re.ASCII)
_ITEMS = ("entry", "global", "module")
TERMS = ("optimization_hints", "attributes", "loc", "iter_values", "token")
"""Words of the syntax that are no slots."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A word that may stand here.

    kind      op, value, symbol, alias, attribute, case, type or word
    detail    a few words beside it
    page      documentation in Markdown
    """

    word: str
    kind: str
    detail: str = ""
    page: str = ""


def prefix_at(text: str, offset: int) -> str:
    """Return the beginning of the word that stands before an offset."""
    begin = text.rfind("\n", 0, offset) + 1
    match = _PREFIX.search(text, begin, offset)
    return match[0] if match else ""


def completions(analysis: Analysis, offset: int) -> list[Completion]:
    """Return what may stand at an offset, given what has been written of the word there."""
    text = analysis.text
    begin = text.rfind("\n", 0, offset) + 1
    line = text[begin:offset]
    if _in_comment_or_string(line):
        return []
    word = prefix_at(text, offset)
    if word[:1] in ("%", "@", "#", "!"):
        return list(dict.fromkeys(_names(analysis, offset - len(word), word[0])))
    inside = any(item.start < offset <= item.end + 1 for item in analysis.found.items)
    if _BEFORE_OP.match(line):
        return list(_ops()) if inside and "{" in text[:offset] else [*map(_item, _ITEMS)]
    return list(_of_statement(analysis, offset))


def _in_comment_or_string(line: str) -> bool:
    quoted = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
    return "//" in quoted or '"' in quoted


def _item(word: str) -> Completion:
    return Completion(word, "word")


def _ops() -> Iterator[Completion]:
    for op in ROWS:
        if op.in_body:
            yield Completion(op.mnemonic, "op", syntax(op), op_page(op))


def _names(analysis: Analysis, offset: int, sigil: str) -> Iterator[Completion]:
    found = analysis.found
    if sigil == "%":
        for each in found.visible(offset):
            yield Completion(each.text, "value", "" if each.type is None else str(each.type))
        return
    kind = "symbol" if sigil == "@" else "alias"
    for each in found.names:
        if each.text[0] == sigil and each.start == each.definition:
            yield Completion(each.text, kind)


def _of_statement(analysis: Analysis, offset: int) -> Iterator[Completion]:
    """Yield the slots and cases of the op around an offset, then types."""
    statement = analysis.found.statement_at(offset)
    if statement is not None and statement.name in OPS:
        op = OPS[statement.name]
        for slot in op.attributes:
            if not slot.cases or slot.optional:
                yield Completion(slot.name, "attribute", op.mnemonic, slot.doc)
            for case in slot.cases:
                yield Completion(case, "case", slot.name, slot.doc)
    for name, record in TYPES.items():
        if name != "func":
            yield Completion(name, "type", record.doc)
    yield from (Completion(word, "word") for word in TERMS)
