"""The rules of the house: small files, documented names, no strays."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tileir.formats.ops import BY_NAME

ROOT = Path(__file__).parent.parent
CODE = sorted(p for layer in ("formats", "tileir", "codegen") for p in (ROOT / layer).rglob("*.py"))
GENERATED = ROOT / "tests" / "ksy"
"""What the Kaitai compiler wrote, and the packages it needs."""
ALL = CODE + sorted(
    path
    for layer in ("tests", "fixtures")
    for path in (ROOT / layer).rglob("*.py")
    if GENERATED not in path.parents
)


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_files_are_small() -> None:
    assert not [short(path) for path in ALL if len(path.read_text().splitlines()) > 500]


def test_the_median_file_is_small() -> None:
    sizes = [len(path.read_text().splitlines()) for path in CODE]
    assert statistics.median(sizes) <= 200


ROOMY = ("formats", "tileir", "codegen", "tests")
MOST_FILES = 20
"""Python files of one folder, `__init__.py` not counted."""


def test_folders_are_small() -> None:
    """What nobody can take in at a glance is divided; data and goldens may be as many as needed."""
    files = Counter(
        short(path.parent)
        for layer in ROOMY
        for path in (ROOT / layer).rglob("*.py")
        if path.name != "__init__.py" and GENERATED not in path.parents
    )
    assert not {folder: count for folder, count in files.items() if count > MOST_FILES}


def test_no_folder_has_a_name_that_tools_skip() -> None:
    """git, pytest and hatchling leave out folders of these names, and what is in them."""
    assert not [short(path) for path in ALL if {"build", "dist"} & set(path.parts[:-1])]


LONG = 30
"""Lines of a function that nobody needs to have explained."""


def is_public(node: ast.AST) -> bool:
    """Whether a statement of a module defines something that others may use and ask about."""
    if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
        return False
    lowering = node.name in BY_NAME  # the op's row says what it does
    typed = "overload" in map(ast.unparse, node.decorator_list)  # the last one says it
    return not lowering and not typed


def is_long(node: ast.AST) -> bool:
    """Whether this is a function that has to be explained, whoever uses it."""
    function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return function and node.end_lineno - node.lineno >= LONG


def undocumented(source: str) -> Iterator[str]:
    """What has no docstring and should have one: the file, and names in it."""
    tree = ast.parse(source)
    if source.strip() and not ast.get_docstring(tree):
        yield "the file"
    for node in ast.walk(tree):
        asked = is_long(node) or (is_public(node) and node in tree.body)
        if asked and not ast.get_docstring(node):
            yield f"{node.lineno}: {node.name}"


def test_what_is_public_or_long_is_documented() -> None:
    found = {short(path): [*undocumented(path.read_text())] for path in CODE}
    assert not {name: missing for name, missing in found.items() if missing}


def test_what_is_undocumented_is_found() -> None:
    lines = "    pass\n" * LONG
    assert [*undocumented(f"def _long():\n{lines}")] == ["the file", "1: _long"]
    source = '"""Words."""\ndef f():\n    def inner(): pass\nclass _C: pass\ndef addf(): pass\n'
    assert [*undocumented(source)] == ["2: f"]
    assert not [*undocumented("")]


def test_names_say_what_they_are() -> None:
    banned = {"utils", "helpers", "common", "misc", "manager", "handler", "engine", "wrapper"}
    assert not [short(path) for path in ALL if path.stem in banned]


def test_opcodes_are_written_once() -> None:
    """An opcode number outside formats/ would be a second place for the same fact."""
    pattern = re.compile(r"opcode\W*\b(0x[0-9A-Fa-f]+|\d+)\b|[{(,]\s*0x[0-7][0-9A-Fa-f]\s*:")
    strays = [
        short(path)
        for path in CODE
        if path.relative_to(ROOT).parts[0] != "formats" and pattern.search(path.read_text())
    ]
    assert not strays


def test_no_loose_ends() -> None:
    strays = [short(path) for path in CODE if re.search(r"\b(TODO|FIXME|XXX)\b", path.read_text())]
    assert not strays


@pytest.mark.parametrize("verb", [("check",), ("format", "--check")], ids=["check", "format"])
def test_ruff_agrees(verb: tuple[str, ...]) -> None:
    pytest.importorskip("ruff", reason="ruff is part of tileir[test]")
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *verb, "."], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:]


ROOTS = ("", "formats", "tileir", "codegen", "codegen/nvptx", "codegen/host", "tileir/cutile")
"""Where paths in documents start."""


DOCUMENTS = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(short(path) for path in (ROOT / "docs" / "how").glob("*.md")),
]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_documents_name_exist(document: str) -> None:
    named = re.findall(r"`([\w./-]+(?:\.py|\.md|\.txt|/))`", (ROOT / document).read_text())
    assert named or document == "docs/how/layouts.md"  # which has the theory alone
    known = {path.name for path in CODE}
    gone = [
        name
        for name in named
        if not any((ROOT / root / name).exists() for root in ROOTS)
        if "/" in name or name not in known
    ]
    assert not gone


def test_the_stages_are_those_of_the_document() -> None:
    pytest.importorskip("llvmlite")
    from tileir.codegen.pipeline import STAGES

    text = " ".join((ROOT / "ARCHITECTURE.md").read_text().split())
    for family, names in STAGES.items():
        assert f"{family}: {' -> '.join(names)}" in text
