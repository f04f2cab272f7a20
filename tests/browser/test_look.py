"""How a page looks: light, dark, narrow, on paper, to a screen reader; and a very large one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.browser.figures import PAINTED, scrolled
from tests.browser.pictures import difference, small
from tests.browser.subjects import LARGE, large
from tests.corpus import INVALID, NEWEST
from tileir.report.model import model

DATA = NEWEST["vector_add"].read_bytes()
PICTURES = Path(__file__).parent / "pictures"


def luminance(page: Any, selector: str = "#report") -> int:
    """How bright the background of an element is, from 0 to 765."""
    script = """element => {
      const paper = document.createElement("canvas").getContext("2d");
      paper.fillStyle = getComputedStyle(element).backgroundColor;
      paper.fillRect(0, 0, 1, 1);
      return [...paper.getImageData(0, 0, 1, 1).data].slice(0, 3).reduce((a, b) => a + b);
    }"""
    return page.locator(selector).evaluate(script)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_follow_the_system(report: Any, scheme: str) -> None:
    page = report(DATA, color_scheme=scheme)
    assert (luminance(page) > 600) == (scheme == "light")
    assert (luminance(page) < 150) == (scheme == "dark")
    page.locator(".theme").click()
    assert (luminance(page) > 600) == (scheme == "dark")
    page.keyboard.press("t")
    assert (luminance(page) > 600) == (scheme == "light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["whole", "selected", "broken", "tables", "keys"])
def test_axe_finds_nothing(report: Any, axe: str, scheme: str, kind: str) -> None:
    data = INVALID[3].read_bytes() if kind == "broken" else DATA
    page = report(data, hash="#op=9" if kind == "selected" else "", color_scheme=scheme)
    if kind == "tables":
        page.click("[role=tab][data-tab=strings]")
    if kind == "keys":
        page.keyboard.press("?")
    page.evaluate(axe)
    found = page.evaluate(
        "axe.run().then(({ violations, passes }) => ({ violations, passes: passes.length }))"
    )
    said = [
        f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]} "
        f"{one['nodes'][0].get('failureSummary', '')}"
        for one in found["violations"]
    ]
    assert not said, "\n".join(said)
    assert found["passes"] > 15


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1920])
def test_nothing_is_cut_off_at_any_width(report: Any, width: int) -> None:
    page = report(DATA, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for pane in ("hex", "tree", "text"):
        box = page.locator(f"[data-pane={pane}]").bounding_box()
        assert box["width"] > 150
        assert box["height"] > 100
        assert box["x"] + box["width"] <= width


def test_who_has_selected_nothing_is_led_to_functions(report: Any) -> None:
    """On a phone, where there is nothing to say, nothing covers the bytes."""
    page = report(DATA, viewport={"width": 390, "height": 844})
    assert "valid" in page.locator(".said").inner_text()
    assert page.locator(".details").bounding_box()["y"] > 844
    page.locator(".details .go", has_text="vector_add").click()
    assert "vector_add" in page.locator("[data-pane=text] .row.selected").inner_text()
    assert page.locator(".details").bounding_box()["y"] < 844


def test_paper_has_the_whole_text(report: Any, tmp_path: Path) -> None:
    made = model(DATA, "k.tileirbc")
    page = report(made, color_scheme="dark")
    assert page.pdf().startswith(b"%PDF-")
    page.emulate_media(media="print")
    paper = page.locator(".paper")
    assert paper.is_visible()
    assert not page.locator(".panes").is_visible()
    printed = paper.inner_text()
    assert not [line for line in made["files"][0]["text"]["lines"] if line.strip() not in printed]
    assert made["files"][0]["sha256"] in printed
    assert luminance(page, "body") in (0, 765)  # white, or nothing is painted


def test_it_looks_as_it_did(report: Any, update: bool) -> None:
    """Small pictures of the page, within what another font changes."""
    for scheme, other in (("light", "dark"), ("dark", "light")):
        page = report(DATA, "vector_add.tileirbc", hash="#op=15", color_scheme=scheme)
        made, known = small(page.screenshot()), PICTURES / f"vector_add_{scheme}.png"
        if update:
            known.parent.mkdir(exist_ok=True)
            known.write_bytes(made)
            continue
        assert difference(made, known.read_bytes()) < 0.03
        assert difference(made, (PICTURES / f"vector_add_{other}.png").read_bytes()) > 0.3


def test_twenty_thousand_ops_scroll(report: Any) -> None:
    """Only rows in sight exist; the figures are printed, since no test asserts a time."""
    data = large()
    start = time.perf_counter()
    made = model(data, "large")
    built = time.perf_counter() - start
    page = report(made)
    ops = len(made["files"][0]["ops"]["node"])
    assert ops >= LARGE
    paint = page.evaluate(PAINTED)
    rows = "document.querySelectorAll('#report .row').length"
    assert page.evaluate(rows) < 400
    for pane in ("text", "hex", "tree"):
        figures = scrolled(page, pane)
        assert page.evaluate(rows) < 400
        last = page.locator(f"[data-pane={pane}] .row").evaluate_all(
            "rows => Math.max(...rows.map(row => Number(row.dataset.row)))"
        )
        assert last == page.evaluate(f"TileIRReport.view.panes.{pane}.list.count") - 1
        print(f"{pane}: two frames take {figures} ms")
    print(
        f"model in {built:.2f} s, first paint after {paint:.0f} ms, "
        f"{len(page.content()):,} characters"
    )
    page.evaluate(f"location.hash = '#op={ops - 2}'")
    page.wait_for_selector("[data-pane=text] .row.selected")
    page.locator(".search").fill("return")
    assert page.locator("[data-pane=text] .row.selected").inner_text().endswith("return")
