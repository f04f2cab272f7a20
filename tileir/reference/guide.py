"""A page for agents about tileir, and an index of its documentation: Markdown made from the help.

The page is what a skill file of an agent is: a head with name and description, then what to know
before the first command. It is short, because it is read each time; whatever it leaves out,
`--help`, `tileir schema` and `help(tileir)` have. The index has the form of llms.txt.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import tileir
from tileir.command_line import exit_codes
from tileir.command_line.command_table import GROUPS
from tileir.command_line.exit_codes import UsageError
from tileir.formats.version import SUPPORTED
from tileir.gpus import TARGETS

from .parsers import parsers

DESCRIPTION = (
    "Reads, explains, verifies, prints, assembles, edits, compiles and runs CUDA Tile IR bytecode"
    " (.tileirbc, what cuTile compiles to) without a GPU and without NVIDIA's tools. Use it for"
    " questions about such a file, its ops, errors, PTX, performance or versions."
)
_EXAMPLES = 2
"""So many examples of each command are shown."""
_GAP = re.compile(r" {2,}")
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^(`{3,}|:{3,}).*?^\1 *$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)|\{\w+\}`([^`<]*?) *(?:<[^`]*)?`")
_NO_PROSE = re.compile(r"[#|<>!(+-]|\* |\d+\. ")
"""How a paragraph begins that is a heading, table, comment, picture, label or list."""


def skill() -> str:
    """Return the page for agents."""
    return "\n".join(_skill()) + "\n"


def _skill() -> Iterator[str]:
    yield from ("---", "name: tileir", f"description: {DESCRIPTION}", "---", "")
    yield f"# tileir {tileir.__version__}"
    yield ""
    yield f"Bytecode versions {SUPPORTED[0]} to {SUPPORTED[-1]}."
    yield f"Targets: host, {', '.join(TARGETS)}."
    yield "`tileir COMMAND --help` has all options, keys of JSON and exit codes of a command."
    yield "Where a command has `--json`, read that: `tileir schema COMMAND` prints its JSON Schema."
    yield "A file is bytecode or text; `-` is standard input."
    made = parsers()
    for group, commands in GROUPS.items():
        yield from ("", f"## Commands: {group}", "")
        for name, (_, summary) in commands.items():
            json = ", `--json`" if "--json" in made[name]._option_string_actions else ""
            yield f"- `tileir {name}`: {summary}{json}"
            for line in _examples(made[name].epilog or ""):
                yield f"  - `{line}`"
    yield from ("", "## Exit codes", "", "```text")
    yield inspect.cleandoc(exit_codes.__doc__ or "").partition("\n\n")[2]
    yield from ("```", "", "## In Python", "", "```text")
    yield inspect.cleandoc(tileir.__doc__ or "")
    yield "```"


def _examples(epilog: str) -> list[str]:
    """Return the first examples of a command's help, without the words beside them."""
    _, _, rest = epilog.partition("examples:\n")
    lines = (line for line in rest.partition("\n\n")[0].splitlines() if line.startswith("  "))
    commands = (_GAP.split(line.strip())[0] for line in lines if not line.startswith("   "))
    return [each for each in commands if not each.endswith("\\")][:_EXAMPLES]


def index(folder: Path) -> str:
    """Return an llms.txt for a folder of Markdown pages, with a section for each folder in it.

    UsageError if there is no page in it.
    """
    pages: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*.md"), key=lambda each: (len(each.parts), each)):
        parts = path.relative_to(folder).parts
        if not any(part[0] in "._" for part in parts):  # as Sphinx's own folders, such as _build
            name = parts[0] if len(parts) > 1 else "docs"
            pages.setdefault(name.replace("_", " ").capitalize(), []).append(path)
    text = index_of(pages, folder)
    if not pages or "\n- " not in text:
        raise UsageError(f"{folder} has no page with a title")
    return text


def index_of(pages: Mapping[str, Iterable[Path]], folder: Path) -> str:
    """Return an llms.txt of pages by their section: their titles, links and first sentences.

    Links are relative to a folder. A page without a title is left out.
    """
    lines = ["# tileir", "", f"> {DESCRIPTION}"]
    for section, paths in pages.items():
        rows = [row for path in paths if (row := _row(path, folder))]
        if rows:
            lines += ["", f"## {section}", "", *rows]
    return "\n".join([*lines, ""])


def _row(path: Path, folder: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    title = _HEADING.search(text)
    if not title:
        return ""
    about = _first_sentence(text[title.end() :])
    link = f"- [{title[1]}]({path.relative_to(folder).as_posix()})"
    return f"{link}: {about}" if about else link


def _first_sentence(text: str) -> str:
    """Return the first sentence of a page that stands in no list, table, block or heading."""
    for paragraph in re.split(r"\n\s*\n", _BLOCK.sub("", text)):
        words = " ".join(_LINK.sub(r"\1\2", paragraph).replace("*", "").split())
        if words and not _NO_PROSE.match(paragraph.strip()):
            return re.split(r"(?<=[.])\s", words)[0]
    return ""
