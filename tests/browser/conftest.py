"""The browser of a run, and pages in it that are watched; for pages of any part of tileir."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.browser.watching import Watch, launched, watched
from tileir.report.model import model
from tileir.report.page import page as page_of

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all that is in this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; an error, not a skip, where it is not installed."""
    with launched() as started:
        yield started


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a watched tab: ``tab(own, url=None, **options)`` returns playwright's page.

    `own` is how all addresses start that it may ask for; at the end of the test it is checked that
    it asked for no other, and that no script failed, no dialog came and no policy was violated.
    """
    watches: list[tuple[Watch, str]] = []
    with ExitStack() as stack:

        def opened(own: str, url: str | None = None, **options: Any) -> Any:
            page, watch = stack.enter_context(watched(browser, **options))
            watches.append((watch, own))
            page.goto(url or own)
            return page

        yield opened
        for watch, own in watches:
            watch.check(own)


@pytest.fixture
def report(tab: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Open the page of a report from its file: ``report(data_or_model, name, hash="")``.

    Returns playwright's page when the client has drawn it.
    """

    def shown(
        content: bytes | dict, name: str = "k.tileirbc", hash: str = "", **options: Any
    ) -> Any:
        made = content if isinstance(content, dict) else model(content, name)
        path = tmp_path / "report.html"
        path.write_text(page_of(made), "utf-8")
        page = tab(path.as_uri(), path.as_uri() + hash, **options)
        page.wait_for_selector("#report :is(.panes, .kernels) .row", state="attached")
        return page

    return shown


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core; an error, not a skip, where it is not installed."""
    path = HERE / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists():
        raise RuntimeError("axe-core is not installed (npm ci --prefix tests/browser)")
    return path.read_text("utf-8")
