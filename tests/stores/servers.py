"""Servers of S3 and GCS in threads, with one bucket each. That of S3 can refuse requests."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

BUCKET = "kernels"
IDENTITY = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
"""Variables of who asks S3; nothing is looked up elsewhere."""

_REFUSAL = "<?xml version='1.0'?><Error><Code>{}</Code><Message>refused by a test</Message></Error>"


class Refusing:
    """A WSGI application in front of another: it refuses each request of which it is told to.

    refused  returns the status and the code of S3 for the request of a number, or None
    """

    def __init__(self, behind: Callable[..., Iterable[bytes]]) -> None:
        self._behind = behind
        self.refused: Callable[[int], tuple[str, str] | None] = lambda number: None
        self.count = 0
        self._numbers, self._lock = itertools.count(1), threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with self._lock:
            refusal = self.refused(next(self._numbers))
            self.count += refusal is not None
        if refusal is None:
            return self._behind(environ, start_response)
        status, code = refusal
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start_response(status, [("Content-Type", "application/xml")])
        return [_REFUSAL.format(code).encode()]

    def one_in_ten(self, status: str, code: str) -> None:
        """Refuse each tenth request from now on."""
        self._numbers = itertools.count(1)
        self.refused = lambda number: None if number % 10 else (status, code)


@contextmanager
def s3_server() -> Iterator[tuple[str, Refusing]]:
    """Its URL, and what stands in front of it."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        def log(self, type: str, message: str, *args: Any) -> None:
            pass

    front = Refusing(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, front, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}", front
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def gcs_server() -> Iterator[str]:
    """Its URL."""
    from gcp_storage_emulator.server import create_server

    server = create_server("127.0.0.1", 0, in_memory=True, default_bucket=BUCKET)
    server.start()
    try:
        yield f"http://127.0.0.1:{server._api._httpd.server_address[1]}"
    finally:
        server.stop()
