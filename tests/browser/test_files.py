"""Files of all kinds in a page: hostile, broken, compared, blanked, and pages that are damaged."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import tileir
from tests.browser.subjects import broken
from tests.browser.watching import watched
from tests.corpus import INVALID, NEWEST
from tests.tileir.report.hostile import NAMES, module
from tileir.report.comparison import comparison
from tileir.report.model import model
from tileir.report.page import as_json, packed
from tileir.report.page import page as page_of

DATA = NEWEST["vector_add"].read_bytes()
UNSEEN = range(0x202A, 0x2070)


def test_no_name_runs_a_script(report: Any) -> None:
    """The names are shown in every pane, as text: `report` notes dialogs, requests and errors."""
    page = report(model(module(), NAMES[1], paths=True))
    elements = "document.querySelectorAll('*').length"
    known = page.evaluate("[...new Set([...document.querySelectorAll('*')].map(e => e.tagName))]")
    assert not {"IMG", "SVG", "IFRAME", "A", "BASE", "LINK", "svg", "OBJECT"} & {*known}
    for name in ("text", "strings", "debug", "types", "problems"):
        tab = page.locator(f"[role=tab][data-tab={name}]")
        if tab.is_enabled():
            tab.click()
        for _ in range(8):
            page.locator(f"[data-pane={name}]").press("PageDown")
            shown = page.locator(f"[data-pane={name}]").inner_text()
            assert not [c for c in shown if ord(c) in UNSEEN or (ord(c) < 32 and c not in "\n\t")]
    for name in NAMES[:20]:
        page.locator(".search").fill(name)
        assert page.evaluate(elements) < 4000
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    now = page.evaluate(
        "[...new Set([...document.querySelectorAll('.report *')].map(e => e.tagName))]"
    )
    assert not {"IMG", "SCRIPT", "STYLE", "IFRAME", "A", "svg"} & {*now}
    assert page.evaluate("Object.keys(Object.prototype).length") == 0


def test_hostile_names_come_as_they_are(report: Any) -> None:
    """A name without anything unseen is shown to the letter."""
    page = report(model(module(), "k", paths=True))
    page.click("[role=tab][data-tab=strings]")
    shown = page.locator("[data-pane=strings] .row .code").all_inner_texts()
    strings = [f'"{one}"' for one in tileir.Bytecode.parse(module()).strings][: len(shown)]
    plain = [at for at, one in enumerate(strings) if one.isascii() and one.isprintable()]
    assert len(plain) > 10
    for at in plain:
        assert shown[at] == strings[at]


@pytest.mark.parametrize("path", INVALID[::4], ids=lambda path: path.stem)
def test_a_broken_file_is_shown_up_to_where_it_breaks(report: Any, path: Any) -> None:
    made = model(path.read_bytes(), path.name)
    (file,) = made["files"]
    first = file["problems"][0]
    page = report(made) if file["size"] else None
    if page is None:
        return
    assert page.locator("[role=tab][aria-selected=true]").get_attribute("data-tab") == "problems"
    row = page.locator("[data-pane=problems] .row").first
    assert row.locator(".problem-text").inner_text().split() == first["message"].split()
    if first["offset"] is None or first["offset"] >= file["size"]:
        return
    row.click()
    script = "cells => cells.map(cell => Number(cell.dataset.offset))"
    assert first["offset"] in page.locator(".cells .selected").evaluate_all(script)
    assert page.locator(".cells .error").count()


def test_of_what_is_broken_the_error_is_said_first(report: Any) -> None:
    data = broken()
    with pytest.raises(tileir.BytecodeError) as raised:
        tileir.Bytecode.parse(data).touch()
    page = report(data, viewport={"width": 390, "height": 844})
    details = page.locator(".details")
    assert str(raised.value) in details.locator("dd").first.inner_text()
    assert details.locator(".values dd").all_inner_texts() == ["op 31"]


def test_an_empty_file_has_a_page(tab: Any, tmp_path: Any) -> None:
    path = tmp_path / "k.html"
    path.write_text(page_of(model(b"", "empty")), "utf-8")
    page = tab(path.as_uri())
    assert page.locator(".problem-text").inner_text()


def test_two_files_are_side_by_side(report: Any) -> None:
    paths = NEWEST["vector_add"], NEWEST["vector_add_f64"]
    made = comparison(*[(path.read_bytes(), path.name) for path in paths])
    page = report(made)
    assert page.locator("[role=tab][aria-selected=true]").get_attribute("data-tab") == "diff"
    assert "the two differ" in page.locator(".said").inner_text()
    marks = [row[0] for row in made["diff"]["rows"]]
    index = next(at for at, mark in enumerate(marks) if mark not in " !")
    line = made["diff"]["rows"][index][2 if made["diff"]["rows"][index][1] is None else 1]
    page.locator(f"[data-pane=diff] .row[data-row='{index}'] .side .code").first.click()
    page.locator(".switch").nth(1).click()
    assert page.locator(".switch").nth(1).get_attribute("aria-pressed") == "true"
    page.locator("[role=tab][data-tab=text]").click()
    shown = page.locator("[data-pane=text] .row .code").all_inner_texts()
    lines = made["files"][1]["text"]["lines"]
    assert [one.strip() for one in shown] == [one.strip() for one in lines[: len(shown)]]
    assert line is not None
    page.evaluate("location.hash = '#b.op=3'")
    page.wait_for_selector("[data-pane=text] .row.selected")
    assert page.evaluate("TileIRReport.view.number") == 1


def test_the_first_difference_is_in_sight(report: Any) -> None:
    text = tileir.disassemble(NEWEST["integer_flags"].read_bytes())
    assert text.count(" 111]") == 1  # at its end
    both = [bytes(tileir.assemble(each).build()) for each in (text, text.replace(" 111]", " 0]"))]
    made = comparison(*[(data, "k.tileirbc") for data in both])
    index = next(at for at, row in enumerate(made["diff"]["rows"]) if row[0] != " ")
    page = report(made, viewport={"width": 390, "height": 700})
    pane = page.locator("[data-pane=diff]").bounding_box()
    row = page.locator(f"[data-pane=diff] .row[data-row='{index}']").bounding_box()
    assert pane["y"] <= row["y"] < pane["y"] + pane["height"]


def test_directories_are_dots(report: Any) -> None:
    page = report(DATA)
    assert b"/tileir/fixtures" in DATA
    page.click("[role=tab][data-tab=strings]")
    assert "/tileir/" not in page.locator("#report").inner_text()
    (start, end), *_ = model(DATA, "k")["files"][0]["blanked"]
    page.evaluate("at => TileIRReport.view.hex.list.reveal(at >> 4)", start)
    cells = [page.locator(f".cells [data-offset='{at}']").inner_text() for at in (start, end - 1)]
    assert cells == ["\u00b7\u00b7"] * 2


def test_a_damaged_page_says_so(browser: Any, tmp_path: Any) -> None:
    path = tmp_path / "k.html"
    text = page_of(model(DATA, "k"))
    start = text.index('id="model">') + len('id="model">')
    path.write_text(text[: start + 400] + "AAAA" + text[start + 404 :], "utf-8")
    with watched(browser) as (page, watch):
        page.goto(path.as_uri())
        page.locator("#report", has_text="cannot be shown").wait_for()
        assert watch.complaints  # the console has the error, too
        assert not watch.outside(path.as_uri())


def test_a_model_is_expanded_up_to_a_limit(report: Any) -> None:
    page = report(DATA)
    said = page.evaluate(
        "TileIRReport.expand(document.getElementById('model').textContent, 1000)"
        ".then(() => 'expanded', error => error.message)"
    )
    assert "larger than 1000 bytes" in said


def test_what_python_packs_is_expanded(report: Any) -> None:
    """Repetitions near and far, next to none, and none; what is damaged anywhere is refused."""
    random = Random(1)
    noise = [random.randbytes(size).hex() for size in (1, 300, 40_000)]
    words = [random.randbytes(random.randrange(1, 9)).hex() for _ in range(300)]
    text = " ".join(random.choice(words) for _ in range(50_000))
    numbers = list(range(0, 90_000, 7))
    page = report(DATA)
    for value in ("", "a" * 200_000, noise, [*noise, text, *noise[::-1]], numbers, text[::-1]):
        expanded = "packed => TileIRReport.expand(packed).then(JSON.stringify)"
        shown = page.evaluate(expanded, packed({"it": value}))
        assert shown == as_json({"it": value})
    refused = """packed => Promise.all(Array.from({ length: 100 }, (_, part) => {
      const at = 24 + Math.floor(part * (packed.length - 30) / 100);
      const other = packed[at] === "A" ? "B" : "A";
      return TileIRReport.expand(packed.slice(0, at) + other + packed.slice(at + 1))
        .then(() => "expanded", (error) => error.message);
    })).then((said) => [...new Set(said)])"""
    assert page.evaluate(refused, packed({"it": noise[1:]})) == ["the model is damaged"]


def test_without_scripts_there_is_a_sentence(tab: Any, tmp_path: Any) -> None:
    path = tmp_path / "k.html"
    path.write_text(page_of(model(DATA, "k")), "utf-8")
    page = tab(path.as_uri(), java_script_enabled=False)
    assert "needs JavaScript" in page.locator("body").inner_text()


INJECTED = {
    "a script": "<script>alert(1)</script>",
    "a handler": "<p onclick='alert(1)' id=x>x</p>",
    "a picture of elsewhere": "<img src='https://example.com/x.png'>",
    "a style": "<p style='color: red'>x</p>",
}


@pytest.mark.parametrize("what", INJECTED)
def test_the_policy_stops_what_gets_in(browser: Any, tmp_path: Any, what: str) -> None:
    """Markup that got into a page does nothing; and the watch of all these tests sees it."""
    path = tmp_path / "k.html"
    path.write_text(page_of(model(DATA, "k")).replace("<body>", "<body>" + INJECTED[what]), "utf-8")
    with watched(browser) as (page, watch):
        page.goto(path.as_uri())
        page.wait_for_selector("#report .panes .row")
        if what == "a handler":
            page.click("#x")
        for _ in range(100):  # a browser reports a violation some time after it, and its event last
            if any("policy violated" in one for one in watch.complaints):
                break
            page.wait_for_timeout(50)
        else:
            pytest.fail(f"no violation was reported: {watch.complaints}")
        assert not watch.dialogs
