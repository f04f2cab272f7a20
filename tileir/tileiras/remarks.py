"""Our remarks in the form in which tileiras writes its own: YAML documents, as LLVM's.

cuTile keeps them in its cache, and `cutile-cache log` shows them; `tileir remarks FILE` reads them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tileir.messages.texts import printable

if TYPE_CHECKING:
    from tileir.codegen.remarks import Remark

NONE, ALL = "none", "all"
CATEGORIES: Mapping[str, frozenset[str] | None] = {
    NONE: frozenset(),
    ALL: None,
    "memory": frozenset({"tensor-copies", "accesses", "indices", "rings"}),
    "tensorcore": frozenset({"tensor-cores", "roles", "overlap"}),
}
"""Value of --remarks -> the topics of ours that it means; None for all."""

YAML, LINES = "yaml", "command-line"
FORMATS = (YAML, LINES)
DEFAULT_FILE = "tileir_remarks.yaml"
"""Where YAML goes if no file is named; tileiras has it so."""


def chosen(remarks: Iterable[Remark], category: str) -> list[Remark]:
    """Return the remarks of a category."""
    topics = CATEGORIES[category]
    return [each for each in remarks if topics is None or each.topic in topics]


def documents(remarks: Iterable[Remark]) -> str:
    """Return remarks as YAML; texts are quoted as in JSON, which YAML reads, too.

    But for the halves of characters that JSON escapes: no text has any here.
    """
    return "".join(map(_document, remarks))


def _document(remark: Remark) -> str:
    lines = [
        f"--- !{str(remark.outcome).capitalize()}",
        "Pass:            tileir",
        f"Name:            {remark.topic}",
    ]
    if (place := remark.location and remark.location.innermost) is not None:
        at = f"Line: {place.line}, Column: {place.column}"
        lines.append(f"DebugLoc:        {{ File: {_quoted(place.filename)}, {at} }}")
    lines += [f"Function:        {_quoted(remark.entry)}", "Args:"]
    lines += [f"  - {name}: {_quoted(text)}" for name, text in _said(remark)]
    return "\n".join([*lines, "...", ""])


def _said(remark: Remark) -> Iterator[tuple[str, str]]:
    yield "Remark", remark.what
    if remark.why:
        yield "Reason", remark.why
    if remark.change:
        yield "Change", remark.change


def _quoted(text: object) -> str:
    return json.dumps(printable(str(text)), ensure_ascii=False)


def lines(remarks: Iterable[Remark]) -> str:
    """Return remarks as lines for people."""
    told = (f"{each.entry}: remark[{each.outcome}]: {each}" for each in remarks)
    return "".join(f"{printable(line)}\n" for line in told)
