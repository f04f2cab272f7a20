"""What a user does in the playground."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.browser.playground.conftest import STARTING
from tests.browser.subjects import large
from tests.corpus import FIXTURES, NEWEST
from tests.lab.textmate.__main__ import KINDS, ODD, by_lexer
from tests.programs import call
from tileir.__main__ import main
from tileir.report.comparison import comparison
from tileir.samples.table import SAMPLES

KERNEL = NEWEST["vector_add"]
DATA = KERNEL.read_bytes()
SCRIPT = """entry @k(%a: tile<i32>) {
  %x = addz %a, %a : tile<i32>
  %y = addi %a, %a : tile<i32>
  return
}
"""

Opened = Callable[[str, bytes], Any]


def rows(page: Any, pane: str, panel: str = "bytes") -> Any:
    """The rows in sight of a pane of what is explored, or compared."""
    return page.locator(f"#panel-{panel} [data-pane={pane}] .row")


def write(page: Any, text: str) -> None:
    """Write a text into the editor, in the place of the one that is there."""
    page.locator("textarea.field:not([readonly])").fill(text)


# Looking -----------------------------------------------------------------------------------------


def test_every_example_can_be_opened(page: Any) -> None:
    names = [name for name in SAMPLES if not name.endswith(".py")]
    assert sorted(page.locator("#examples .name").all_inner_texts()) == sorted(names)
    for name in names:
        page.locator("#examples button", has=page.get_by_text(name, exact=True)).click()
        what = "textarea.field:not([readonly])" if name.endswith(".mlir") else "#panel-bytes .row"
        page.locator(what).first.wait_for()
        page.click("#tab-bytes")
    assert page.locator("#files li").count() == len(names)


def test_who_does_not_wait_for_python_is_told_to(tab: Any, address: str) -> None:
    page = tab(address)
    page.locator("#examples button").first.click()
    told = page.locator("#panel-bytes .message")
    told.get_by_text("Python is starting").wait_for()
    rows(page, "text").first.wait_for(timeout=STARTING)
    assert not told.is_visible()


def test_an_example_is_opened_once(page: Any) -> None:
    for _ in range(2):
        page.locator("#examples button").first.click()
        rows(page, "text").first.wait_for()
    assert page.locator("#files li").count() == 1


def test_a_file_is_explored(opened: Opened) -> None:
    page = opened("k.tileirbc", DATA)
    lines = tileir.disassemble(DATA).splitlines()
    rows(page, "text").first.wait_for()
    assert page.locator("#panel-bytes h1.file").inner_text() == "k.tileirbc"
    shown = rows(page, "text").locator(".code").all_inner_texts()
    assert shown == lines[: len(shown)]
    rows(page, "text").nth(3).click()
    assert page.locator("#panel-bytes .cells .selected").count()


def test_problems_of_a_file_are_shown(opened: Opened) -> None:
    path = FIXTURES / "invalid" / "rules" / "same-type.tileirbc"
    page = opened(path.name, path.read_bytes())
    (expected,) = [one for one in tileir.verify(path.read_bytes()) if one.severity == "error"]
    row = rows(page, "problems").first
    row.wait_for()
    assert expected.message in row.inner_text()


def test_files_are_chosen_and_dropped(page: Any) -> None:
    other = FIXTURES / "invalid" / "no_return.tileirbc"
    page.set_input_files("#chosen", [str(KERNEL), str(other)])
    page.locator("#files li").nth(1).wait_for()
    assert page.locator("#files .pick").all_inner_texts() == [KERNEL.name, other.name]
    page.evaluate(
        """data => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([new Uint8Array(data)], "dropped.tileirbc"));
          const event = new DragEvent("drop", { dataTransfer: transfer, bubbles: true });
          document.body.dispatchEvent(event);
        }""",
        list(DATA),
    )
    page.locator("#files .chosen", has_text="dropped.tileirbc").wait_for()
    page.click("#files .away >> nth=2")
    assert page.locator("#files .chosen").inner_text().startswith(other.name)


# Text --------------------------------------------------------------------------------------------


def test_a_text_is_edited_and_assembled(opened: Opened) -> None:
    page = opened("k.tileirbc", DATA)
    page.click("#tab-text")
    page.locator("#verdict.good").wait_for()
    text = tileir.disassemble(DATA)
    assert page.locator("textarea.field").input_value() == text
    changed = text.replace("addf", "mulf")
    write(page, changed)
    page.click("#tab-bytes")
    page.locator("#panel-bytes .w-op", has_text="mulf").wait_for()
    version = tileir.Bytecode.parse(DATA).version
    made = tileir.assemble(changed, version).build()
    assert bytes(page.evaluate("[...playground.files[0].bytes]")) == made


def test_errors_stand_at_their_place(opened: Opened) -> None:
    page = opened("broken.tileir", SCRIPT.encode())
    page.locator("#verdict.error").wait_for()
    (problem,) = page.locator("#problems button").all_inner_texts()
    assert problem.split("\n")[0] == "2:8"
    assert "did you mean" in problem
    assert page.locator(".under.error span").inner_text() == "addz"
    assert page.locator(".gutter .error").inner_text() == "2"
    page.click("#problems button")
    field = page.locator("textarea.field")
    script = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert field.evaluate(script) == "addz"
    write(page, SCRIPT.replace("addz", "muli"))
    page.locator("#verdict.good").wait_for()
    assert page.locator("#problems li").count() == 0


def test_broken_rules_are_found_in_text(opened: Opened) -> None:
    text = """entry @k() {
  %one = constant <i32: 1> : tile<i32>
  %two = assume bounded<2, ?>, %one : tile<i32>
  %three = get_global @missing : tile<ptr<i32>>
  return
}
"""
    found = tileir.verify(tileir.assemble(text))
    assert {one.severity for one in found} == {"warning", "error"}
    page = opened("k.tileir", text.encode())
    page.locator("#verdict.error", has_text="1 error, 1 warning").wait_for()
    assert page.locator("#problems .rule").all_inner_texts() == [one.rule for one in found]
    places = [f"{one.text.line}:{one.text.column}" for one in found if one.text]
    assert page.locator("#problems .place").all_inner_texts() == places
    write(page, text.replace("  %three", "  // %three"))
    page.locator("#verdict.warning", has_text="1 warning").wait_for()
    assert page.locator("#problems .rule").all_inner_texts() == ["broken-promise"]


def test_f8_goes_from_error_to_error(opened: Opened) -> None:
    page = opened("broken.tileir", SCRIPT.replace("addi", "addy").encode())
    page.locator("#problems li").nth(1).wait_for()
    field = page.locator("textarea.field")
    script = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
    field.focus()
    for word in ("addz", "addy", "addz"):
        page.keyboard.press("F8")
        assert field.evaluate(script) == word


def test_a_new_text_is_valid(page: Any) -> None:
    page.click("#new")
    page.locator("#verdict.good").wait_for()
    page.click("#tab-bytes")
    rows(page, "text").first.wait_for()


def test_what_cannot_be_assembled_has_no_bytes(opened: Opened) -> None:
    page = opened("broken.tileir", SCRIPT.encode())
    page.locator("#verdict.error").wait_for()
    page.click("#tab-bytes")
    page.locator("#panel-bytes .message", has_text="broken.tileir:2:8").wait_for()


def test_colours_are_those_of_the_lexer(page: Any) -> None:
    """Every character of texts, odd ones too, has the kind that the Pygments lexer gives it."""
    paths = [KERNEL, NEWEST["matmul"], NEWEST["loop_sum"], NEWEST["module_globals"]]
    texts = [tileir.disassemble(path.read_bytes(), debug=True) for path in paths] + ODD
    script = """async (texts) => {
      const grammar = await (await fetch("grammar.json")).json();
      const highlighter = new playground.Highlighter(grammar);
      return texts.map((text) => text.split("\\n").flatMap((line) => highlighter.words(line)));
    }"""
    for text, words in zip(texts, page.evaluate(script, texts), strict=True):
        shown = [
            (character, scope)
            for word, scope in words
            for character in word
            if not character.isspace()
        ]
        assert shown == by_lexer(text)
    assert len(KINDS) > 10


# Two files, versions, commands -------------------------------------------------------------------


def test_two_files_are_compared(opened: Opened) -> None:
    other = NEWEST["vector_add_f64"]
    opened("a.tileirbc", DATA)
    page = opened("b.tileirbc", other.read_bytes())
    page.click("#tab-compare")
    rows(page, "diff", "compare").first.wait_for()
    expected = comparison(
        (other.read_bytes(), "b.tileirbc"), (DATA, "a.tileirbc"), paths=True, assumed=None
    )
    shown = page.evaluate("playground.drawn.compare.model")
    for file in shown["files"]:
        for section in file["sections"]:
            del section["kind"]  # which the client adds
    assert shown == json.loads(json.dumps(expected))


def test_one_file_has_nothing_to_be_compared_with(opened: Opened) -> None:
    page = opened("a.tileirbc", DATA)
    page.click("#tab-compare")
    page.locator("#panel-compare .message", has_text="second file").wait_for()


def test_a_file_is_converted(opened: Opened) -> None:
    page = opened("k.tileirbc", DATA)
    page.click("#tab-convert")
    page.select_option("#version", "13.1")
    page.click("#convert")
    page.get_by_role("button", name="Open it").click()
    page.locator("#panel-bytes h1.file", has_text="k-13.1.tileirbc").wait_for()
    expected = tileir.Bytecode.parse(DATA).to_version(tileir.Version(13, 1)).build()
    assert bytes(page.evaluate("[...playground.files[1].bytes]")) == expected


def test_any_name_is_a_good_one_to_convert(opened: Opened) -> None:
    """What a command writes has a name that no open file has."""
    page = opened("made", DATA)
    page.click("#tab-convert")
    page.click("#convert")
    page.get_by_role("button", name="Open it").click()
    page.locator("#files li").nth(1).wait_for()
    assert page.locator("#panel-bytes h1.file").inner_text().startswith("made-13.")


def test_what_a_version_lacks_is_listed(opened: Opened) -> None:
    path = NEWEST["multimem"]
    page = opened("k.tileirbc", path.read_bytes())
    page.click("#tab-convert")
    page.select_option("#version", "13.1")
    page.click("#convert")
    page.locator(".result table").wait_for()
    with pytest.raises(tileir.VersionError) as raised:
        tileir.Bytecode.parse(path.read_bytes()).to_version(tileir.Version(13, 1))
    assert page.locator(".result tbody tr").count() == len(raised.value.features)


@pytest.mark.parametrize("command", ["inspect", "dis", "dis -g", "verify", "stats"])
def test_commands_print_what_they_print(
    opened: Opened, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened("k.tileirbc", DATA)
    page.click("#tab-command")
    page.select_option("#command", command)
    monkeypatch.chdir(tmp_path)
    Path("k.tileirbc").write_bytes(DATA)
    done = call(main, *command.split(), "k.tileirbc")
    output = page.locator(".output", has_text=f"$ tileir {command} k.tileirbc")
    output.wait_for()
    expected = f"$ tileir {command} k.tileirbc\n{done.stdout}{done.stderr}"
    assert output.evaluate("element => element.textContent") == expected


def test_files_and_outputs_are_saved(opened: Opened) -> None:
    page = opened("k.tileirbc", DATA)
    with page.expect_download() as saved:
        page.click("#save")
    assert saved.value.suggested_filename == "k.tileirbc"
    assert Path(saved.value.path()).read_bytes() == DATA
    page.click("#tab-command")
    page.locator("#keep:enabled").wait_for()
    with page.expect_download() as saved:
        page.click("#keep")
    assert "addf" in Path(saved.value.path()).read_text("utf-8")


# The deadline ------------------------------------------------------------------------------------


def test_what_takes_too_long_is_stopped_and_nothing_is_lost(opened: Opened) -> None:
    page = opened("k.tileirbc", DATA)
    rows(page, "text").first.wait_for()
    starts = page.evaluate("playground.python.starts")
    page.evaluate("playground.python.seconds = 0.05")
    opened("large.tileirbc", large())
    page.locator("#panel-bytes .message", has_text="took more than 0.05 s").wait_for()
    assert page.evaluate("playground.python.starts") == starts + 1
    page.evaluate("playground.python.seconds = 60")
    assert page.locator("#files li").count() == 2
    page.click("#files .pick >> nth=0")
    page.click("#tab-text")
    page.locator("#verdict.good").wait_for(timeout=300_000)


def test_work_is_stopped_by_hand(opened: Opened) -> None:
    page = opened("large.tileirbc", large())
    page.locator("#stop").click()
    page.locator("#panel-bytes .message", has_text="Stopped").wait_for()
    page.locator(".state[data-state=ready]").wait_for(timeout=300_000)
    opened("k.tileirbc", DATA)
    rows(page, "text").first.wait_for()
