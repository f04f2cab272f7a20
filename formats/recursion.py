"""Python's recursion limit, raised for as much nesting as the limits allow."""

from __future__ import annotations

import sys
from contextlib import contextmanager

from .forks import Lock, not_forking
from .limits import DEFAULT, Limits

_FRAMES_PER_LEVEL = 24
_lock = Lock()
_users: list[int] = []
_limit_before = 0


@contextmanager
def deep_recursion(limits: Limits = DEFAULT):
    """Raise Python's recursion limit in a `with` block, in all threads.

    The tree is walked by recursion in pure Python, which costs no C stack; the depth that the nodes
    count bounds it.
    """
    global _limit_before
    room = _FRAMES_PER_LEVEL * (limits.region_depth + limits.attribute_depth) + 500
    with not_forking:  # the child would keep the limits of all threads
        with _lock:
            if not _users:
                _limit_before = sys.getrecursionlimit()
            _users.append(room)
            sys.setrecursionlimit(_limit_before + max(_users))
        try:
            yield
        finally:
            with _lock:
                _users.remove(room)
                sys.setrecursionlimit(_limit_before + max(_users, default=0))
