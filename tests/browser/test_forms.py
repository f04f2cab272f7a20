"""The forms of a kernel beside each other: stages, both compilers, frames, costs, panes."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

import tileir
from tests.browser.test_kernels import PRODUCT, made, records, texts
from tests.corpus import NEWEST, ROOT
from tileir.report.kernels import kernels
from tileir.report.model import model

LOAD = PRODUCT - 2


@cache
def inlined() -> dict:
    """A kernel with functions that were inlined."""
    data = NEWEST["helper_calls"].read_bytes()
    found = kernels(tileir.Bytecode.parse(data), ["sm_80"])
    return model(data, "helper_calls.tileirbc", folder=ROOT, kernels=found)


def lit(page: Any, pane: str, kind: str) -> list[int]:
    """The rows of a pane that are lit up in a way, of those in sight."""
    rows = page.locator(f"[data-pane=kernel-{pane}] .row.{kind}")
    return rows.evaluate_all("rows => rows.map(row => Number(row.dataset.row))")


def test_stages_are_chosen_and_linked(report: Any) -> None:
    page = report(made(), hash=f"#op={PRODUCT}")
    steps = records()[0]["stages"]["steps"]
    chooser = page.get_by_label("stage", exact=True)
    names = [step["name"] for step in steps]
    last = max(at for at, step in enumerate(steps) if step["lines"])
    assert chooser.input_value() == str(last)
    assert any("mma_async" in line for line in texts(page, "stages", "selected"))
    chooser.select_option(str(names.index("to_block_ir")))
    said = " ".join(texts(page, "stages", "selected"))
    assert "mmaf" in said or "mma" in said
    assert (
        page.locator(".note")
        .first.inner_text()
        .startswith(steps[names.index("to_block_ir")]["headline"][:1].upper())
    )
    changed = [at for at, step in enumerate(steps) if step["lines"]]
    at = changed.index(names.index("to_block_ir"))
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("]")
    assert chooser.input_value() == str(changed[at + 1])
    page.get_by_label("stage before that changed something").click()
    page.keyboard.press("[")
    assert chooser.input_value() == str(changed[at - 1])
    assert page.locator("option:disabled").count() == len(steps) - len(changed)
    row = page.locator("[data-pane=kernel-stages] .row", has_text="load_view_tko").first
    row.hover()
    assert "load_view_tko" in texts(page, "text", "hot")[0]
    first = page.locator("[data-pane=kernel-stages] .row .code").first
    page.evaluate("TileIRReport.view.panes['kernel-stages'].list.element.scrollTop = 0")
    assert not first.inner_text().startswith("// How to read")
    page.click("text=how to read")
    page.evaluate("TileIRReport.view.panes['kernel-stages'].list.element.scrollTop = 0")
    page.locator("[data-pane=kernel-stages]", has_text="How to read").wait_for()


def test_machine_code_is_ours_or_that_of_tileiras(report: Any) -> None:
    """Lines, links and costs are those of whoever is chosen."""
    page = report(made(), hash=f"#op={LOAD}")
    record = records()[0]
    for maker, listing, cost in (
        ("tileiras", record["tileiras"]["sass"], record["tileiras"]["cost"]),
        ("ours", record["sass"], record["cost"]),
    ):
        page.click(f".makers >> text={maker}")
        own = {at for at, op in enumerate(listing["ops"]) if op == LOAD}
        rows = lit(page, "sass", "selected")
        assert rows
        assert set(rows) <= own
        total = f"{sum(cost['instructions']):,} instructions"
        assert total in page.locator(".pane.kernel-sass .note").inner_text()
        count = cost["instructions"][cost["op"].index(LOAD)]
        cell = page.locator("[data-pane=kernel-text] .row.selected .cost")
        assert cell.inner_text() == str(count)
        bar = cell.evaluate("cell => parseFloat(cell.style.getPropertyValue('--all'))")
        assert bar == pytest.approx(
            100 * count / max(n for op, n in pairs(cost) if op >= 0), abs=0.1
        )


def pairs(cost: dict) -> list[tuple[int, int]]:
    """Ops and their instructions."""
    return list(zip(cost["op"], cost["instructions"], strict=True))


def test_the_most_expensive_lines_are_sums_of_ops(report: Any) -> None:
    page = report(made())
    file, cost = made()["files"][0], records()[0]["cost"]
    (source,) = file["sources"]
    row_of = dict(zip(source["frames"], source["rows"], strict=True))
    total, inside = Counter[int](), Counter[int]()
    for op, count, again in zip(cost["op"], cost["instructions"], cost["looped"], strict=True):
        row = row_of.get(file["ops"]["frame"][op]) if op >= 0 else None
        if row is not None:
            total[row] += count
            inside[row] += again
    order = sorted(total, key=lambda row: (-inside[row], -total[row], row))[:8]
    rows = page.locator(".dearest tr").all()[1:]
    assert [row.locator("td").all_inner_texts() for row in rows] == [
        [str(inside[row]), str(total[row])] for row in order
    ]
    rows[0].locator("button").click()
    line = source["lines"][order[0]].strip()
    assert texts(page, "source", "selected") == [" ".join(line.split())]
    assert "not time" in page.locator(".caption").inner_text()


def test_frames_are_a_stack_of_links(report: Any) -> None:
    file = inlined()["files"][0]
    (source,) = file["sources"]
    row_of = dict(zip(source["frames"], source["rows"], strict=True))
    callers = file["frames"]["caller"]

    def stack(op: int) -> list[int]:
        found, frame = [], file["ops"]["frame"][op]
        while frame >= 0:
            found.append(frame)
            frame = callers[frame]
        return found

    op = max(range(len(file["ops"]["frame"])), key=lambda op: len(stack(op)))
    page = report(inlined(), hash=f"#op={op}")
    frames = page.locator(".stack .frame")
    assert ["inlined into" in text for text in frames.all_inner_texts()] == [False, True, True]
    outer = row_of[stack(op)[-1]]
    frames.last.click()
    assert page.evaluate("TileIRReport.view.selected.op") == op
    (shown,) = lit(page, "source", "selected")
    assert shown == outer + 1
    assert page.locator(".stack .frame").count() == 3
    page.locator(f"[data-pane=kernel-source] .row[data-row='{shown}']").hover()
    through = {
        each
        for each in range(len(file["ops"]["frame"]))
        if any(row_of.get(frame) == outer for frame in stack(each))
    }
    assert len(through) > 5
    lines = {file["ops"]["line"][each] for each in through} - {-1}
    hot = set(lit(page, "text", "hot"))
    assert len(hot) > 5
    assert hot <= lines


def test_panes_are_chosen_and_resized(report: Any, axe: str) -> None:
    page = report(made(), viewport={"width": 1400, "height": 900})
    names = page.locator(".shown button").all_inner_texts()
    assert names == ["Source", "Tile IR", "Stages", "PTX", "Machine code"]

    def boxes() -> list[dict]:
        return [
            pane.bounding_box()
            for pane in page.locator(".kernels .pane").all()
            if pane.is_visible()
        ]

    assert len(boxes()) == 4
    for button, count in (("PTX", 5), ("Source", 4), ("Stages", 3), ("Tile IR", 2), ("PTX", 1)):
        page.click(f".shown >> text={button}")
        assert len(boxes()) == count
        room = page.locator(".kernels").bounding_box()
        covered = sum(box["width"] * box["height"] for box in boxes())
        about = page.locator("section.about").bounding_box()
        assert covered > 0.9 * (room["width"] - about["width"]) * (room["height"] - 40)
        assert all(box["x"] + box["width"] <= 1400.5 for box in boxes())
    page.click(".shown >> text=Machine code")
    assert len(boxes()) == 1
    page.click(".shown >> text=PTX")
    before = boxes()[0]["width"]
    bar = page.get_by_label("width of the left panes")
    bar.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    wider = boxes()[0]["width"]
    assert wider > before + 20
    box = bar.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] - 150, box["y"] + 100)
    page.mouse.up()
    assert boxes()[0]["width"] == pytest.approx(wider - 150, abs=20)
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_no_tab_is_cut_off(report: Any) -> None:
    page = report(made(), viewport={"width": 1400, "height": 900})
    page.click(".modes button >> text=File")
    room = page.locator(".tabs").bounding_box()
    for tab in page.locator("[role=tab]").all():
        box = tab.bounding_box()
        assert box["x"] + box["width"] <= room["x"] + room["width"]
        assert box["y"] + box["height"] <= room["y"] + room["height"] + 1
