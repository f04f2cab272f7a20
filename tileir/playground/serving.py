"""A web server for a playground on this machine; it sends the headers that the folder asks for."""

from __future__ import annotations

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
    "": "application/octet-stream",
}


def headers_in(text: str) -> dict[str, dict[str, str]]:
    """Return the headers by path that a file ``_headers`` states."""
    found: dict[str, dict[str, str]] = {}
    path = ""
    for line in text.splitlines():
        if line.startswith("/"):
            path = line.strip()
            found[path] = {}
        elif line.strip():
            name, _, value = line.strip().partition(":")
            found[path][name] = value.strip()
    return found


class Handler(SimpleHTTPRequestHandler):
    """Answers GET and HEAD with the files of a folder."""

    extensions_map = TYPES

    def __init__(self, *given, fields: dict[str, dict[str, str]], **options) -> None:
        self._fields = fields
        super().__init__(*given, **options)

    def end_headers(self) -> None:
        """Send the headers of the path, too."""
        path = self.path.partition("?")[0]
        for name, value in {**self._fields.get("/*", {}), **self._fields.get(path, {})}.items():
            self.send_header(name, value)
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def list_directory(self, path: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Folders have no lists."""
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Serves on; a browser that closes a page in the middle of an answer is no error."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that ended."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """Return a server of a playground, on this machine only; port 0 is any that is free."""
    fields = headers_in((folder / "_headers").read_text("utf-8"))
    handler = partial(Handler, directory=str(folder), fields=fields)
    return Server(("127.0.0.1", port), handler)
