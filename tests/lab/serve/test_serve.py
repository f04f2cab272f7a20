"""A short session: hostile requests among others change no answer and take no memory."""

from __future__ import annotations

import sys

import pytest

from . import traffic
from .session import run

REQUESTS = 150
GROWN = 4 << 10
"""KiB by which the front may have grown."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is looked up in /proc")
def test_hostile_requests_harm_no_other() -> None:
    session = run(REQUESTS, 10)
    assert not session.wrong
    assert session.answers.total() == REQUESTS
    assert session.answers["innocent: a result"] > REQUESTS / 3
    assert session.peak("front", 0, 1) < session.samples[0].front + GROWN


def test_the_traffic_is_the_same_everywhere() -> None:
    assert list(traffic.requests(30)) == list(traffic.requests(30))
    kinds = {each.kind for each in traffic.requests(60)}
    assert kinds == {traffic.INNOCENT, traffic.REFUSED, traffic.ANY}
