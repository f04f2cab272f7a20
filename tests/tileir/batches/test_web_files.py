"""Files of web servers, which may answer with more or less than what is asked for."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tileir.batches.sources import sources
from tileir.command_line.exit_codes import UsageError
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

    with serving(Handler) as url:
        yield f"{url}/x.tileirbc"


@contextlib.contextmanager
def serving(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    """Yield the URL of a server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
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


def test_a_folder_of_a_web_server(tmp_path: Path) -> None:
    """What its page names is read, and nothing that is elsewhere."""
    pytest.importorskip("aiohttp")
    for name in ("k/a.mlir", "k/deep/b.mlir", "k/notes.txt", "c.mlir"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    links = "".join(f'<a href="{to}">x</a>' for to in ("b.mlir", "/c.mlir", "../../c.mlir"))
    (tmp_path / "k/deep/index.html").write_text(links)
    with serving(partial(SimpleHTTPRequestHandler, directory=str(tmp_path))) as url:
        found = {each.below: each.read() for each in sources([f"{url}/k/"])}
        names = [each.name for each in sources([f"{url}/k/"])]
        with pytest.raises(UsageError, match="there is no"):
            list(sources([f"{url}/none/"]))
    assert found == {"a.mlir": b"k/a.mlir", "deep/b.mlir": b"k/deep/b.mlir"}
    assert names == [f"{url.removeprefix('http://')}/k/{each}" for each in found]
