"""Man pages, from the parsers of the commands: tileir(1), and one page for each command.

    python -m sphinx -b man docs docs/_build/man

Sphinx's own builder makes man pages of documents. Here the documents are made in memory, so no page
of the site is read: `Pages` takes the place of that builder.
"""

from __future__ import annotations

import argparse
import copy
import inspect
import re
from collections.abc import Iterator, Set
from typing import Any

from docutils import nodes
from sphinx.builders.manpage import ManualPageBuilder
from sphinx.util.docutils import _get_settings, new_document
from sphinx.writers.manpage import ManualPageWriter

from tileir.command_line import exit_codes
from tileir.command_line.command_table import COMMANDS, GROUPS
from tileir.reference.parsers import parsers, verbs

SECTION = 1
"""Commands of users."""
_CODE = re.compile(r"`([^`]+)`|(TILEIR_\w+|NO_COLOR)")
_EXIT = re.compile(r"exit (?:status|codes?)(?: *:)? *", re.IGNORECASE)


class Pages(ManualPageBuilder):
    """Writes the pages of all commands."""

    def init(self) -> None:
        """Do without `man_pages` of the configuration."""

    def write_documents(self, _docnames: Set[str]) -> None:
        """Write a file for each page."""
        settings = _get_settings(
            ManualPageWriter, defaults=self.env.settings, read_config_files=True
        )
        for name, (summary, sections) in pages().items():
            page = copy.copy(settings)
            page.title, page.subtitle, page.section = name, summary, SECTION
            page.authors = []
            document = new_document(name, page)
            document += nodes.section("", nodes.title("", name), *sections)
            visitor: Any = self.create_translator(document, self)
            document.walkabout(visitor)
            path = self.outdir / f"man{SECTION}" / f"{name}.{SECTION}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(visitor.astext(), encoding="utf-8")


def pages() -> dict[str, tuple[str, list[nodes.section]]]:
    """Return the pages by their names: the line after the name, and the sections."""
    known = parsers()
    found = {"tileir": ("the open toolchain for CUDA Tile IR bytecode", list(_overview()))}
    for name, (_, summary) in COMMANDS.items():
        found[f"tileir-{name}"] = (summary, list(_command(known[name])))
    return found


def _section(title: str, *content: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", title), *content)


def _overview() -> Iterator[nodes.section]:
    usage = "tileir COMMAND [ARGUMENT ...]\ntileir COMMAND --help\ntileir --version"
    yield _section("Synopsis", nodes.literal_block("", usage))
    for group, members in GROUPS.items():
        items = [
            _item(nodes.strong("", f"tileir-{name}({SECTION})"), _text(f"{summary.capitalize()}."))
            for name, (_, summary) in members.items()
        ]
        yield _section(f"Commands: {group}", nodes.definition_list("", *items))
    _, _, codes = inspect.cleandoc(exit_codes.__doc__ or "").partition("\n\n")
    yield _section("Exit status", nodes.literal_block("", codes))


def _command(parser: argparse.ArgumentParser) -> Iterator[nodes.section]:
    yield _section("Synopsis", _synopsis(parser))
    notes, ends = _epilog(parser.epilog or "")
    yield _section("Description", *_paragraphs(parser.description or ""))
    for group in parser._action_groups:
        shown = [each for each in group._group_actions if each.help is not argparse.SUPPRESS]
        if shown:
            yield _section(_title(group), *_arguments(parser, shown))
    for verb, its in verbs(parser).items():
        inside = [_synopsis(its), *_arguments(its, its._actions)]
        yield _section(f"{parser.prog.partition(' ')[2]} {verb}", *inside)
    if notes:
        yield _section("Notes", *notes)
    yield from ends
    yield _section("See also", nodes.paragraph("", "", nodes.strong("", f"tileir({SECTION})")))


def _synopsis(parser: argparse.ArgumentParser) -> nodes.literal_block:
    return nodes.literal_block("", parser.format_usage().removeprefix("usage: ").rstrip())


def _title(group: argparse._ArgumentGroup) -> str:
    title = group.title or "options"
    return {"positional arguments": "Arguments"}.get(title, title.capitalize())


def _arguments(
    parser: argparse.ArgumentParser, actions: list[argparse.Action]
) -> Iterator[nodes.Node]:
    """Yield a list of arguments; where one is a choice of verbs, each verb has an item."""
    formatter = parser._get_formatter()
    items = []
    for action in actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action._choices_actions:
                items.append(_item(nodes.strong("", each.dest), _text(each.help or "")))
            continue
        about = formatter._expand_help(action) if action.help else ""
        items.append(_item(_signature(action, formatter), _text(about)))
    if items:
        yield nodes.definition_list("", *items)


def _signature(action: argparse.Action, formatter: argparse.HelpFormatter) -> nodes.inline:
    """Return how an argument is written: options are bold, what one replaces is emphasised."""
    default = action.dest.upper() if action.option_strings else action.dest
    value = formatter._format_args(action, default) if action.nargs != 0 else ""
    parts = nodes.inline()
    for number, option in enumerate(action.option_strings):
        if number:
            parts += nodes.Text(", ")
        parts += nodes.strong("", option)
    if value:
        if action.option_strings:
            parts += nodes.Text(" ")
        parts += nodes.emphasis("", value)
    return parts


def _item(term: nodes.Node, about: nodes.Node) -> nodes.definition_list_item:
    return nodes.definition_list_item("", nodes.term("", "", term), nodes.definition("", about))


def _text(text: str) -> nodes.paragraph:
    """Return a paragraph in which names of code are bold, as man pages have them."""
    paragraph = nodes.paragraph()
    at = 0
    for match in _CODE.finditer(text):
        paragraph += nodes.Text(text[at : match.start()])
        paragraph += nodes.strong("", match[1] or match[2])
        at = match.end()
    paragraph += nodes.Text(text[at:])
    return paragraph


def _paragraphs(text: str) -> Iterator[nodes.Node]:
    """Yield paragraphs; lines from the first one on that is indented stay as they are."""
    for part in re.split(r"\n[ \t]*\n", text.strip("\n")):
        lines = part.split("\n")
        first = next((n for n, line in enumerate(lines) if line.startswith(" ")), len(lines))
        if lines[:first]:
            yield _text(" ".join(lines[:first]))
        if lines[first:]:
            yield nodes.literal_block("", "\n".join(lines[first:]))


def _epilog(text: str) -> tuple[list[nodes.Node], list[nodes.section]]:
    """Return what help says below the options: notes, and sections of exit status and examples."""
    notes: list[nodes.Node] = []
    ends: dict[str, nodes.section] = {}
    for part in re.split(r"\n[ \t]*\n", text.strip("\n")):
        head, _, rest = part.partition("\n")
        if head == "examples:":
            ends["examples"] = _section("Examples", nodes.literal_block("", inspect.cleandoc(rest)))
        elif status := _EXIT.match(part):
            ends["exit"] = _section("Exit status", *_paragraphs(part[status.end() :]))
        elif part:
            notes += _paragraphs(part)
    return notes, [ends[name] for name in ("exit", "examples") if name in ends]


def skip_pages(app: Any, env: Any, names: list[str]) -> None:
    """Have Sphinx read the root page alone where man pages are built: they need none."""
    if app.builder.name == "man":
        names[:] = [app.config.root_doc]
