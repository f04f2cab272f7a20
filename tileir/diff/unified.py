"""The text of a comparison: the lines that differ, with some around them, as in a unified diff.

Marks are those of `hunks`: ``-`` is a line of the first module, ``+`` one of the second, ``~`` an
op that moved, ``*`` one that reads the same in both but differs, ``!`` what of the op above it
changed, or where it was. Line numbers are those of
`tileir dis`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tileir.formats.recursion import deep_recursion
from tileir.messages.texts import display
from tileir.read.declarations import Declaration
from tileir.read.function import Global
from tileir.text.printer.declarations import print_declaration
from tileir.text.printer.disassembly import global_text

from .comparing import Difference
from .hunks import GONE, NEW, NOTE, OTHER, SAME, Line, hunks
from .listings import ListingDifference
from .merging import Merging
from .printed import PrintedModule
from .rows import Row
from .wording import Wording

CONTEXT = 3
"""Lines around a difference, unless said otherwise."""


def unified(
    difference: Difference, context: int = CONTEXT, names: tuple[str, str] = ("a", "b")
) -> Iterator[str]:
    """Yield the lines of the text; nothing if the modules are equal. `names` are the files'."""
    if not difference:
        return
    texts = PrintedModule(difference.before), PrintedModule(difference.after)
    wording = Wording(*texts)
    modules = difference.before, difference.after
    for mark, name, module in zip(("---", "+++"), names, modules, strict=True):
        producer = f", {display(module.producer)}" if module.producer else ""
        yield f"{mark} {name}  ({module.version}{producer})"
    yield from _parts(difference.rows, wording)
    merging = Merging(*texts, wording)
    with deep_recursion(difference.before.limits), deep_recursion(difference.after.limits):
        for _, lines in merging.functions(difference):
            if lines is not None:
                yield from hunks([*lines], context)


def _parts(rows: Iterable[Row], wording: Wording) -> Iterator[str]:
    """Yield the lines about what is no function: the files, globals and declarations."""
    subject = ""
    for row in rows:
        if row.subject in ("op", "function"):
            continue
        if row.subject != subject:
            subject = row.subject
            yield f"@@ {subject if subject == 'file' else f'{subject}s'} @@"
        for mark, part in ((GONE, row.before), (NEW, row.after)):
            if isinstance(part, Global):
                yield f"{mark}{global_text(part)}"
            elif isinstance(part, Declaration):
                pieces: list[str] = []
                print_declaration(part, pieces, None)
                yield f"{mark}{''.join(pieces).strip()}"
        for change in row.changes:
            yield f"{NOTE}  {wording.change(row, change)}"


def unified_listing(
    difference: ListingDifference, context: int = CONTEXT, names: tuple[str, str] = ("a", "b")
) -> Iterator[str]:
    """Yield the lines of the text of a comparison of listings; nothing if they are equal."""
    if difference:
        yield f"--- {names[0]}  ({difference.language})"
        yield f"+++ {names[1]}  ({difference.language})"
        yield from hunks([*_lines(difference)], context)


def _lines(difference: ListingDifference) -> Iterator[Line]:
    for entry in difference.entries:
        before, after = entry.before, entry.after
        if before is not None and after is not None and not entry.other_values:
            yield Line(SAME, before.number, after.number, after.text, after.path)
            continue
        if before is not None and after is not None and before.text == after.text:
            yield Line(OTHER, before.number, after.number, after.text, after.path)
        else:
            if before is not None:
                yield Line(GONE, before.number, None, before.text, before.path)
            if after is not None:
                yield Line(NEW, None, after.number, after.text, after.path)
        if entry.other_values and after is not None:
            said = ", ".join(f"{one} -> {two}" for one, two in entry.other_values)
            yield Line(NOTE, None, None, f"other values: {said}", after.path)
