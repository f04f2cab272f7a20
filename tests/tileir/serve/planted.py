"""A worker of `tileir serve` that does what a request tells it to, as hostile modules might."""

from __future__ import annotations

import json

from tests.tileir.supervisor import planted
from tileir.serve import requests


def answer(data: bytes) -> bytes:
    """Do the deed that a request names, and return its number."""
    message = json.loads(data)
    deed = message["params"].get("deed")
    if deed is not None:
        planted.obey(deed.encode())
    return requests.result(message["params"].get("number"))
