"""Markdown: tables, blocks of code, anchors, and docstrings of this project in its words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table without the columns that are empty in all rows; "" if it has no rows."""
    cells = [[cell(each) for each in row] for row in rows]
    if not cells:
        return ""
    filled = [number for number in range(len(head)) if any(row[number] for row in cells)]
    head = [head[number] for number in filled]
    lines = [f"| {' | '.join(row[number] for number in filled)} |" for row in cells]
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *lines]) + "\n"


def cell(content: object) -> str:
    """Return what a cell of a table holds, in one line."""
    return " ".join(str(content).replace("|", "\\|").split())


def code(text: str, language: str = "text") -> str:
    """Return a block of code, whatever fences are in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def words(names: Iterable[object]) -> str:
    """Return names in code, with commas between them."""
    return ", ".join(f"`{name}`" for name in names)


def op_label(mnemonic: str) -> str:
    """Return the label of an op's section."""
    return f"op-{mnemonic.replace('$', '-')}"


def op_link(mnemonic: str) -> str:
    """Return a link to an op's section."""
    return f"{{ref}}`{mnemonic} <{op_label(mnemonic)}>`"


def prose(docstring: str | None) -> str:
    """Return the Markdown of a docstring.

    Paragraphs stay. A paragraph in which a name, two blanks or more and a text follow each other
    becomes a table; what is indented by four blanks becomes code.
    """
    parts = re.split(r"\n[ \t]*\n", inspect.cleandoc(docstring or ""))
    return "\n\n".join(_merged_code(map(_part, filter(None, parts)))) + "\n"


def _merged_code(parts: Iterable[str]) -> Iterable[str]:
    """Blocks of code that only an empty line separated are one."""
    made: list[str] = []
    for part in parts:
        if part.startswith("```") and made and made[-1].startswith("```"):
            made[-1] = made[-1].removesuffix("```") + "\n" + part.removeprefix("```text\n")
        else:
            made.append(part)
    return made


_ROW = re.compile(r"(\S+(?: \S+){0,3}?) {2,}(\S.*)")


def _part(text: str) -> str:
    lines = text.split("\n")
    if all(line.startswith("    ") for line in lines):
        return code(inspect.cleandoc(text)).rstrip()
    text = text.replace("``", "`")
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if _ROW.fullmatch(line)), None)
    if first is None or not (first == 0 or lines[first - 1].endswith((":", ".", ","))):
        return _escaped(text)
    if any(re.search(r"\S {2,}\S.* {2,}\S", line) for line in lines[first:]):
        return code(text).rstrip()  # with more than two columns, it reads well as it is
    rows: list[list[str]] = []
    for line in lines[first:]:
        row = _ROW.fullmatch(line)
        if row:
            rows.append([_as_code(row[1]), row[2]])
        elif line.startswith(" "):
            rows[-1][1] += " " + line.strip()
        else:
            return _escaped(text)  # it only looks like a table
    head = "\n".join(lines[:first])
    escaped = ([name, _escaped(about)] for name, about in rows)
    return (head + "\n\n" if head else "") + table(("", ""), escaped).rstrip()


def _as_code(name: str) -> str:
    return name if "`" in name else f"`{name}`"


def _escaped(text: str) -> str:
    """Escape what Markdown would take for its own, outside of code."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece if number % 2 else re.sub(r"([*<\[\]_$])", r"\\\1", piece)
        for number, piece in enumerate(pieces)
    )
