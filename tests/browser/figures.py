"""How large pages are, how long they take to make, and how soon a browser shows them.

`python -m tests.browser.figures` prints the table of docs/figures.md: for each file of
`subjects.py` its bytes and ops, the bytes of its page, the CPU seconds that model and page took,
and in Chromium the milliseconds until something was painted, until the rows were there, and
for two frames while the text scrolls. ``--pictures FOLDER`` also writes what the pages look like,
in light and dark, at three widths: to be looked at, not compared. ``--target GPU`` measures pages
that also show kernels, compiled for it: their CPU seconds are also those of the tools of NVIDIA.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.browser.subjects import SUBJECTS
from tests.browser.watching import launched
from tileir.bytecode import Bytecode
from tileir.report.kernels import kernels
from tileir.report.model import model, readable_part
from tileir.report.page import page as page_of

WIDTHS = (1400, 1000, 390)
SCHEMES = ("light", "dark")

SMALL, MOST = 51_000, 1_000_000
"""Bytes of a module whose page has less than so many, with kernels for one GPU, too."""

SCROLL = """async (name) => {
  const list = TileIRReport.view.panes[name].list, times = [];
  const { element } = list, frame = () => new Promise(requestAnimationFrame);
  for (let step = 0; step <= 60; step++) {
    element.scrollTop = element.scrollHeight * step / 60;
    const start = performance.now();
    await frame();
    await frame();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { middle: times[30], worst: times[60] };
}"""
"""Scrolls a pane from its first to its last row in 60 steps; milliseconds for two frames."""

PAINTED = """new Promise((told) => new PerformanceObserver((entries) => {
  const [first] = entries.getEntriesByName("first-contentful-paint");
  if (first) told(first.startTime);
}).observe({type: "paint", buffered: true}))"""


def scrolled(page: Any, pane: str) -> str:
    """Scroll a pane of a page to its end, and say how long two frames take, and at most."""
    figures = page.evaluate(SCROLL, pane)
    return f"{figures['middle']:.0f} ({figures['worst']:.0f})"


def used() -> float:
    """Return the CPU seconds of this process, and of those that it has waited for."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(each.ru_utime + each.ru_stime for each in map(resource.getrusage, who))


def measured(browser: Any, name: str, folder: Path, target: str | None) -> Iterator[str]:
    """The cells of a row of the table: a page is made, and opened in a new tab."""
    data = SUBJECTS[name]()
    start = used()
    records = []
    if target is not None:
        records = kernels(Bytecode.parse(readable_part(data, False, None)).touch(), [target])
    made = model(data, f"{name}.tileirbc", kernels=records)
    text = page_of(made)
    seconds = used() - start
    assert len(data) > SMALL or len(text) < MOST, f"the page of {name} has {len(text):,} bytes"
    path = folder / f"{name}.html"
    path.write_text(text, "utf-8")
    yield from (name, f"{len(data):,}", f"{len(made['files'][0]['ops']['node']):,}")
    yield from (f"{len(text.encode()):,}", f"{seconds:.2f}")
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    tab.goto(path.as_uri())
    pane = "text" if target is None else "kernel-text"
    shown = ".panes" if target is None else ".kernels"
    tab.wait_for_selector(f"#report {shown} .row", state="attached")
    yield f"{tab.evaluate(PAINTED):.0f}"
    yield f"{tab.evaluate('performance.now()'):.0f}"
    yield scrolled(tab, pane)
    tab.close()


def pictured(browser: Any, name: str, folder: Path, pictures: Path) -> None:
    """Write pictures of a page that `measured` made, in all schemes and widths."""
    uri = (folder / f"{name}.html").as_uri()
    for scheme, width in product(SCHEMES, WIDTHS):
        size = {"width": width, "height": 1500 if width < 600 else 900}
        tab = browser.new_page(viewport=size, color_scheme=scheme)
        tab.goto(uri + ("" if name == "broken" else "#op=9"))
        tab.wait_for_selector("#report .panes .row", state="attached")
        path = pictures / f"{name}_{scheme}_{width}.png"
        tab.screenshot(path=path)
        tab.close()


def main() -> None:
    """Print the table; with ``--pictures`` write the pictures, too."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.figures", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*SUBJECTS, []], help="files; all without")
    parser.add_argument("--pictures", metavar="FOLDER", type=Path, help="write pictures here")
    parser.add_argument("--target", metavar="GPU", help="pages with kernels, compiled for it")
    given = parser.parse_args()
    print("| file | bytes | ops | bytes of its page | made in CPU s | painted after ms | "
          "rows after ms | two frames of scrolling, ms (at most) |")  # fmt: skip
    print("|---" * 8 + "|")
    with TemporaryDirectory() as name, launched() as browser:
        folder = Path(name)
        for subject in given.names or SUBJECTS:
            print(
                "|", " | ".join(measured(browser, subject, folder, given.target)), "|", flush=True
            )
            if given.pictures:
                given.pictures.mkdir(parents=True, exist_ok=True)
                pictured(browser, subject, folder, given.pictures)


if __name__ == "__main__":
    main()
