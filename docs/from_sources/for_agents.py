"""What programs read of the site: each page as Markdown, `llms.txt` and `SKILL.md` at its root.

The Markdown of a page stands beside its HTML, with `.md` instead of `.html`. What blocks of sources
stand for is filled in, and links between pages lead to Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sphinx.addnodes import toctree

from tileir.reference.guide import index_of, skill


def write_page(app: Any, name: str, text: str) -> None:
    """Write the Markdown of a page, if it is HTML that is built."""
    if app.builder.format == "html":
        path = Path(app.outdir, f"{name}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_index(app: Any, error: Exception | None) -> None:
    """Write `llms.txt`, in the order of the site, and `SKILL.md`."""
    if error is not None or app.builder.format != "html":
        return
    root = Path(app.outdir)
    trees = app.env.get_doctree(app.config.root_doc).findall(toctree)
    pages = {
        tree["caption"]: [root / f"{name}.md" for name in _below(app.env, tree["includefiles"])]
        for tree in trees
    }
    (root / "llms.txt").write_text(index_of(pages, root), encoding="utf-8")
    (root / "SKILL.md").write_text(skill(), encoding="utf-8")


def _below(env: Any, names: Iterable[str]) -> Iterator[str]:
    """Yield pages, each followed by those that its own table of contents has."""
    for name in names:
        yield name
        yield from _below(env, env.toctree_includes.get(name, ()))
