"""Messages in a stream: what is one, what is passed by, and after what nothing can be told."""

from __future__ import annotations

import io

import pytest

from tileir.serve.framing import FramingError, TooLong, read_message, write_message

MOST = 1000


def read(data: bytes) -> bytes | None:
    return read_message(io.BytesIO(data), MOST)


def test_messages_follow_each_other() -> None:
    stream = io.BytesIO()
    for data in (b"{}", b"", b"x" * MOST):
        write_message(stream, data)
    assert stream.getvalue().startswith(b"Content-Length: 2\r\n\r\n{}Content-Length: 0\r\n\r\n")
    stream.seek(0)
    assert [read_message(stream, MOST) for _ in range(4)] == [b"{}", b"", b"x" * MOST, None]


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\n\n",
        b"content-length:2\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 0000002\r\n\r\n",
    ],
)
def test_headers_are_taken_as_servers_of_languages_do(header: bytes) -> None:
    assert read(header + b"{}{}") == b"{}"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\r\n{}", "a header without Content-Length"),
        (b"Content-Type: x\r\n\r\n{}", "a header without Content-Length"),
        (b"{}\r\n\r\n", "a line of a header without a colon"),
        (b"Content-Length: two\r\n\r\n{}", "Content-Length is not a number"),
        (b"Content-Length: -2\r\n\r\n{}", "Content-Length is not a number"),
        (b"Content-Length: \r\n\r\n{}", "Content-Length is not a number"),
        ("Content-Length: \u00b2\r\n\r\n".encode("latin-1"), "Content-Length is not a number"),
        (b"Content-Length: " + b"9" * 40 + b"\r\n\r\n", "Content-Length is not a number"),
        (b"a" * 500, "more than 256 bytes"),
        (b"A: b\r\n" * 100, "more than 16 lines"),
    ],
)
def test_what_is_no_header(data: bytes, why: str) -> None:
    with pytest.raises(FramingError, match=why):
        read(data)


def test_what_is_too_long_is_passed_by() -> None:
    stream = io.BytesIO(b"Content-Length: 200000\r\n\r\n" + b"x" * 200_000)
    write_message(io.BytesIO(), b"")
    stream.seek(0, io.SEEK_END)
    write_message(stream, b"next")
    stream.seek(0)
    with pytest.raises(TooLong, match="a message of 200000 bytes, where 1000 are the most"):
        read_message(stream, MOST)
    assert read_message(stream, MOST) == b"next"


@pytest.mark.parametrize(
    "data",
    [b"C", b"Content-Length: 3\r\n", b"Content-Length: 3\r\n\r\n{}",
     b"Content-Length: 1000000000000\r\n\r\n{}"],
)  # fmt: skip
def test_a_stream_that_ends_within_a_message(data: bytes) -> None:
    with pytest.raises(EOFError):
        read(data)
