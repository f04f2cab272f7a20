"""JSON-RPC 2.0: messages from a client, and the objects that answer them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import islice
from threading import Event
from typing import Any

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMETERS, DEFECT = (
    -32700, -32600, -32601, -32602, -32603,
)  # fmt: skip
"""The codes of JSON-RPC itself."""
CANCELLED = -32800
"""The code of language servers."""

_MOST_VALUES = 4096
_STRUCTURE = re.compile(rb"[\[{,:]")
_LONGEST_ID = 200


class RequestError(Exception):
    """A message is no request, or not one that can be answered: code, and why."""

    def __init__(self, code: int, message: str, id: object = None) -> None:
        self.code, self.id = code, id
        super().__init__(message)


@dataclass(eq=False)
class Request:
    """A request under way: its message as it came, and whether it has been cancelled."""

    id: object
    """A number or a text; None for a notification."""
    method: str
    params: dict[str, Any]
    data: bytes = b""
    cancelled: Event = field(default_factory=Event)

    @property
    def name(self) -> str:
        """What the request is called among all that are under way, and in messages."""
        return f"request {key(self.id)}"


def parse(data: bytes) -> Request:
    """Return the request in a message; RequestError if it is none.

    Base64 has no brackets, commas or colons, so a message that is longer than its bytes makes it is
    known before anything is made of it.
    """
    if any(islice(_STRUCTURE.finditer(data), _MOST_VALUES, None)):
        raise RequestError(INVALID_REQUEST, f"a message of more than {_MOST_VALUES} values")
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RequestError(PARSE_ERROR, f"not JSON: {problem}") from None
    if not isinstance(message, dict):
        raise RequestError(INVALID_REQUEST, "a message is an object; there are no batches")
    id = message.get("id")
    if not is_id(id) and "id" in message:
        raise RequestError(INVALID_REQUEST, "an id is a whole number or a short text")
    method, params = message.get("method"), message.get("params", {})
    if message.get("jsonrpc") != "2.0":
        raise RequestError(INVALID_REQUEST, 'a message has "jsonrpc": "2.0"', id)
    if not isinstance(method, str):
        raise RequestError(INVALID_REQUEST, "the method is missing, or no text", id)
    if not isinstance(params, dict):
        raise RequestError(INVALID_PARAMETERS, "the parameters are not an object", id)
    return Request(id, method, params, data)


def is_id(value: object) -> bool:
    """Whether a value may be the id of a request."""
    if isinstance(value, str):
        return len(value) <= _LONGEST_ID
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63


def key(id: object) -> str:
    """Return an id as JSON; ids that differ are different texts."""
    return json.dumps(id)


def answer(id: object, part: bytes) -> bytes:
    """Return the message that answers a request; `part` is made by `result` or `error`."""
    return b'{"jsonrpc": "2.0", "id": %b, %b}' % (key(id).encode(), part)


def result(value: object) -> bytes:
    """Return the part of an answer that says what came out."""
    return b'"result": ' + json.dumps(value, allow_nan=False).encode()


def error(code: int, message: str, data: dict[str, Any] | None = None) -> bytes:
    """Return the part of an answer that says what went wrong."""
    what: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        what["data"] = data
    return b'"error": ' + json.dumps(what, allow_nan=False).encode()
