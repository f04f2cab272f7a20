"""Commands, from what their ``--help`` prints."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator

from tileir.__main__ import main
from tileir.command_line.command_table import GROUPS
from tileir.reference.parsers import parsers, verbs

from .markdown import code

WIDTH = "92"
"""Columns of a terminal that a page has room for."""


def commands() -> str:
    """Return a section for each command, in the groups of ``tileir --help``."""
    return "\n".join(_sections())


def _sections() -> Iterator[str]:
    known = parsers()
    for group, members in GROUPS.items():
        yield f"## {group.capitalize()}\n"
        for name, (_, summary) in members.items():
            yield f"(command-{name})=\n### tileir {name}\n\n{summary.capitalize()}.\n"
            for words in ([name], *([name, verb] for verb in verbs(known[name]))):
                yield code(help_of(*words))


def help_of(*words: str) -> str:
    """Return what a command prints when it is asked for help."""
    out = io.StringIO()
    columns = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
            main([*words, "--help"])
    finally:
        os.environ.pop("COLUMNS") if columns is None else os.environ.update(COLUMNS=columns)
    return out.getvalue()


def exit_codes() -> str:
    """Return the exit codes of all commands."""
    from tileir.command_line import exit_codes

    return code("\n".join((exit_codes.__doc__ or "").strip().split("\n")[2:]))
