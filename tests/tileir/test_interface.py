"""The package itself: what it offers, and that it costs nothing until it is used."""

from __future__ import annotations

import pydoc
import re
import subprocess
import sys
from importlib import metadata

import pytest

import tileir
from tests.corpus import ROOT
from tests.docs.pages import TEXTS

LOADED = (
    "import sys, tileir\n"
    "print(*sorted(name for name in sys.modules if name.partition('.')[0] == 'tileir'))"
)


def test_importing_it_imports_little_else() -> None:
    """What has to wait for a fork is known before anything is imported."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["tileir", "tileir.formats", "tileir.formats.forks"]


def test_all_of_it_is_there() -> None:
    assert set(tileir.__all__) <= set(dir(tileir))
    for name in tileir.__all__:
        assert getattr(tileir, name).__module__.startswith("tileir")
    with pytest.raises(AttributeError, match="module 'tileir' has no attribute 'Bitecode'"):
        _ = tileir.Bitecode


def test_a_star_leaves_breakpoint_alone() -> None:
    """It is Python's own after it; `tileir.breakpoint` is there all the same."""
    assert "breakpoint" not in tileir.__all__
    assert "breakpoint" in dir(tileir)
    assert tileir.breakpoint is not breakpoint


def test_help_is_an_overview() -> None:
    """It fits two screens, and names all that is public and all that README and docs use."""
    text = pydoc.plain(pydoc.render_doc(tileir))
    assert len(text.splitlines()) <= 112
    pages = "\n".join(TEXTS.values())
    used = set(re.findall(r"\btileir\.([A-Z]\w+)", pages))
    used |= {f"{name}(" for name in re.findall(r"\btileir\.(?:\w+\.)?([a-z_]+)\(", pages)}
    used |= set(re.findall(r"^(?:from|import) (tileir\.[\w.]+)", pages, re.MULTILINE))
    assert "compile(" in used
    assert not [name for name in {*used, *tileir.__all__} if name not in text]
    listed = set(re.findall(r"^ +(\w+)\(", text, re.MULTILINE))
    assert {name for name in tileir.__all__ if name.islower()} <= listed


def test_the_version() -> None:
    try:
        installed = metadata.version("tileir")
    except metadata.PackageNotFoundError:
        pytest.skip("tileir is not installed")
    assert tileir.__version__ == installed
