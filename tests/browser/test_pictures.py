"""Pictures of kernels: what is drawn is what the model says, and is linked with the text."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import pytest

import tileir
from tests.browser.test_kernels import DATA, NAMES, PRODUCT, records, spoilt
from tests.tileir.report.hostile import SCRIPTS
from tileir.codegen.block.bank_conflicts import turns
from tileir.report.model import model
from tileir.report.pictures.footprints import footprints

LOAD = NAMES.index("load_view_tko")


@cache
def launched() -> dict:
    """The kernel that has roles, with the footprints of a launch."""
    values: list[Any] = []
    for shape in ((256, 128), (128, 256), (256, 256)):
        values += [np.zeros(shape, np.float16), *shape, shape[1], 1]
    module = tileir.Bytecode.parse(DATA)
    made = footprints(module, "matmul", (4, 4), values, (1, 2, 0))
    return {**records()[0], "footprints": made}


def opened(report: Any, number: int, op: int, **options: Any) -> Any:
    """The page of one of the records, at the pictures of an op: the first has roles, the second no
    pipeline."""
    made = model(DATA, "matmul.tileirbc", kernels=[records()[1] if number else launched()])
    page = report(made, hash=f"#op={op}", **options)
    page.click(".modes button >> text=Pictures")
    page.wait_for_selector(".drawings .cell")
    return page


def cells(page: Any, place: str) -> dict[tuple[int, int], int]:
    """Row and column of the cells of a picture, and the numbers in them."""
    found = page.eval_on_selector_all(
        f"{place} .cell", "all => all.map((each) => [each.dataset.at, each.textContent])"
    )
    return {tuple(map(int, at.split(","))): int(text) for at, text in found}


def test_fragments_are_drawn_as_the_ptx_isa_has_them(report: Any) -> None:
    page = opened(report, 1, PRODUCT)
    a = cells(page, ".fragment[data-slot=lhs]")
    b = cells(page, ".fragment[data-slot=rhs]")
    c = cells(page, ".fragment[data-slot=acc]")
    assert a == {(r, k): r % 8 * 4 + k % 8 // 2 for r in range(16) for k in range(16)}
    assert b == {(k, n): n * 4 + k % 8 // 2 for k in range(16) for n in range(8)}
    assert c == {(r, n): r % 8 * 4 + n // 2 for r in range(16) for n in range(8)}

    page.hover(".fragment[data-slot=lhs] .cell[data-at='9,10']")
    said = page.locator(".fragment[data-slot=lhs] .picture-said")
    # row 9 = g + 8 and column 10 = 2 t + 8: groupID 1, threadID_in_group 1, a6
    assert said.inner_text() == "Element (9, 10): register 6 of lane 5"
    assert page.locator(".fragment[data-slot=lhs] .cell.lit").count() == 8
    page.focus(".fragment[data-slot=lhs] .picture-frame")
    page.keyboard.press("ArrowDown")
    assert said.inner_text().startswith("Element (10, 10): register 6 of lane 9")


def test_registers_and_banks_of_a_load(report: Any) -> None:
    """Rows of 32 elements go along lanes; bytes lie where the model's offsets put them."""
    page = opened(report, 1, LOAD)
    (layout,) = {each["layout"] for each in records()[1]["pictures"]["tiles"] if each["op"] == LOAD}
    shape = records()[1]["pictures"]["layouts"][layout]["shape"]
    assert f"{shape[0]} \u00d7 {shape[1]} elements" in page.locator(".drawings").inner_text()
    held = cells(page, ".drawings .of-tile:first-of-type")
    assert {at[1]: text for at, text in held.items() if at[0] == 0} == {n: n for n in range(32)}
    (access,) = [each for each in records()[1]["pictures"]["accesses"] if each["op"] == LOAD]
    order = records()[1]["pictures"]["memory"][access["memory"]]
    drawn = page.evaluate(
        """() => [...[...document.querySelectorAll(".of-tile")].at(-1).querySelectorAll(".cell")]
          .map((each) => [each.dataset.at, each.textContent])"""
    )
    assert len(drawn) >= 256
    for at, bank in drawn:
        row, column = map(int, at.split(","))
        element, byte = row * shape[1] + column * 4 // order["bytes"], 0
        for bit, offset in enumerate(order["offsets"]):
            byte ^= offset if element >> bit & 1 else 0
        assert int(bank) == byte // 4 % 32
    assert page.get_attribute(".of-access", "data-turns") == str(access["turns"])
    assert "no bank conflict" in page.locator(".of-access").inner_text()


def test_the_pipeline_is_that_of_the_model(report: Any) -> None:
    page = opened(report, 0, PRODUCT)
    (loop,) = records()[0]["pictures"]["loops"]
    (ring,) = {
        records()[0]["pictures"]["memory"][each["memory"]]["slots"] for each in loop["rings"]
    }
    names = page.locator(".pipeline .row-name").all_text_contents()
    assert names == [role["name"] for role in loop["roles"]]
    assert page.locator(".pipeline .row-more", has_text="slot ").count() == ring
    # A slot is read only when it has been filled, and filled again only when it has been released.
    steps = page.eval_on_selector_all(
        ".pipeline .step",
        """all => all.map((each) => [each.classList[1].slice(5), each.lastChild.textContent,
             Number(each.querySelector("rect").getAttribute("x"))])""",
    )
    at = {(kind, int(text.split()[-1])): x for kind, text, x in steps if text != "none yet"}
    waits = [turn for kind, turn in at if kind == "wait"]
    assert len(waits) >= 3
    for turn in waits:
        assert at["commit", turn] < at["wait", turn] < at["product", turn]
        if ("release", turn) in at and ("acquire", turn + ring) in at:
            assert at["release", turn] < at["acquire", turn + ring]
    assert page.locator(".pipeline .step.kind-product.selected").count() >= 3
    page.click(".pipeline .step.kind-copy >> nth=0")
    assert page.evaluate("TileIRReport.view.selected.op") == LOAD
    line = page.locator("[data-pane=pictures-text] .row.selected .code").inner_text()
    assert "load_view_tko" in line
    assert page.locator(".pipeline .step.kind-product.selected").count() == 0
    row = page.locator("[data-pane=pictures-text] .row", has_text="mmaf")
    row.hover()
    assert page.locator(".pipeline .step.kind-product.hot").count() >= 3
    page.click(".in-words summary")
    listed = page.locator(".steps li").all_inner_texts()
    assert [line.split(" ", 1)[1] for line in listed] == [
        step["text"] for role in loop["roles"] for step in role["steps"]
    ]


def test_a_kernel_without_a_pipeline_says_so(report: Any) -> None:
    page = opened(report, 1, PRODUCT)
    assert "No loop of this kernel works ahead" in page.locator(".drawings").inner_text()
    assert page.locator(".pipeline").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_who_cannot_see_pictures_is_told_of_them(report: Any, axe: str, scheme: str) -> None:
    """axe-core finds nothing; each picture has a name and a description."""
    page = opened(report, 0, PRODUCT, color_scheme=scheme)
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []
    for kind in ("title", "desc"):
        texts = page.locator(f".drawings svg > {kind}").all_text_contents()
        assert len(texts) == page.locator(".drawings svg").count() > 1
        assert all(texts)


def test_no_text_of_a_picture_is_believed(report: Any) -> None:
    hostile = "".join(SCRIPTS) + "\u202e\x07"
    page = report(model(DATA, "k", kernels=spoilt([launched()], hostile)), hash=f"#op={PRODUCT}")
    page.click(".modes button >> text=Pictures")
    page.wait_for_selector(".drawings .cell")
    shown = page.locator(".drawings").inner_text()
    assert "<script>alert(1)</script>" in shown
    assert "\u202e" not in shown
    assert page.locator(".drawings :is(script, img, iframe, a, svg:not(.picture))").count() == 0


def test_pictures_are_on_paper(report: Any) -> None:
    page = opened(report, 0, PRODUCT)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".paper svg.picture").count() >= 3
    assert page.locator(".paper .pipeline").is_visible()
    assert page.locator(".paper .footprint").count() == 3
    assert "acquire slot" in page.locator(".paper").inner_text()


@pytest.mark.parametrize("lanes", [[4, 8, 128, 256, 16], [2, 4, 8, 16, 512], [128] * 5], ids=str)
def test_conflicts_have_a_row_for_each_turn(report: Any, lanes: list[int]) -> None:
    """The client draws as many rows as the compiler counts turns."""
    (record,) = deepcopy(records()[1:2])
    access = next(each for each in record["pictures"]["accesses"] if each["op"] == LOAD)
    access |= {"lanes": lanes, "turns": turns(lanes, 4), "width": 4}
    page = report(model(DATA, "k", kernels=[record]), hash=f"#op={LOAD}")
    page.click(".modes button >> text=Pictures")
    page.wait_for_selector(".of-access")
    assert page.get_attribute(".of-access", "data-turns") == str(turns(lanes, 4))
    conflict = "no bank conflict" if turns(lanes, 4) == 1 else f"a {turns(lanes, 4)}-way bank"
    assert conflict in page.locator(".of-access").inner_text()


def test_footprints_are_where_the_model_has_them(report: Any) -> None:
    """A block of a matrix product reads rows and columns, which it shares with those beside it."""
    page = opened(report, 0, PRODUCT)
    assert page.locator(".footprint").count() == 3
    boxes = page.eval_on_selector_all(
        ".footprint .box.own rect",
        """all => all.map((each) => { const whole = each.closest("svg").querySelector(".array");
             const at = (of, name) => Number(of.getAttribute(name));
             return [at(each, "x") - 4, at(each, "y") - 4, at(each, "width"), at(each, "height")]
               .map((size, index) => size / at(whole, index % 2 ? "height" : "width")); })""",
    )
    expected = [[0, 0.25, 1, 0.25], [0.5, 0, 0.25, 1], [0.5, 0.25, 0.25, 0.25]]
    np.testing.assert_allclose(boxes, expected, atol=1e-6)
    said = page.locator(".touched").all_inner_texts()
    shared = "Blocks (1, 2, 0), (1, 1, 0), (1, 3, 0) read 8,192 elements: rows 64 to 127"
    assert shared in said[0]
    assert "Block (1, 2, 0) writes 4,096 elements: rows 64 to 127, columns 128 to 191" in said[2]


def test_pictures_of_the_dearest_product_are_there_at_first(report: Any) -> None:
    """With nothing selected, the product is, and the page says so; what an address names stays."""
    page = report(model(DATA, "matmul.tileirbc", kernels=[records()[0]]))
    page.click(".modes button >> text=Pictures")
    page.wait_for_selector(".drawings .cell")
    assert page.evaluate("TileIRReport.view.selected.op") == PRODUCT
    assert "the product with the most work" in page.locator(".of-op-pictures").inner_text()
    assert page.evaluate("[location.hash, document.querySelector('.drawings').scrollTop]") == [
        "",
        0,
    ]
    row = page.locator("[data-pane=pictures-text] .row", has_text="load_view_tko").first
    row.click()
    assert "was selected" not in page.locator(".of-op-pictures").inner_text()
    opened(report, 0, LOAD)
    assert page.evaluate("TileIRReport.view.selected.op") == LOAD


def test_a_pipeline_says_that_it_goes_on(report: Any) -> None:
    """Where the chart is wider than its place there is a button to the rest, and names stay."""
    page = opened(report, 0, PRODUCT, viewport={"width": 1000, "height": 800})
    frame, further = page.locator(".pipeline .picture-frame"), page.locator(".pipeline .further")
    assert frame.evaluate("each => each.scrollWidth > each.clientWidth + 40")
    assert [each.is_visible() for each in further.all()] == [False, True]
    name = page.locator(".pipeline .row-name").first
    at = name.bounding_box()["x"]
    for _ in range(9):
        if further.last.is_visible():
            further.last.click()
    assert [each.is_visible() for each in further.all()] == [True, False]
    assert name.bounding_box()["x"] == pytest.approx(at, abs=1)
    assert frame.evaluate("each => each.scrollLeft + each.clientWidth + 1 >= each.scrollWidth")
    further.first.click()
    assert further.last.is_visible()
