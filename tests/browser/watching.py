"""Chromium, and a page of it that is watched: whatever it asks for, says or breaks is noted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
]
NOTE_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error("policy violated: " + event.violatedDirective + " by " + event.blockedURI), true);
"""


def chromium() -> str:
    """Return the path of Chromium; a RuntimeError says that there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise RuntimeError("Chromium is not installed (Debian's package is called chromium)")
    return found


@contextmanager
def launched() -> Iterator[Any]:
    """Start Chromium without a screen; it ends with the context."""
    from playwright.sync_api import sync_playwright

    root = hasattr(os, "geteuid") and os.geteuid() == 0
    flags = [*FLAGS, *(["--no-sandbox"] if root else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=flags)
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """What a page did that no page may do, and where it asked for something."""

    def __init__(self, page: Any) -> None:
        self.requests: list[str] = []
        self.dialogs: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.on("popup", lambda other: self.requests.append(f"popup {other.url}"))
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._said)
        page.add_init_script(NOTE_VIOLATIONS)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def check(self, own: str) -> None:
        """Check that the page asked for nothing but its `own` address, and did all in silence."""
        assert not self.outside(own)
        assert not self.dialogs
        assert not self.complaints

    def outside(self, own: str) -> list[str]:
        """Return the requests that are for another address than those that start with `own`."""
        return [url for url in self.requests if not url.startswith(own)]


@contextmanager
def watched(browser: Any, **options: Any) -> Iterator[tuple[Any, Watch]]:
    """Open a tab of its own, which is closed with the context.

    `options` are those of a context of playwright: the colour scheme, the size of the window ...
    """
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
    try:
        page = context.new_page()
        page.set_default_timeout(15_000)
        watch = Watch(page)
        yield page, watch
    finally:
        context.close()
