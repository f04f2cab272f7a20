"""README.md and the pages of docs/ tell the truth: their blocks run and print what they show."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import tileir
from tileir.formats.ops import CHAPTERS
from tileir.samples.table import SAMPLES, in_checkout

from .pages import ROOT, TEXTS, agrees, blocks, commands, run, write

RUN = ("console", "python", "mlir", "sh")
"""Languages of blocks that are run."""
NEEDS_CUTILE = ("tileir cutile", "to_ptx")
WITH_BLOCKS = [page for page, text in TEXTS.items() if any(b.language in RUN for b in blocks(text))]


@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_blocks_run(page: str, tmp_path: Path, capsys, monkeypatch) -> None:
    """Commands print what is shown, Python what its comments after ``#>`` show; texts assemble.

    Blocks of a page are run one after the other: later ones use what earlier ones made.
    """
    monkeypatch.chdir(tmp_path)
    if page != "README.md":
        run("tileir samples -o samples", tmp_path)
    left_out = []
    for block in blocks(TEXTS[page]):
        language, body = block.language, block.body
        if block.left_out:
            continue
        if block.is_file:
            if block.end_of:
                assert (tmp_path / block.end_of).read_text().endswith(f"\n\n{body}")
            else:
                write(block, tmp_path)
            assert re.search(rf"^\$ .*{block.end_of or block.file}", TEXTS[page], re.MULTILINE)
        elif language == "python":
            capsys.readouterr()
            exec(compile(body, page, "exec"), {"__name__": "__main__"})
            shown = re.findall(r"#> (.*)$", body, re.MULTILINE)
            assert capsys.readouterr().out.splitlines() == shown
        elif language == "mlir":
            tileir.assemble(body)
        elif language == "console":
            for command, shown in commands(body):
                if any(name in command for name in NEEDS_CUTILE) and not has_cutile():
                    left_out.append(command)
                    continue
                printed = run(command, tmp_path)
                assert agrees(shown, printed), f"$ {command}\n{printed}"
    if left_out:
        pytest.skip(f"cuda-tile is part of tileir[test], not on macOS: {left_out}")


def has_cutile() -> bool:
    """Whether NVIDIA's cuTile is installed."""
    try:
        return importlib.util.find_spec("cuda.tile") is not None
    except ModuleNotFoundError:  # nothing of `cuda` is
        return False


def test_few_blocks_are_not_run() -> None:
    """At most one in ten, and each says why; nothing else is in a block."""
    found = [(page, block) for page, text in TEXTS.items() for block in blocks(text)]
    unknown = [b for _, b in found if b.language not in RUN and not b.left_out and not b.is_file]
    assert not unknown
    assert sum(bool(block.left_out) for _, block in found) <= len(found) / 10


def test_all_blocks_are_seen() -> None:
    """A block without a language, or an indented one, would be seen by nobody."""
    for page, text in TEXTS.items():
        text = re.sub(r"^```\{.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)  # directives
        fences = [line for line in text.splitlines() if re.match(r" *(```|~~~)", line)]
        assert len(fences) == 2 * len(blocks(text)), page
        text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        assert not re.findall(r"\n\n    .*", text), page


def test_the_text_of_the_page_is_the_sample() -> None:
    (shown,) = [b.body for b in blocks(TEXTS["docs/guide/compile.md"]) if b.language == "mlir"]
    assert (ROOT / in_checkout("noop.mlir")).read_text() == shown


def test_the_drawing_has_all_stages() -> None:
    pytest.importorskip("llvmlite")
    from tileir.codegen.pipeline import STAGES

    drawing = (ROOT / "docs/how/pictures/stages.svg").read_text()
    assert re.findall(r'class="m">(\w+)<', drawing) == list(STAGES["nvptx"])


def test_each_chapter_of_ops_has_a_page() -> None:
    chapters = {module.__name__.rpartition(".")[2] for module in CHAPTERS}
    asked_for = {
        name
        for page, text in TEXTS.items()
        for name in re.findall(r"^```\{from-source\} ops (\w+)$", text, re.MULTILINE)
        if page == f"docs/reference/ops/{name}.md"
    }
    assert asked_for == chapters


def test_the_two_commands_are_one_line_each() -> None:
    """`.ci/run` takes them from README.md."""
    lines = [b.body.splitlines() for b in blocks(TEXTS["README.md"]) if b.language == "sh"]
    assert [len(each) for each in lines] == [1, 1]
    others = {page for page, text in TEXTS.items() if any(b.language == "sh" for b in blocks(text))}
    assert others == {"README.md"}


def test_the_readme_is_short() -> None:
    assert len(TEXTS["README.md"].splitlines()) <= 130


def test_what_pages_use_is_a_sample() -> None:
    """And every sample is used somewhere."""
    text = "\n".join(TEXTS.values())
    used = set(re.findall(r"\bsamples/([\w./-]+\.(?:tileirbc|py|mlir))", text))
    assert used == set(SAMPLES)


def test_programs_of_the_checkout_exist() -> None:
    """Those that pages name: ``python -m tests.lab.bench`` and the like."""
    named = {
        name
        for text in TEXTS.values()
        for name in re.findall(r"python -m ((?:tests|fixtures)\.[\w.]*\w)", text)
    }
    assert len(named) > 10
    paths = {name: ROOT / name.replace(".", "/") for name in named}
    assert not [
        name
        for name, path in paths.items()
        if not (path / "__main__.py").exists() and not path.with_suffix(".py").exists()
    ]


def test_links_lead_to_files_of_the_checkout() -> None:
    gone = []
    for page, text in TEXTS.items():
        without_code = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)", without_code):
            if "://" not in target and not (ROOT / page).parent.joinpath(target).exists():
                gone.append(f"{page}: {target}")
    assert not gone
