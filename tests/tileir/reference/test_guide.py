"""The page for agents: what it says can be done, and it is short enough to be read each time."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import tileir
from tests.programs import call
from tileir.__main__ import main
from tileir.command_line.command_table import COMMANDS
from tileir.reference.guide import index, skill
from tileir.reference.parsers import parsers

MOST = 12_000
"""Characters of the page."""


@pytest.fixture(scope="module")
def page() -> str:
    return skill()


def test_the_page_is_whole_and_short(page: str) -> None:
    assert re.match(r"---\nname: tileir\ndescription: .{50,1000}\n---\n\n# tileir ", page)
    assert len(page) < MOST
    assert re.findall(r"^- `tileir ([\w-]+)`: ", page, re.MULTILINE) == list(COMMANDS)
    assert not [name for name in tileir.__all__ if name not in page]


def test_its_examples_are_accepted_by_the_commands(page: str) -> None:
    """But for programs, whose arguments are their own."""
    examples = re.findall(r"^  - `(tileir .*)`$", page, re.MULTILINE)
    made = parsers()
    seen = set()
    for example in examples:
        words = shlex.split(re.split(r" [|>] | && ", example)[0])[1:]
        seen.add(words[0])
        if words[0] not in ("cutile", "dump"):
            made[words[0]].parse_args(words[1:])
    assert len(seen) > len(COMMANDS) * 3 // 4


def test_an_index_of_pages(tmp_path: Path) -> None:
    (tmp_path / "a_sub").mkdir()
    (tmp_path / "_build").mkdir()
    (tmp_path / "one.md").write_text("# First page\n\n![picture](x)\n\nIt says this. And that.")
    second = "(anchor)=\n# Second\n\n- a list\n\n```sh\na\n\nb. c\n```\n\n`as` [may](x.md): "
    second += "{ref}`do <y>`.\n\n- x"
    (tmp_path / "a_sub" / "two.md").write_text(second)
    (tmp_path / "a_sub" / "three.md").write_text("# Third\n\n| a | b |\n")
    (tmp_path / "a_sub" / "none.md").write_text("no title\n")
    (tmp_path / "_build" / "four.md").write_text("# Fourth\n")
    rows = index(tmp_path).splitlines()[4:]
    assert rows == [
        "## Docs",
        "",
        "- [First page](one.md): It says this.",
        "",
        "## A sub",
        "",
        "- [Third](a_sub/three.md)",
        "- [Second](a_sub/two.md): `as` may: do.",
    ]
    out = tmp_path / "llms.txt"
    assert call(main, "guide", "--index", tmp_path, "-o", out).returncode == 0
    assert out.read_text() == index(tmp_path)
    assert call(main, "guide", "--index", tmp_path / "absent").returncode == 2
    (tmp_path / "empty").mkdir()
    assert call(main, "guide", "--index", tmp_path / "empty").returncode == 2


def test_an_index_of_pages_of_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"# Caf\xe9\n\nWords.\n")
    assert "- [Caf\ufffd](a.md): Words." in index(tmp_path)


def test_the_command(page: str) -> None:
    assert call(main, "guide").stdout == page
