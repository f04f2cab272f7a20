"""File systems of fsspec: of which kind one is, reading a file, and what to do when one refuses.

Packages that fsspec finds raise what they like, so callers take any exception for a failure.
"""

from __future__ import annotations

import contextlib
from typing import Any

ON_THIS_MACHINE = frozenset({"file", "local"})
WEB = frozenset({"http", "https"})

_ASKED = {
    ("s3", "s3a"): "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, say who asks, and"
    " FSSPEC_S3_ANON=true reads what is public",
    ("gs", "gcs"): "GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth application-default login, says"
    " who asks, and FSSPEC_GS_TOKEN=anon reads what is public",
}
"""Schemes of URLs -> how somebody says there who asks."""
_REFUSALS = ("401", "403")
"""Codes of HTTP; packages have them as numbers or as texts."""


def protocols(fs: Any) -> set[str]:
    """Return the schemes of the URLs that a file system is for."""
    return {fs.protocol} if isinstance(fs.protocol, str) else set(fs.protocol)


def read_file(fs: Any, path: str, most: int) -> bytes:
    """Return the bytes of a file, of a longer one `most` and one more.

    Stores of objects refuse to read a range of an empty object, as it has none.
    """
    try:
        return bytes(fs.cat_file(path, start=0, end=most + 1))
    except (FileNotFoundError, PermissionError, TimeoutError, ConnectionError):
        raise
    except Exception:
        if not _is_empty(fs, path):
            raise
        return b""


def _is_empty(fs: Any, path: str) -> bool:
    with contextlib.suppress(Exception):  # what the reader has said is told
        return fs.size(path) == 0
    return False


def advice(url: str, problem: Exception) -> str:
    """Return what to do about a problem at a URL, behind "; "; "" if nobody is refused there."""
    scheme = url.partition("://")[0]
    refused = (
        isinstance(problem, PermissionError)
        or "Credential" in type(problem).__name__  # botocore's and Google's errors
        or str(getattr(problem, "code", None)) in _REFUSALS
        or (isinstance(problem, OSError) and str(problem).startswith("Forbidden:"))  # gcsfs's
    )
    found = next((text for schemes, text in _ASKED.items() if scheme in schemes), "")
    return f"; {found}" if refused and found else ""
