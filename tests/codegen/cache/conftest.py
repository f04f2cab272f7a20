"""Machines that share a store, in one process; for the tests of that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.codegen.cache.shared_jobs import NAMES, Machine, everything, module
from tileir.codegen import fresh
from tileir.codegen.cache import folder as cache_folder


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The symbols of each module that was really compiled."""
    seen: list[str] = []
    original = fresh.check_rules

    def check(bytecode, functions) -> None:
        seen.append(" ".join(function.name for function in functions))
        original(bytecode, functions)

    monkeypatch.setattr(fresh, "check_rules", check)
    return seen


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Each call is a new process on a new machine: with an empty cache, and a URL."""
    count = iter(range(100))

    def new(url: str | Path, key: str = "") -> None:
        monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / f"machine {next(count)}"))
        monkeypatch.setenv("TILEIR_CACHE_SHARED", str(url))
        monkeypatch.setenv("TILEIR_CACHE_KEY_FILE", key)
        cache_folder._shared.cache_clear()

    yield new
    cache_folder._shared.cache_clear()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture(scope="package")
def expected() -> list[Any]:
    """What comes of the modules without any cache."""
    return [everything(tileir.compile(module(name), "sm_90", cache=False)) for name in NAMES]
