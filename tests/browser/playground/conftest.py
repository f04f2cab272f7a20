"""A playground, served to this machine, and a tab with Python in it that tests share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.watching import Watch, watched
from tests.corpus import ROOT
from tileir.playground.command import configure, run
from tileir.playground.serving import server

STARTING = 300_000
"""Milliseconds within which Python has started, on whatever machine."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A playground, with the Pyodide of tests/wasm; npm fetches it where it is not installed."""
    import argparse

    made, installed = (
        tmp_path_factory.mktemp("playground"),
        ROOT / "tests/wasm/node_modules/pyodide",
    )
    parser = argparse.ArgumentParser()
    configure(parser)
    given = ["--pyodide", str(installed)] if installed.is_dir() else []
    assert run(parser.parse_args(["-o", str(made), *given])) == 0
    return made


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a playground on a port that is free; returns its address."""
    with server(folder, 0) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{serving.server_address[1]}/"
        finally:
            serving.shutdown()
            thread.join()


@pytest.fixture(scope="session")
def address(folder: Path) -> Iterator[str]:
    """The address of the playground."""
    with served(folder) as own:
        yield own


def started(page: Any, address: str) -> None:
    """Open a playground, and wait until Python runs in it."""
    page.goto(address)
    page.locator(".state[data-state=ready]").wait_for(timeout=STARTING)


@pytest.fixture(scope="session")
def shared(browser: Any, address: str) -> Iterator[tuple[Any, Watch]]:
    """The tab that tests share: starting Python takes seconds."""
    with watched(browser) as (page, watch):
        page.set_default_timeout(60_000)
        started(page, address)
        yield page, watch


@pytest.fixture
def page(shared: tuple[Any, Watch], address: str) -> Iterator[Any]:
    """That tab without any file; what it did is checked after each test."""
    page, watch = shared
    page.evaluate("history.replaceState(null, '', location.pathname)")
    page.locator(".state[data-state=ready]").wait_for(timeout=STARTING)
    yield page
    complaints, watch.complaints = watch.complaints, []
    assert not complaints
    watch.check(address)
    page.evaluate("playground.python.seconds = 60")
    page.evaluate("playground.files.splice(0); playground.choose(null); playground.show('bytes')")
    page.evaluate("document.querySelector('#notice button').click()")


@pytest.fixture
def opened(page: Any) -> Callable[..., Any]:
    """Open a file of the page by name and bytes, as if it was dropped; returns the page."""

    def open_file(name: str, data: bytes) -> Any:
        script = "([name, data]) => { playground.open(name, new Uint8Array(data)); }"
        page.evaluate(script, [name, list(data)])
        return page

    return open_file
