"""Files of web servers, which may answer with more or less than what is asked for."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tileir.remote.file_systems import advice, read_file

LONG = bytes(range(256)) * 4096


@contextlib.contextmanager
def served(code: int, data: bytes) -> Iterator[str]:
    """Yield the URL of a server that gives all of its data, whatever range is asked for."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()
            with contextlib.suppress(ConnectionError):  # where the reader has enough
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/x.tileirbc"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("data", "most", "read"),
    [(LONG, 300_000, LONG[:300_001]), (LONG, 1 << 21, LONG), (b"", 10, b""), (b"abc", 2, b"abc")],
)
def test_no_more_is_read_than_asked_for(data: bytes, most: int, read: bytes) -> None:
    pytest.importorskip("aiohttp")
    import fsspec

    with served(200, data) as url:
        assert read_file(fsspec.filesystem("http"), url, most) == read


@pytest.mark.parametrize("code", [403, 409, 416, 500])
def test_an_error_of_a_server_is_raised(code: int) -> None:
    pytest.importorskip("aiohttp")
    import fsspec
    from aiohttp import ClientResponseError

    with served(code, b"") as url, pytest.raises(ClientResponseError) as caught:
        read_file(fsspec.filesystem("http"), url, 10)
    assert caught.value.status == code
    assert bool(advice(url.replace("http", "s3"), caught.value)) is (code == 403)
