"""Passwords and signatures in URLs: neither in messages nor in the names of modules."""

from __future__ import annotations

import pytest

from tests.programs import call
from tileir.__main__ import main
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


def test_a_batch_does_not_show_them() -> None:
    pytest.importorskip("fsspec")
    done = call(main, "batch", "verify", "nothing://me:secret@there/x.mlir?key=secret")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing://...@there/x.mlir?..." in done.stderr
    assert "secret" not in done.stderr
    assert Remote("memory://x").name_of("http://me:secret@there/x.mlir") == "there/x.mlir"
