"""The site of docs/ is complete: it builds without a warning, links lead somewhere, all is there.

    python -m pytest -m docs tests/docs      # needs the extra `docs`, and takes a minute

Nothing here is skipped: where Sphinx is missing, the tests fail.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args
from urllib.parse import unquote, urldefrag

import pytest

import tileir
from tileir.command_line.command_table import COMMANDS
from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.debug import DEBUG_RECORD
from tileir.formats.ops import OPS
from tileir.formats.sections import BY_NAME as SECTIONS_BY_NAME
from tileir.formats.types import TYPE
from tileir.gpus import TARGETS, Feature
from tileir.reference.guide import skill
from tileir.reference.parsers import parsers, verbs
from tileir.reference.schemas.catalogue import SCHEMAS, schema_of
from tileir.verifier import document
from tileir.verifier.catalogue import RULES

from .pages import ROOT

pytestmark = pytest.mark.docs

WITHOUT_EXAMPLE = {"entry", "global", "module", "preview$call", "preview$extern_impl"}
"""Ops that no body of a file has which can be compiled."""


class Page(HTMLParser):
    """The anchors of a page of HTML, and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        loads = {"img": "src", "script": "src", "link": "href"}.get(tag)
        if loads in given and given.get("rel") not in ("canonical", "index", "search"):
            self.loaded.append(given[loads])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built by the command of CONTRIBUTING.md: a warning is an error."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-4000:]
    return out


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Page]:
    """The pages of the site."""
    return {path: Page(path.read_text()) for path in site.rglob("*.html")}


@pytest.fixture(scope="session")
def inventory(site: Path) -> set[tuple[str, str]]:
    """What Sphinx says can be referred to: role and name."""
    data = (site / "objects.inv").read_bytes()
    lines = zlib.decompress(data.split(b"\n", 4)[4]).decode().splitlines()
    found = (re.match(r"(\S+) (\S+) ", line) for line in lines)
    return {(each[2], each[1]) for each in found if each}


def test_links_and_anchors_are_there(site: Path, pages: dict[Path, Page]) -> None:
    gone = []
    for path, page in pages.items():
        for link in page.links:
            target, anchor = urldefrag(unquote(link))
            if "://" in target or target.startswith("mailto:"):
                continue
            file = (path.parent / target).resolve() if target else path
            known = pages[file].anchors if file in pages else set()
            if not file.exists() or (anchor and anchor not in known):
                gone.append(f"{path.relative_to(site)}: {link}")
    assert not gone


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, Page]) -> None:
    assert not [url for page in pages.values() for url in page.loaded if "//" in url]


def test_public_names_are_documented(inventory: set[tuple[str, str]]) -> None:
    documented = {name for role, name in inventory if role.startswith("py:")}
    assert not [name for name in documented if name.count("tileir.") > 1]  # each by its own name
    assert not {f"tileir.{name}" for name in tileir.__all__} - documented
    _, _, modules = (tileir.__doc__ or "").partition("\nModules\n")
    names = set(re.findall(r"tileir\.[a-z_.]+[a-z]", modules))
    assert len(names) > 9
    assert not names - documented
    for name in names:
        inside = getattr(importlib.import_module(name), "__all__", [])
        elsewhere = {f"tileir.{each}" for each in tileir.__all__}
        gone = {f"{name}.{each}" for each in inside if f"tileir.{each}" not in elsewhere}
        assert not gone - documented, name


def test_what_public_functions_return_is_documented(inventory: set[tuple[str, str]]) -> None:
    documented = {name for role, name in inventory if role.startswith("py:")}
    for name in tileir.__all__:
        value = getattr(tileir, name)
        if inspect.isfunction(value):
            words = re.findall(r"[A-Z]\w+", str(inspect.signature(value).return_annotation))
            classes = {each.rpartition(".")[2] for each in documented}
            assert not {*words} - classes - {"Any", "None", "Generator", "Iterator"}, name


def test_types_sections_and_features_are_documented(site: Path) -> None:
    """Types, attributes, debug records and sections; features of GPUs."""
    text = (site / "reference" / "format.html").read_text()
    words = set(re.findall(r"[\w$]+", re.sub(r"<[^>]*>", " ", text)))
    for names in (TYPE.by_name, ATTRIBUTE.by_name, DEBUG_RECORD.by_name, SECTIONS_BY_NAME):
        assert len(names) > 5
        assert not names.keys() - words
    cells = re.split(r"</td>|</th>", (site / "reference" / "gpus.html").read_text())
    assert not {*get_args(Feature)} - {re.sub(r"<[^>]*>", "", cell).strip() for cell in cells}


def test_commands_are_documented(inventory: set[tuple[str, str]]) -> None:
    assert not {("std:label", f"command-{name}") for name in COMMANDS} - inventory


def test_what_is_printed_as_json_is_documented(site: Path, inventory: set[tuple[str, str]]) -> None:
    """Each command has a section, and each key of its schema, however deep, is in that."""
    text = (site / "reference" / "schemas.html").read_text()
    sections = dict(re.findall(r'id="schema-(\w+)"(.*?)(?=id="schema-|\Z)', text, re.DOTALL))
    assert sections.keys() == SCHEMAS.keys()
    for name, section in sections.items():
        assert ("std:label", f"schema-{name}") in inventory
        shown = {key.split(".")[-1] for key in re.findall(r'class="pre">([^<]+)<', section)}
        keys: set[str] = set()
        for part in objects(schema_of(name)):
            keys |= part.get("properties", {}).keys()
        assert keys
        assert not keys - {key.removesuffix("[]") for key in shown}, name


def objects(value: object) -> Iterator[dict]:
    """The objects of JSON in a value."""
    if isinstance(value, dict):
        yield value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from objects(part)


def test_ops_are_documented(inventory: set[tuple[str, str]]) -> None:
    labels = {op.mnemonic: f"op-{op.mnemonic.replace('$', '-')}" for op in OPS}
    assert not {("std:label", label) for label in labels.values()} - inventory


def test_ops_have_an_example_and_say_how_they_are_lowered(site: Path) -> None:
    sections = {}
    for path in (site / "reference" / "ops").glob("*.html"):
        for part in re.split(r'id="op-', path.read_text())[1:]:
            sections[re.split('"', part)[0]] = part
    for op in OPS:
        section = sections[op.mnemonic.replace("_", "-").replace("$", "-")]
        assert ("Example:" in section) == (op.mnemonic not in WITHOUT_EXAMPLE), op.mnemonic
        assert ("How it is lowered." in section) == op.in_body, op.mnemonic


def test_rules_are_documented(inventory: set[tuple[str, str]]) -> None:
    from tileir.codegen.advise.rules import RULES as ADVISE_RULES

    assert document.PATH  # importing it declares all rules
    labels = {f"rule-{name}" for name in RULES} | {f"advise-{name}" for name in ADVISE_RULES}
    assert not {("std:label", label) for label in labels} - inventory


def test_gpus_are_documented(site: Path) -> None:
    text = (site / "reference" / "gpus.html").read_text()
    assert not [name for name in TARGETS if f">{name}<" not in text]


def test_programs_find_every_page_as_markdown(site: Path, pages: dict[Path, Page]) -> None:
    """By llms.txt; what is made from sources is in these pages, too."""
    text = (site / "llms.txt").read_text()
    assert re.findall(r"^## (.*)", text, re.MULTILINE)[:2] == ["Start", "Tutorials"]
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\.md\)", text, re.MULTILINE)
    made = {path.relative_to(site).with_suffix("").as_posix() for path in pages}
    assert sorted(listed) == sorted(made - {"index", "genindex", "py-modindex", "search"})
    assert "{from-source}" not in "".join((site / f"{name}.md").read_text() for name in listed)
    assert "## addf\n" in (site / "reference" / "ops" / "floating_point.md").read_text()
    assert (site / "SKILL.md").read_text() == skill()


def test_man_pages_have_every_option(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "man", "docs", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    made = {path.name: path.read_text() for path in (tmp_path / "man1").iterdir()}
    assert made.keys() == {"tileir.1", *(f"tileir-{name}.1" for name in COMMANDS)}
    for name, parser in parsers().items():
        page = made[f"tileir-{name}.1"].replace("\\-", "-")
        sections = re.findall(r"^\.SH (.*)", page, re.MULTILINE)
        assert sections[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
        assert {"EXAMPLES", "SEE ALSO"} <= {*sections}, name
        shown = set(re.findall(r"\\fB(--?\w[\w-]*)\\fP", page))
        assert not options(parser) - shown, name
        assert f"tileir-{name}(1)" in made["tileir.1"].replace("\\-", "-")


def options(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a command and of the commands in it."""
    shown = [each for each in parser._actions if each.help is not argparse.SUPPRESS]
    own = {option for each in shown for option in each.option_strings}
    return own.union(*map(options, verbs(parser).values()))


def test_values_in_outputs_are_no_commands(site: Path) -> None:
    """A line of output that begins with a value, as of `inspect`, has one colour."""
    shown = (site / "start/first_result.html").read_text()
    assert '<span class="go">                                    %31 = addf' in shown
    assert shown.count('<span class="gp">') == 2  # as many commands as the page has
