"""What a message must be, and that hostile ones cost little."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from tileir.serve.requests import RequestError, answer, error, parse, result


def message(**members: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "verify", **members}).encode()


def test_a_request() -> None:
    request = parse(message(params={"module": "AA=="}))
    assert (request.id, request.method, request.params) == (1, "verify", {"module": "AA=="})
    assert request.name == "request 1"
    assert parse(message(id="1")).name == 'request "1"'
    notification = parse(b'{"jsonrpc": "2.0", "method": "exit"}')
    assert (notification.id, notification.params) == (None, {})


@pytest.mark.parametrize(
    ("data", "code", "id"),
    [
        (b"", -32700, None),
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 4000, -32700, None),
        (b"1" * 5000, -32700, None),
        (b"[]", -32600, None),
        (b"null", -32600, None),
        (b"[" + b"{}," * 5000 + b"{}]", -32600, None),
        (message(id=None), -32600, None),
        (message(id=1.5), -32600, None),
        (message(id=True), -32600, None),
        (message(id=[1]), -32600, None),
        (message(id=1 << 70), -32600, None),
        (message(id="i" * 500), -32600, None),
        (message(jsonrpc="1.0"), -32600, 1),
        (message(method=7), -32600, 1),
        (message(params=[1]), -32602, 1),
        (message(params=None), -32602, 1),
    ],
)
def test_what_is_no_request(data: bytes, code: int, id: object) -> None:
    with pytest.raises(RequestError) as caught:
        parse(data)
    assert (caught.value.code, caught.value.id) == (code, id)


@pytest.mark.parametrize("part", [b"[],", b"{},", b'"":0,', b"[" * 100 + b"0" + b"]" * 100 + b","])
def test_a_message_that_would_be_dear_is_not_read(part: bytes) -> None:
    data = b"[" + part * (3_000_000 // len(part)) + b"0]"
    tracemalloc.start()
    with pytest.raises(RequestError, match="more than 4096 values"):
        parse(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


def test_answers() -> None:
    done = json.loads(answer('a"\u1234', result({"text": "\udc80"})))
    assert done == {"jsonrpc": "2.0", "id": 'a"\u1234', "result": {"text": "\udc80"}}
    failed = json.loads(answer(None, error(-32700, "no", {"exit_code": 3})))
    assert failed["error"] == {"code": -32700, "message": "no", "data": {"exit_code": 3}}
