"""How the playground looks, to eyes, keys and screen readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.test_look import luminance
from tests.corpus import NEWEST

DATA = NEWEST["vector_add"].read_bytes()
BROKEN = b"entry @k() {\n  %x = addz %y : tile<i32>\n  return\n}\n"


@pytest.fixture
def themed(page: Any) -> Any:
    """The tab, which is given the theme back that the system has."""
    yield page
    page.emulate_media(color_scheme="light")
    page.evaluate("delete document.body.dataset.theme")
    page.evaluate("playground.nameTheme()")


def test_dark_and_light(themed: Any, opened: Callable[..., Any]) -> None:
    page = opened("k.tileirbc", DATA)
    page.locator("#panel-bytes .row").first.wait_for()
    for scheme, bright in (("light", True), ("dark", False)):
        page.emulate_media(color_scheme=scheme)
        for part in ("body", "#panel-bytes .report"):
            assert (luminance(page, part) > 600) == bright
    page.emulate_media(color_scheme="light")
    page.click("#theme")
    for part in ("body", "#panel-bytes .report"):
        assert luminance(page, part) < 150
    page.focus("#panel-bytes [data-pane=hex]")
    page.keyboard.press("t")
    for part in ("body", "#panel-bytes .report"):
        page.locator(f"{part}[data-theme=light]").wait_for()
        assert luminance(page, part) > 600


def test_tabs_are_chosen_by_keys(opened: Callable[..., Any]) -> None:
    page = opened("k.tileirbc", DATA)
    page.focus("#tab-bytes")
    for panel in ("text", "compare", "convert", "command", "bytes"):
        page.keyboard.press("ArrowRight")
        assert page.locator(f"#tab-{panel}[aria-selected=true]").evaluate(
            "tab => tab === document.activeElement"
        )
        assert page.locator(f"#panel-{panel}").is_visible()


def test_every_control_is_reached_by_tab(opened: Callable[..., Any]) -> None:
    page = opened("k.tileirbc", DATA)
    page.click("#tab-text")
    page.locator("#verdict.good").wait_for()
    page.focus("#open")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"new", "share", "save", "theme", "pick", "away", "tab-text", "field"} <= reached


@pytest.mark.parametrize("width", [390, 768, 1024, 1440, 1920])
def test_nothing_is_cut_off_at_any_width(opened: Callable[..., Any], width: int) -> None:
    page = opened("k.tileirbc", DATA)
    page.locator("#panel-bytes .row").first.wait_for()
    page.set_viewport_size({"width": width, "height": 900})
    try:
        for panel, inner in (("bytes", "[data-pane=text]"), ("text", "textarea.field")):
            page.click(f"#tab-{panel}")
            box = page.locator(f"#panel-{panel} {inner}").bounding_box()
            assert box["width"] > 150
            assert box["height"] > 100
            assert box["x"] + box["width"] <= width
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("panel", ["welcome", "bytes", "text", "compare", "convert", "command"])
def test_axe_finds_nothing(
    themed: Any, opened: Callable[..., Any], axe: str, panel: str, scheme: str
) -> None:
    page = themed
    page.emulate_media(color_scheme=scheme)
    if panel != "welcome":
        opened("k.tileirbc", DATA)
        opened("broken.tileir", BROKEN) if panel == "text" else opened("other.tileirbc", DATA)
        page.click(f"#tab-{panel}")
        page.locator(".state[data-state=ready]").wait_for()
        page.locator(f"#panel-{panel}").wait_for()
        page.evaluate("new Promise(done => setTimeout(done, 200))")  # colours fade
    page.evaluate(axe)
    found = page.evaluate("axe.run().then(({ violations }) => violations)")
    said = [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]
    said += [one["nodes"][0].get("failureSummary", "") for one in found]
    assert not found, "\n".join(said)
