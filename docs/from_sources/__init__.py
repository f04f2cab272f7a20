"""A Sphinx extension: the reference, made from the sources of truth when the site is built.

A page that is checked in has its title, its introduction and blocks such as::

    ```{from-source} ops memory
    ```

When Sphinx reads the page, the Markdown that the named source makes of the words behind it takes
the place of the block. So what is generated is never a file, and cannot be out of date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from . import (
    command_line,
    for_agents,
    format_tables,
    gpu_rows,
    op_rows,
    python_api,
    rule_rows,
    schema_rows,
)

SOURCES: dict[str, Callable[..., str]] = {
    "advise-rules": rule_rows.advise_rules,
    "commands": command_line.commands,
    "exit-codes": command_line.exit_codes,
    "format-tables": format_tables.format_tables,
    "gpus": gpu_rows.gpus,
    "op-index": op_rows.op_index,
    "ops": op_rows.chapter,
    "python": python_api.objects,
    "python-module": python_api.module,
    "python-names": python_api.public_names,
    "schemas": schema_rows.schemas,
    "verify-rules": rule_rows.verify_rules,
}
"""The first word of a block -> the function that makes Markdown of the others."""

BLOCK = re.compile(r"^```\{from-source\} *([^\n]*)\n+```$", re.MULTILINE)


def filled(text: str) -> str:
    """Return the text of a page with what its blocks stand for."""

    def made(block: re.Match[str]) -> str:
        source, *words = block[1].split()
        return SOURCES[source](*words).strip()

    return BLOCK.sub(made, text)


def setup(app: Any) -> dict[str, Any]:
    """Enter the extension."""
    from tileir.pygments_lexer import TileIRLexer

    from . import man_pages
    from .console import ConsoleLexer

    def read(app: Any, name: str, content: list[str]) -> None:
        content[0] = filled(content[0])
        for_agents.write_page(app, name, content[0])

    def outdated(app: Any, env: Any, *_: Any) -> Iterable[str]:
        """Pages with blocks are read again at each build: their sources may be any file."""
        return [name for name in env.found_docs if BLOCK.search(_text(env, name))]

    app.add_lexer("mlir", TileIRLexer)
    app.add_lexer("console", ConsoleLexer)
    app.connect("source-read", read)
    app.connect("env-get-outdated", outdated)
    app.connect("env-before-read-docs", man_pages.skip_pages)
    app.connect("build-finished", for_agents.write_index)
    app.add_builder(man_pages.Pages, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _text(env: Any, name: str) -> str:
    with open(env.doc2path(name), encoding="utf-8") as file:
        return file.read()
