"""A summary and a comparison as one page of HTML, which needs nothing else and runs nothing.

All that a record says is text: escaped, and with control characters spelled out. The policy in the
page lets the browser use this style, by its hash, and fetch nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import islice
from typing import Any

from tileir.messages.texts import printable
from tileir.report.page import NOTHING, hashed

from .comparing import Comparison, changed
from .lines import HEADS, counts, duration, failed, mended, rows, shown, total, unjudged
from .summary import Summary, title

MOST = 5_000
"""Items of a list: what a browser shows at once."""

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem;
  padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #8886; padding: .25rem .7rem; text-align: right; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2), .last { text-align: left; }
td { font-variant-numeric: tabular-nums; white-space: nowrap; }
td.last { white-space: normal; }
li { font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere; }
""".strip()


def page(name: str, summary: Summary, comparison: Comparison | None = None) -> str:
    """Return the page of a manifest of that name, as HTML."""
    return "\n".join(_parts(name, summary, comparison)) + "\n"


def _parts(name: str, summary: Summary, comparison: Comparison | None) -> Iterator[str]:
    """Yield the lines of the page."""
    policy = f"{NOTHING}; style-src {hashed(STYLE)}"
    heading = f"{name}: {total(summary)}"
    yield from (
        "<!doctype html>",
        '<html lang="en">',
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="generator" content="tileir batch report">',
        f"<title>{_text(heading)}</title>",
        f"<style>{STYLE}</style>",
        f"<h1>{_text(heading)}</h1>",
    )
    if comparison is not None:
        for line in (counts(comparison), *unjudged(comparison)):
            yield f"<p>{_text(line)}.</p>"
        yield from _list("Fails anew", comparison.new, failed)
        yield from _list("Worse", comparison.worse, lambda each: changed(*each))
        yield from _list("Better", comparison.better, lambda each: changed(*each))
        yield from _list("Mended", comparison.mended, mended)
    yield "<h2>By verb and target</h2>"
    yield from _table(HEADS, rows(summary))
    slowest = [
        (each["verb"], each["target"] or "", duration(each["seconds"]), title(each))
        for each in summary.slowest
    ]
    if slowest:
        yield "<h2>Took longest</h2>"
        yield from _table(("verb", "target", "seconds", "job"), slowest)
    yield from _list("Failed", summary.failed, failed)


def _table(heads: Sequence[str], cells: Iterable[Sequence[str]]) -> Iterator[str]:
    yield '<div class="wide"><table>'
    yield f"<thead>{_cells('th', heads)}</thead><tbody>"
    for row in cells:
        yield _cells("td", row)
    yield "</tbody></table></div>"


def _cells(tag: str, texts: Sequence[str]) -> str:
    *others, last = map(_text, texts)
    marked = "".join(f"<{tag}>{each}</{tag}>" for each in others)
    return f'<tr>{marked}<{tag} class="last">{last}</{tag}></tr>'


def _list(what: str, found: Sequence[Any], spelled: Callable[[Any], str]) -> Iterator[str]:
    if not found:
        return
    yield f"<h2>{what}: {len(found):,}</h2><ul>"
    for each in islice(found, MOST):
        yield f"<li>{'<br>'.join(map(escape, shown(spelled(each))))}</li>"
    yield "</ul>"
    if len(found) > MOST:
        yield f"<p>And {len(found) - MOST:,} more, which --json has.</p>"


def _text(text: str) -> str:
    return escape(printable(text))
