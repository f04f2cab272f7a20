"""File systems of fsspec: of which kind one is, reading a file, and what to do when one refuses.

Packages that fsspec finds raise what they like, so callers take any exception for a failure.
"""

from __future__ import annotations

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
_NO_RANGE = 416
"""The code of HTTP where a file has no byte of the range that is asked for (RFC 9110, 15.5.17)."""


def protocols(fs: Any) -> set[str]:
    """Return the schemes of the URLs that a file system is for."""
    return {fs.protocol} if isinstance(fs.protocol, str) else set(fs.protocol)


def read_file(fs: Any, path: str, most: int) -> bytes:
    """Return the bytes of a file, of a longer one `most` and one more.

    Servers of the web may send all of a file where a range is asked for, so it is read as it comes.
    Stores of objects refuse to read a range of an empty object, as it has none; any other refusal
    is raised, whatever the size of the object is.
    """
    if protocols(fs) & WEB:
        with fs.open(path, "rb", block_size=0, size=1) as stream:  # a size, so that none is asked
            return _first_of(stream, most + 1)
    try:
        return bytes(fs.cat_file(path, start=0, end=most + 1))
    except Exception as problem:
        if not _is_without_range(problem):
            raise
        return b""


def _first_of(stream: Any, most: int) -> bytes:
    """Return so many bytes of a stream, which may give fewer at a time; all if it ends before."""
    found = bytearray()
    while len(found) < most and (part := stream.read(most - len(found))):
        found += part
    return bytes(found)


def _code(problem: Exception) -> str:
    """Return the code of HTTP that an error has; "None" without one."""
    for name in ("status", "code"):  # aiohttp's, whose `code` is deprecated, and gcsfs's
        if (found := getattr(problem, name, None)) is not None:
            return str(found)
    return str(None)


def _is_without_range(problem: Exception) -> bool:
    """Whether a server says that a file has not even its first byte, and so is empty."""
    code = _code(problem)
    response = getattr(problem.__cause__, "response", None)  # botocore's, behind s3fs's OSError
    if isinstance(response, dict):
        code = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return str(code) == str(_NO_RANGE)


def advice(url: str, problem: Exception) -> str:
    """Return what to do about a problem at a URL, behind "; "; "" if nobody is refused there."""
    scheme = url.partition("://")[0]
    refused = (
        isinstance(problem, PermissionError)
        or "Credential" in type(problem).__name__  # botocore's and Google's errors
        or _code(problem) in _REFUSALS
        or (isinstance(problem, OSError) and str(problem).startswith("Forbidden:"))  # gcsfs's
    )
    found = next((text for schemes, text in _ASKED.items() if scheme in schemes), "")
    return f"; {found}" if refused and found else ""
