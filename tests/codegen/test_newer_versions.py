"""Kernels in files of version 13.6: what is known compiles with a warning, the rest is refused."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.tileir.newer.made_up import HINTED, KNOWN, TWISTED, stated, whole
from tileir import Bytecode, UncheckedWarning, UnsupportedError

VECTOR_ADD = (FIXTURES / "13.5" / "vector_add.tileirbc").read_bytes()
NEWER = r"version 13\.6 of the bytecode is newer than 13\.5"


@pytest.mark.parametrize("target", ["host", "sm_90"])
def test_a_function_with_unknown_content_is_refused_in_one_sentence(target: str) -> None:
    for symbols in (None, TWISTED):
        with pytest.warns(UncheckedWarning, match=NEWER), pytest.raises(UnsupportedError) as caught:
            tileir.compile(whole(TWISTED, KNOWN), target, symbols=symbols, cache=False)
        assert str(caught.value) == (
            "entry twisted is not compiled, as not all of it is known: expected a known opcode, "
            "found 200; from 0x1d on 10 bytes are opaque"
        )


@pytest.mark.parametrize("target", ["host", "sm_90"])
def test_a_list_of_functions_that_cannot_be_read_is_refused(target: str) -> None:
    """A kernel whose head is unknown has no name, and is not left out in silence."""
    data = bytearray(stated(VECTOR_ADD))
    assert data[0x13] == 2  # the flags of the kernel
    data[0x13] = 0x42
    with pytest.warns(UncheckedWarning, match=NEWER), pytest.raises(UnsupportedError) as caught:
        tileir.compile(bytes(data), target, cache=False)
    assert str(caught.value).startswith("no entry is known: ")


@pytest.mark.parametrize("target", ["host", "sm_90"])
def test_known_functions_beside_it_are_compiled(target: str) -> None:
    with pytest.warns(UncheckedWarning, match=NEWER):
        compiled = tileir.compile(whole(TWISTED, KNOWN), target, symbols=KNOWN, cache=False)
    assert list(compiled) == [KNOWN]


@pytest.mark.parametrize("target", ["host", "sm_90"])
def test_entries_that_cannot_be_told_are_not_left_out(target: str) -> None:
    data = whole(KNOWN, HINTED, KNOWN)
    with pytest.warns(UncheckedWarning, match=NEWER), pytest.raises(UnsupportedError) as caught:
        tileir.compile(data, target, cache=False)
    assert str(caught.value).startswith("not all entries are known, so name those wanted: ")
    with pytest.warns(UncheckedWarning, match=NEWER):
        assert list(tileir.compile(data, target, symbols=KNOWN, cache=False)) == [KNOWN]


def test_what_is_compiled_is_what_the_latest_version_means() -> None:
    with pytest.warns(UncheckedWarning, match=NEWER):
        newer = tileir.compile(stated(VECTOR_ADD), "sm_90")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assumed = tileir.compile(Bytecode.parse(stated(VECTOR_ADD), assume_version="13.5"), "sm_90")
    assert newer.ptx == assumed.ptx == tileir.compile(VECTOR_ADD, "sm_90").ptx


def entries(folder: Path) -> set[Path]:
    """The files of a cache."""
    return {path for path in folder.rglob("*") if path.is_file()}


def test_the_cache_tells_assumed_versions_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept for one version that bytes are read by is not found for another."""
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path))
    data = stated(VECTOR_ADD)
    with pytest.warns(UncheckedWarning, match=NEWER):
        tileir.compile(data, "sm_90")
    kept = entries(tmp_path)
    assert kept
    tileir.compile(Bytecode.parse(data, assume_version="13.5"), "sm_90")
    more = entries(tmp_path)
    assert kept < more
    tileir.compile(Bytecode.parse(data, assume_version="13.5"), "sm_90")
    assert entries(tmp_path) == more
