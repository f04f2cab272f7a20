"""The view for who writes kernels: it opens first, its panes are linked, no text is believed."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import pytest

import tileir
from tests.corpus import FIXTURES, NEWEST, ROOT
from tests.tileir.report.hostile import SCRIPTS
from tileir.report.kernels import kernels
from tileir.report.model import model
from tileir.rewrite.strip import strip

DATA = NEWEST["matmul"].read_bytes()
NAMES = [op.name for function in tileir.Bytecode.parse(DATA).functions for op in function.walk()]
PRODUCT = NAMES.index("mmaf")


@cache
def records() -> list[dict]:
    """What is said of a matrix product on two GPUs."""
    return kernels(tileir.Bytecode.parse(DATA), ["sm_90", "sm_80"])


def made() -> dict:
    return model(DATA, "matmul.tileirbc", folder=ROOT, kernels=records())


def texts(page: Any, pane: str, kind: str) -> list[str]:
    """The lines of a pane that are lit up in a way."""
    found = page.locator(f"[data-pane=kernel-{pane}] .row.{kind} .code").all_inner_texts()
    return [" ".join(line.split()) for line in found]


def test_a_kernel_is_shown_in_all_its_forms(report: Any) -> None:
    page = report(made())
    assert page.locator(".kernels").is_visible()
    assert not page.locator(".panes").is_visible()
    about = page.locator("section.about")
    page.click(".shown >> text=PTX")
    for sentence in records()[0]["verdict"]:
        assert sentence in about.inner_text()
    page.evaluate(f"location.hash = '#op={PRODUCT}'")
    page.wait_for_selector("[data-pane=kernel-ptx] .row.selected")
    listing = records()[0]["ptx"]
    own = {
        " ".join(line.split())
        for line, op in zip(listing["lines"], listing["ops"], strict=True)
        if op == PRODUCT
    }
    shown = texts(page, "ptx", "selected")
    assert shown
    assert set(shown) <= own
    assert "mmaf" in texts(page, "text", "selected")[0]
    assert "ct.mma(" in texts(page, "source", "selected")[0]
    assert page.evaluate("TileIRReport.view.selected.op") == PRODUCT

    store = records()[0]["ptx"]["ops"].index(NAMES.index("store_view_tko"))
    page.evaluate("at => TileIRReport.view.panes['kernel-ptx'].list.reveal(at)", store)
    page.hover(f"[data-pane=kernel-ptx] .row[data-row='{store}']")
    assert "store_view_tko" in texts(page, "text", "hot")[0]
    assert "ct.store(" in texts(page, "source", "hot")[0]

    (finding,) = records()[0]["findings"]
    file = made()["files"][0]
    op = finding["ops"][0]
    card = page.locator(".finding")
    assert file["texts"][file["ops"]["location"][op]] in card.locator(".go").first.inner_text()
    row = file["sources"][0]["rows"][file["sources"][0]["frames"].index(file["ops"]["frame"][op])]
    line = file["sources"][0]["lines"][row].strip()
    assert card.locator(".finding-code").inner_text() == line
    page.click(".finding .go")
    assert page.evaluate("location.hash") == f"#op={op}"
    page.click("text=matmul on sm_80")
    assert "matmul on sm_80" in page.locator(".about h2").inner_text()
    first = page.locator("[data-pane=kernel-ptx] .row .code").all_inner_texts()
    assert records()[1]["ptx"]["ops"] != listing["ops"]
    assert first
    page.focus("[data-pane=kernel-text]")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("TileIRReport.view.selected.op") == 0

    page.click(".modes button >> text=File")
    assert not page.locator(".kernels").is_visible()
    assert page.locator("[data-pane=text] .row.selected").count() == 1
    page.evaluate("location.hash = '#byte=0x8'")
    page.click(".modes button >> text=Kernels")
    assert page.locator(".kernels").is_visible()


def spoilt(value: Any, text: str) -> Any:
    """A record with a hostile text in front of each of its own."""
    if isinstance(value, str):
        return text + value
    if isinstance(value, list):
        return [spoilt(each, text) for each in value]
    if isinstance(value, dict):
        return {key: spoilt(each, text) for key, each in value.items()}
    return value


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_text_of_a_kernel_is_believed(report: Any, axe: str, scheme: str) -> None:
    """All texts of a record are hostile; scripts, policy and requests are watched."""
    hostile = "".join(SCRIPTS) + "\u202e\x07"
    rows = spoilt(records()[:1], hostile)
    page = report(model(DATA, "k", kernels=rows), color_scheme=scheme)
    shown = page.locator("#report").inner_text()
    assert "<script>alert(1)</script>" in shown
    assert "\\u202e\\x07" in shown
    assert "\u202e" not in shown
    assert page.locator("#report :is(script, img, iframe, a, svg:not(.picture))").count() == 0
    plain = report(made(), color_scheme=scheme)
    plain.evaluate(axe)
    found = plain.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_places_of_a_finding_are_told_once(report: Any) -> None:
    """Ops at one place have one button, which lights up all; without debug records it is a line."""
    (record,) = deepcopy(records()[:1])
    file = made()["files"][0]
    places = [file["texts"][file["frames"]["location"][at]] for at in file["ops"]["frame"]]
    place = max(places, key=places.count)
    same = [op for op, each in enumerate(places) if each == place]
    assert len(same) > 1
    record["findings"][0]["ops"] = [PRODUCT, *same]
    page = report(model(DATA, "k", kernels=[record]))
    buttons = page.locator(".finding .go")
    assert [text.startswith(at) for text, at in zip(
        buttons.all_inner_texts(), (places[PRODUCT], place), strict=True
    )] == [True, True]  # fmt: skip
    assert f"{len(same)} ops" in buttons.last.inner_text()
    buttons.last.click()
    assert page.evaluate("[...TileIRReport.view.selected.ops]") == same

    plain = bytes(strip(tileir.Bytecode.parse(DATA)).data)
    page = report(model(plain, "k", kernels=[record]))
    line = page.evaluate(f"TileIRReport.view.data.ops.line[{PRODUCT}]")
    assert buttons_of(page)[0].startswith(f"line {line + 1} of the text")
    assert "mmaf" in page.locator(".finding-code").inner_text()


def buttons_of(page: Any) -> list[str]:
    return page.locator(".finding .go").all_inner_texts()


def test_of_many_kernels_there_is_a_list(report: Any) -> None:
    """Five records, which buttons would hide the verdict of; keys go on where one was chosen."""
    many = [{**records()[0], "target": f"sm_{number}"} for number in range(90, 95)]
    page = report(model(DATA, "k", kernels=many))
    assert page.locator(".about .choices").count() == 0
    page.locator(".about").get_by_label("kernel", exact=True).select_option("3")
    assert page.locator(".about h2").inner_text() == "matmul on sm_93"
    page.keyboard.press("ArrowDown")
    assert page.locator(".about h2").inner_text() == "matmul on sm_94"
    page.click(".modes button >> text=Pictures")
    page.locator(".drawings").get_by_label("kernel", exact=True).select_option("0")
    assert page.locator(".drawings h2").inner_text() == "matmul on sm_90"


def test_what_to_change_stands_above_the_figures(report: Any) -> None:
    """On each screen, who opens the page sees a finding with its fix, and need not scroll."""
    (finding,) = records()[0]["findings"]
    for width, height in ((1400, 900), (900, 900), (390, 844)):
        page = report(made(), viewport={"width": width, "height": height})
        page.mouse.move(2, 2)
        fix = page.locator(".finding p", has_text=finding["fix"]).bounding_box()
        about = page.locator("section.about").bounding_box()
        assert fix["y"] + fix["height"] < min(height, about["y"] + about["height"])
        figures = page.locator("section.about p", has_text="registers a thread").bounding_box()
        assert fix["y"] < figures["y"]


def test_a_search_goes_through_the_listings_of_a_kernel(report: Any) -> None:
    page = report(made())
    page.click(".shown >> text=PTX")
    word, record = "mbarrier.try_wait", records()[0]
    inside = [at for at, line in enumerate(record["ptx"]["lines"]) if word in line]
    assert inside
    page.locator(".search").fill(word)
    assert page.locator(".tools .count").inner_text() == f"1 of {len(inside)}"
    for at in inside:
        found = page.locator("[data-pane=kernel-ptx] .row.found")
        assert found.get_attribute("data-row") == str(at)
        assert found.is_visible()
        page.keyboard.press("Enter")
    page.locator(".search").fill(".reqntid")  # a line of no op
    assert ".reqntid" in page.locator(".row.found .code").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".row.found").count() == 0


def test_the_file_shows_what_was_selected_in_a_kernel(report: Any) -> None:
    page = report(made(), hash=f"#op={PRODUCT}")
    page.get_by_role("button", name="File", exact=True).click()
    for pane in ("tree", "text"):
        assert "mmaf" in page.locator(f".panes [data-pane={pane}] .row.selected").inner_text()


def test_paper_has_the_findings_and_no_panes(report: Any) -> None:
    page = report(made())
    assert page.pdf().startswith(b"%PDF-")
    page.emulate_media(media="print")
    assert not page.locator(".kernels").is_visible()
    (finding,) = records()[0]["findings"]
    paper = page.locator(".paper").inner_text()
    assert finding["fix"] in paper
    assert finding["why"] in paper


def test_of_a_product_its_matrix_instruction_is_in_sight(report: Any) -> None:
    """What moves operands to it comes first in the code, and may be longer than a pane."""
    page = report(model(DATA, "matmul.tileirbc", kernels=records()[1:]))
    for pane, word in (("ptx", "mma.sync"), ("sass", "HMMA")):
        rows = page.locator(f"[data-pane=kernel-{pane}] .row.selected", has_text=word)
        body = page.locator(f"[data-pane=kernel-{pane}]").bounding_box()
        row = rows.first.bounding_box()
        assert body["y"] <= row["y"] < body["y"] + body["height"]


def test_what_a_gpu_cannot_do_leads_to_its_ops(report: Any) -> None:
    data = (FIXTURES / "13.5" / "multimem.tileirbc").read_bytes()
    module = tileir.Bytecode.parse(data)
    (record,) = kernels(module, ["sm_75"])
    page = report(model(data, "k.tileirbc", kernels=[record]))
    (line,) = [each for each in record["verdict"] if "multimem_store_view_tko" in each]
    page.locator("section.about p", has_text=line).locator(".go").click()
    names = [op.name for op in module.functions[0].walk()]
    at = names.index("multimem_store_view_tko")
    assert page.evaluate("TileIRReport.view.selected.op") == at
