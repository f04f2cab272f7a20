"""From one place of a file to the next: operands, uses, problems, differences; copies."""

from __future__ import annotations

from typing import Any

import pytest

import tileir
from tests.browser.subjects import attention, broken, library
from tests.corpus import FIXTURES, NEWEST
from tileir.report.comparison import comparison
from tileir.report.model import model

KERNEL = NEWEST["matmul"]
DATA = KERNEL.read_bytes()


def ops_of(data: bytes) -> list[Any]:
    """The ops of a file, in its order."""
    return [op for function in tileir.Bytecode.parse(data).functions for op in function.walk()]


def selected(page: Any) -> int:
    """The number of the op that is selected."""
    return page.evaluate("TileIRReport.view.selected.op")


def links(page: Any, word: str) -> Any:
    """The buttons of the details behind a word."""
    return page.locator(f".values dt:text-is('{word}') + dd button")


def test_an_operand_leads_to_the_op_that_makes_it(report: Any) -> None:
    page, ops = report(attention(), hash="#op=0"), ops_of(attention())
    at = next(at for at, op in enumerate(ops) if op.name == "mmaf")
    page.evaluate("at => { location.hash = '#op=' + at; }", at)
    links(page, "from").first.wait_for()
    makers = list(dict.fromkeys(ops.index(value.owner) for value in ops[at].operand_list()))
    assert links(page, "from").count() == len(makers) == 3
    for number, maker in enumerate(makers):
        assert ops[maker].name in links(page, "from").nth(number).inner_text()
        links(page, "from").nth(number).click()
        assert selected(page) == maker
        assert page.url.endswith(f"#op={maker}")
        assert page.evaluate("at => TileIRReport.view.goTo('#op=' + at)", at)


def test_a_result_leads_to_the_ops_that_use_it(report: Any) -> None:
    ops = ops_of(DATA)
    at = next(at for at, op in enumerate(ops) if op.name == "make_tensor_view")
    page = report(DATA, hash=f"#op={at}")
    users = [number for number, op in enumerate(ops) if ops[at].result in op.operand_list()]
    assert links(page, "used by").count() == len(users) > 1
    links(page, "used by").nth(1).click()
    assert selected(page) == users[1]
    assert page.locator("[data-pane=text] .row.selected").count() == 1


def test_a_parameter_leads_to_its_function(report: Any) -> None:
    page = report(DATA, hash="#op=1")
    links(page, "from").click()
    assert "entry @matmul" in page.locator("[data-pane=text] .row.selected").inner_text()


def test_bytes_are_copied(report: Any) -> None:
    page = report(DATA, hash="#op=9")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    op = ops_of(DATA)[9]
    end = ops_of(DATA)[10].offset
    page.locator(".details .copy").click()
    page.locator(".details .copy", has_text="copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == DATA[op.offset : end].hex(" ")
    page.evaluate("location.hash = '#byte=0x0'")
    page.wait_for_selector(".cells .at")
    page.keyboard.press("c")
    page.locator(".details .copy", has_text="copied").wait_for()
    assert bytes.fromhex(page.evaluate("navigator.clipboard.readText()")) == b"\x7fTileIR\0"


def test_a_search_filters_the_tables(report: Any) -> None:
    page = report(DATA)
    types = [str(each) for each in tileir.Bytecode.parse(DATA).types]
    tab, rows = page.locator("[data-tab=types]"), page.locator("[data-pane=types] .row .code")
    tab.click()
    page.locator(".search").fill("F16")
    left = [one for one in types if "f16" in one]
    assert rows.all_inner_texts() == left
    assert 0 < len(left) < len(types)
    assert f"{len(left)} of {len(types)}" in tab.evaluate("tab => tab.textContent")
    page.locator("[data-pane=types] .row").nth(1).click()
    assert left[1] in page.locator(".details").inner_text()
    page.locator(".search").fill("no such type")
    assert rows.count() == 0
    said = "getComputedStyle(document.querySelector('[data-pane=types]'), '::before').content"
    assert page.evaluate(said) == '"Nothing here has this text."'
    page.locator(".search").fill("")
    assert rows.count() == len(types)


def test_a_broken_file_opens_at_its_first_problem(report: Any) -> None:
    made = model(broken(), "k")
    at = made["files"][0]["problems"][0]["offset"]
    page = report(made)
    assert page.locator(f".cells [data-offset='{at}'].selected.error").is_visible()
    assert "unknown op" in page.locator(".tree").inner_text()
    assert "opcode" in page.locator(".tree .row.selected").inner_text()
    assert page.locator("[data-pane=problems] .row.selected").count() == 1
    assert "expected a known opcode" in page.locator(".details").inner_text()
    assert "#" not in page.url
    page.click("[data-tab=text]")
    page.click(".badge.error")
    assert page.locator("[data-pane=problems]").is_visible()


def test_one_steps_through_the_differences(report: Any) -> None:
    text = tileir.disassemble(DATA)
    changed = text.replace("div_by<16>, %arg0", "div_by<8>, %arg0").replace("<i32: 0>", "<i32: 2>")
    other = tileir.assemble(changed, tileir.Bytecode.parse(DATA).version).build()
    made = comparison((DATA, "a.tileirbc"), (other, "b.tileirbc"))
    marks = [row[0] for row in made["diff"]["rows"]]
    groups = [
        at for at, mark in enumerate(marks) if mark != " " and (not at or marks[at - 1] == " ")
    ]
    assert len(groups) > 1
    page = report(made)
    said = page.locator(".actions .count")
    assert said.inner_text() == f"{len(groups)} differences"
    chosen = page.locator("[data-pane=diff] .row.selected")
    for number, at in enumerate(groups):
        page.get_by_role("button", name="next", exact=True).click()
        assert said.inner_text() == f"{number + 1} of {len(groups)} differences"
        assert str(at) in chosen.evaluate_all("rows => rows.map(row => row.dataset.row)")
    page.get_by_role("button", name="previous").click()
    assert said.inner_text().startswith(f"{len(groups) - 1} of ")
    page.focus("[data-pane=diff]")
    page.keyboard.press("PageDown")
    assert said.inner_text().startswith(f"{len(groups)} of ")
    page.click("[role=tab][data-tab=text]")
    assert not said.is_visible()


@pytest.mark.parametrize("width", [1400, 1000, 390])
def test_no_tab_is_cut_off(report: Any, width: int) -> None:
    page = report(library(), viewport={"width": width, "height": 900})
    for tab in page.get_by_role("tab").all():
        box = tab.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    page.get_by_role("tab", name="Debug").click()
    assert page.locator("[data-pane=debug] .row").first.is_visible()


def test_panes_fill_a_window_that_grows(report: Any) -> None:
    page = report(library(), viewport={"width": 1400, "height": 500})
    rows = "document.querySelectorAll('[data-pane=text] .row').length"
    before = page.evaluate(rows)
    page.set_viewport_size({"width": 1400, "height": 1400})
    page.locator("[data-pane=text] .row").nth(before + 39).wait_for(state="attached")
    last = page.locator("[data-pane=text]").bounding_box()
    assert last["y"] + last["height"] > 1200


def test_a_finger_on_a_phone_sees_what_it_touched(report: Any) -> None:
    size = {"width": 390, "height": 844}
    page = report(DATA, viewport=size, has_touch=True, is_mobile=True)
    page.locator(".cells [data-offset='0']").tap()
    details = page.locator(".details")
    assert "magic" in details.inner_text()
    box = details.bounding_box()
    assert box["y"] + box["height"] <= size["height"] + 1
    byte = page.locator(".cells [data-offset='15']").bounding_box()
    assert byte["x"] + byte["width"] <= size["width"]  # all sixteen of a row


def test_two_versions_of_a_file_show_the_flag_that_one_has(report: Any) -> None:
    paths = [FIXTURES / version / "integer_flags.tileirbc" for version in ("13.1", "13.4")]
    page = report(comparison(*[(path.read_bytes(), path.name) for path in paths]))
    page.get_by_role("button", name="next", exact=True).click()
    assert "overflow: none -> no_signed_wrap" in page.locator("[data-pane=diff]").inner_text()
