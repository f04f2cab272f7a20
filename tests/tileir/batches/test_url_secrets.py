"""Passwords and signatures in URLs: neither in messages nor in the names of modules."""

from __future__ import annotations

import socket

import pytest

from tests.programs import call
from tileir.__main__ import main
from tileir.batches import urls
from tileir.batches.urls import Remote
from tileir.messages.urls import without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s3://me:pass/word@bucket/x", "s3://...@bucket/x"),
        ("no https://a/b?X-Signature=1&b=2 there", "no https://a/b?... there"),
        ("https://a/b", "https://a/b"),
        ("k/a.mlir", "k/a.mlir"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://a.org/x.mlir?X-Amz-Signature=1&X-Amz-Date=2&v=3", "a.org/x.mlir?v=3"),
        ("https://a.org/x.mlir?sv=2020&sr=b&sig=se%2Fcret", "a.org/x.mlir"),
        ("https://me:pass@a.org/get?id=1&token=2", "a.org/get?id=1"),
        ("https://a.org/get?src=x&sha=1&st=2", "a.org/get?src=x&sha=1"),
        ("bucket/x?y.mlir", "bucket/x?y.mlir"),
    ],
)
def test_names_are_unsigned(url: str, name: str) -> None:
    pytest.importorskip("fsspec")
    assert Remote("memory://x").name_of(url) == name


def test_a_web_server_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the connection and says nothing."""
    pytest.importorskip("aiohttp")
    monkeypatch.setattr(urls, "READING", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.tileirbc"
        done = call(main, "batch", "verify", url)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"tileir batch: {url}: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_batch_does_not_show_them() -> None:
    pytest.importorskip("fsspec")
    done = call(main, "batch", "verify", "nothing://me:secret@there/x.mlir?key=secret")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing://...@there/x.mlir?..." in done.stderr
    assert "secret" not in done.stderr
    assert Remote("memory://x").name_of("http://me:secret@there/x.mlir") == "there/x.mlir"
