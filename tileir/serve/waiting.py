"""Requests that wait for a worker: so many and no more, so that the front's memory is bounded."""

from __future__ import annotations

import threading
from collections import deque

from .requests import Request

MOST_REQUESTS = 64
"""Requests that wait; more are left in the pipe."""


class Waiting:
    """A queue between the thread that reads and those that work, bounded in requests and bytes.

    `put` waits until there is room, which is what holds a client up that asks faster than workers
    answer: the pipe fills.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._items: deque[Request] = deque()
        self._bytes = 0
        self._closed = False
        self._changed = threading.Condition()

    def put(self, request: Request) -> None:
        """Add a request as soon as there is room; nothing if the queue is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._fits(request))
            self._items.append(request)
            self._bytes += len(request.data)
            self._changed.notify_all()

    def take(self) -> Request | None:
        """Return the oldest request, waiting for one; None if the queue is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._items)
            if self._closed:
                return None
            request = self._items.popleft()
            self._bytes -= len(request.data)
            self._changed.notify_all()
            return request

    def close(self) -> None:
        """Forget what waits; nobody waits here any more."""
        with self._changed:
            self._closed = True
            self._items.clear()
            self._changed.notify_all()

    def _fits(self, request: Request) -> bool:
        if not self._items:
            return True
        room = self._bytes + len(request.data) <= self._most_bytes
        return room and len(self._items) < MOST_REQUESTS
