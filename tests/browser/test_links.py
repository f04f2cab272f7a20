"""What one points at lights up in all panes, and the address names what is selected."""

from __future__ import annotations

from typing import Any

import pytest

import tileir
from tests.corpus import NEWEST, ROOT
from tileir.report.model import model

KERNEL = NEWEST["vector_add"]
DATA = KERNEL.read_bytes()
OPS = [op for function in tileir.Bytecode.parse(DATA).functions for op in function.walk()]
LINES = tileir.disassemble(DATA).splitlines()
ADDF = next(number for number, op in enumerate(OPS) if op.name == "addf")


def op_line(number: int) -> int:
    """The line of an op that no other line looks like."""
    (line,) = [at for at, text in enumerate(LINES) if f" {OPS[number].spec.mnemonic} " in text]
    return line


def numbers(page: Any, selector: str) -> list[int]:
    """The offsets of the bytes that a selector finds."""
    script = "cells => cells.map(cell => Number(cell.dataset.offset))"
    return page.locator(f".hex .cells {selector}").evaluate_all(script)


def text(page: Any, selector: str) -> list[str]:
    return page.locator(selector).all_inner_texts()


def test_the_page_opens_from_a_file(report: Any) -> None:
    page = report(DATA, KERNEL.name)
    assert page.locator("h1").inner_text() == KERNEL.name
    said = page.locator(".said").inner_text()
    assert f"Tile IR {tileir.Bytecode.parse(DATA).version}" in said
    assert f"{len(DATA):,} bytes" in said
    assert f"{len(OPS)} ops" in said
    shown = [line.strip() for line in text(page, "[data-pane=text] .row .code")]
    assert shown == [line.strip() for line in LINES[: len(shown)]]
    cells = page.locator(".hex .cells .byte").all_inner_texts()[:64]
    assert bytes.fromhex("".join(cells)) == DATA[:64]


def test_a_byte_lights_up_its_field_and_its_line(report: Any) -> None:
    page = report(DATA)
    offset = OPS[ADDF].offset
    page.evaluate("at => TileIRReport.view.hex.list.reveal(at >> 4)", offset)
    page.hover(f".cells [data-offset='{offset}']")
    assert numbers(page, ".hot") == [offset]
    assert "opcode" in text(page, ".tree .row.hot")[0]
    (line,) = text(page, "[data-pane=text] .row.hot .code")
    assert line.strip() == LINES[op_line(ADDF)].strip()
    assert "addf" in page.locator(".details").inner_text()


def test_a_line_selects_its_bytes(report: Any) -> None:
    page = report(DATA)
    page.click(f"[data-pane=text] .row[data-row='{op_line(ADDF)}']")
    end = OPS[ADDF + 1].offset
    assert numbers(page, ".selected") == [*range(OPS[ADDF].offset, end)]
    assert "addf" in text(page, ".tree .row.selected")[0]
    assert page.url.endswith(f"#op={ADDF}")
    page.mouse.move(5, 5)
    assert numbers(page, ".selected")[0] == OPS[ADDF].offset  # kept when one points elsewhere


def test_a_field_selects_its_bytes_and_its_line(report: Any) -> None:
    page = report(DATA, hash=f"#op={ADDF}")
    page.locator(".tree .row.of-op", has_text="rounding_mode").click()
    (at,) = numbers(page, ".selected")
    assert OPS[ADDF].offset < at < OPS[ADDF + 1].offset
    assert page.url.endswith(f"#byte={at:#x}")
    details = page.locator(".details").inner_text()
    assert "nearest_even" in details
    assert f"{at:#x}" in details
    assert page.locator("[data-pane=text] .row.selected").count() == 1


def test_a_field_leads_to_the_entry_that_it_names(report: Any) -> None:
    page = report(DATA, hash=f"#op={ADDF}")
    page.locator(".tree .row.of-op", has_text="result_types").click()
    page.get_by_role("button", name="go to types").click()
    assert "type[" in page.locator(".details").inner_text()
    section = next(one for one in tileir.Bytecode.parse(DATA).sections if one.name == "Type")
    start = section.payload.offset
    assert set(numbers(page, ".selected")) <= {*range(start, start + section.size)}


def test_a_value_lights_up_wherever_it_is_used(report: Any) -> None:
    page = report(DATA)
    row = page.locator(f"[data-pane=text] .row[data-row='{op_line(ADDF)}']")
    value = row.locator(".w-value").nth(1)
    name = value.inner_text()
    value.hover()
    same = text(page, "[data-pane=text] .same")
    assert set(same) == {name}
    uses = sum(f"{name}," in line or f"{name} " in line for line in LINES)
    assert len(same) == uses >= 2


def test_an_address_names_an_op_or_a_byte(report: Any) -> None:
    page = report(DATA, hash=f"#op={ADDF}")
    assert numbers(page, ".selected")[0] == OPS[ADDF].offset
    page.evaluate("location.hash = '#byte=0x9'")
    page.wait_for_selector(".cells [data-offset='9'].at")
    assert numbers(page, ".at") == [9]


@pytest.mark.parametrize("hash", ["#op=99999", "#byte=-1", "#byte=0xffffffff", "#<b>", "#op=%00"])
def test_an_address_of_nothing_selects_nothing(report: Any, hash: str) -> None:
    page = report(DATA, hash=hash)
    assert numbers(page, ".selected") == []


def test_sections_are_a_click_away(report: Any) -> None:
    page = report(DATA)
    for section in tileir.Bytecode.parse(DATA).sections:
        page.locator(".legend .chip", has_text=section.name).click()
        within = numbers(page, ".selected")
        assert within
        assert within[-1] < section.payload.offset + section.size
    box = page.locator(".bar").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + 5)
    assert numbers(page, ".at")[0] >= len(DATA) * 0.95


def test_tables_list_what_the_file_has(report: Any) -> None:
    page = report(DATA)
    bytecode = tileir.Bytecode.parse(DATA)
    page.click("[role=tab][data-tab=types]")
    rows = text(page, "[data-pane=types] .row .code")
    assert rows == [str(each) for each in bytecode.types][: len(rows)]
    assert len(rows) > 5
    page.click("[role=tab][data-tab=strings]")
    row = page.locator("[data-pane=strings] .row", has_text='"vector_add"')
    row.click()
    at = numbers(page, ".selected")
    assert DATA[at[0] : at[-1] + 1] == b"vector_add"


def test_a_line_of_source_lights_up_all_its_ops(report: Any) -> None:
    made = model(DATA, "k", folder=ROOT)
    (source,) = made["files"][0]["sources"]
    page = report(made)
    page.click("[role=tab][data-tab=source]")
    row_of = dict(zip(source["frames"], source["rows"], strict=True))
    rows = [row_of.get(frame) for frame in made["files"][0]["ops"]["frame"]]
    row = rows[ADDF]
    page.evaluate("row => TileIRReport.view.panes.source.list.reveal(row)", row + 1)
    line = page.locator(f"[data-pane=source] .row[data-row='{row + 1}']")
    assert line.locator(".code").inner_text().strip() == source["lines"][row].strip()
    ops = {op for op, at in enumerate(rows) if at == row}
    assert str(len(ops)) in line.locator(".uses").inner_text()
    line.click()
    page.mouse.move(5, 5)
    ends = made["files"][0]["ops"]["end"]
    lit = {*numbers(page, ".of-op"), *numbers(page, ".selected")}
    assert lit == {at for op in ops for at in range(OPS[op].offset, ends[op])}
    page.click("[role=tab][data-tab=text]")
    page.click(f"[data-pane=text] .row[data-row='{op_line(ADDF)}']")
    page.click("[role=tab][data-tab=source]")
    chosen = page.locator("[data-pane=source] .row.selected .code").inner_text()
    assert chosen.strip() == source["lines"][row].strip()


def test_nodes_fold(report: Any) -> None:
    page = report(DATA)
    before = page.evaluate("TileIRReport.view.tree.rows.length")
    page.get_by_role("button", name="fold", exact=True).click()
    folded = page.evaluate("TileIRReport.view.tree.rows.length")
    page.get_by_role("button", name="unfold").click()
    unfolded = page.evaluate("TileIRReport.view.tree.rows.length")
    assert folded < before <= unfolded
    arrow = page.locator(".tree .row.l0 .fold").first
    arrow.click()
    assert page.evaluate("TileIRReport.view.tree.rows.length") < unfolded
    assert page.locator(".tree .row.l0").first.get_attribute("aria-expanded") == "false"


def test_search_finds_text_and_bytes(report: Any) -> None:
    page = report(DATA)
    status = page.locator(".count")
    page.keyboard.press("/")
    page.keyboard.type("addf")
    assert status.inner_text().startswith("1 of ")
    assert numbers(page, ".selected")[0] == OPS[ADDF].offset
    page.keyboard.press("Enter")
    assert status.inner_text().startswith("2 of ")
    page.keyboard.press("Shift+Enter")
    assert status.inner_text().startswith("1 of ")
    page.locator(".search").fill("0x1F")
    assert numbers(page, ".at") == [0x1F]
    page.locator(".search").fill("no such thing")
    assert status.inner_text() == "nothing found"
    page.keyboard.press("Escape")
    assert page.locator(".search").input_value() == ""


def test_all_is_done_by_keys(report: Any) -> None:
    page = report(DATA, hash="#byte=0x20")
    page.focus("[data-pane=hex]")
    for key, at in (("ArrowRight", 0x21), ("ArrowDown", 0x31), ("End", len(DATA) - 1), ("Home", 0)):
        page.keyboard.press(key)
        assert numbers(page, ".at") == [at]
    page.focus("[data-pane=text]")
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    row = page.locator("[data-pane=text] .row.selected")
    active = page.locator("[data-pane=text]").get_attribute("aria-activedescendant")
    assert row.get_attribute("id") == active
    page.focus("[data-pane=tree]")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".tree .row.selected").get_attribute("aria-expanded") == "false"
    page.focus("[role=tab][aria-selected=true]")
    page.keyboard.press("ArrowRight")
    assert page.locator("[role=tab][aria-selected=true]").get_attribute("data-tab") == "types"
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()


def test_every_control_is_reached_by_tab(report: Any) -> None:
    page = report(DATA)
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        script = "e => e.dataset.pane || e.dataset.tab || e.className || e.tagName"
        reached.add(
            page.locator(":focus").evaluate(script) if page.locator(":focus").count() else ""
        )
    assert {"hex", "tree", "text", "search", "theme", "help", "chip", "small"} <= reached


def test_the_way_back_leads_to_what_was_selected_before(report: Any) -> None:
    """Links are steps of the browser's history; what one points and clicks at in panes is none."""
    page = report(DATA, hash=f"#op={ADDF}")
    page.click("[data-pane=text] .row[data-row='3']")
    before = page.evaluate("location.hash")
    page.locator(".values .go").first.click()
    assert page.evaluate("location.hash") not in (before, f"#op={ADDF}")
    page.go_back()
    page.wait_for_function("hash => location.hash === hash", arg=before)
    assert page.evaluate("TileIRReport.view.selected.op") == int(before.partition("=")[2])
