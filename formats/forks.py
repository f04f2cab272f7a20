"""What a fork of the process must not come between.

The child of a fork has the memory of its parent and one of its threads. A lock that another thread
held stays locked in it for ever, and what that thread was about to do stays half done: a module
that is half imported, say, whose own lock hangs everybody who imports it. So a fork waits until no
thread is inside a part of ours that must be done as a whole: a few milliseconds as a rule, and as
long as a large body takes to decode at worst. Launches are no such part; neither is a compilation,
apart from each of its calls into LLVM.

`subprocess` does not wait, as its child runs another program at once.
"""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager

PATIENCE = 60.0
"""Seconds after which a process forks nevertheless: Ctrl-C may have cut short what a thread did."""


class _Depth(threading.local):
    """How often the current thread is inside."""

    depth = 0


class _Gate:
    """Many threads may be inside at once, or one that forks and nobody else.

    A thread that is inside may enter again, and may fork: it is its own child that goes on.
    `held` are locks of other libraries, which a fork has to hold as well. It waits for one thing at
    a time and holds nothing while it waits, so it cannot be part of a deadlock.
    """

    def __init__(self) -> None:
        self.held: list[AbstractContextManager] = []
        self._changed = threading.Condition(threading.Lock())
        self._own = _Depth()
        self._inside: set[int] = set()
        self._forking: int | None = None

    def __enter__(self) -> None:
        if not self._own.depth:
            own = threading.get_ident()
            with self._changed:
                while self._forking not in (None, own):
                    self._changed.wait()
                self._inside.add(own)
        self._own.depth += 1

    def __exit__(self, *problem: object) -> None:
        self._own.depth -= 1
        if not self._own.depth:
            with self._changed:
                self._inside.discard(threading.get_ident())
                self._changed.notify_all()

    def _free(self) -> bool:
        """Whether no other thread is inside, or about to fork."""
        own = threading.get_ident()
        return self._forking in (None, own) and self._inside <= {own}

    def before_fork(self) -> None:
        """Wait until nobody is inside, and keep everybody out until `after_fork`."""
        while True:
            for lock in self.held:
                lock.__enter__()
            with self._changed:
                if self._free():
                    self._forking = threading.get_ident()
                    return
            self._release()
            with self._changed:
                if not self._changed.wait_for(self._free, PATIENCE):
                    return

    def _release(self) -> None:
        for lock in reversed(self.held):
            lock.__exit__(None, None, None)

    def after_fork(self) -> None:
        """Let everybody in again."""
        if self._forking == threading.get_ident():  # else it did not wait to the end
            self._release()
            with self._changed:
                self._forking = None
                self._changed.notify_all()

    def in_child(self) -> None:
        """Forget the threads that the child does not have."""
        own, self._changed = threading.get_ident(), threading.Condition(threading.Lock())
        self._inside &= {own}
        self._forking = own if self._forking == own else None
        self.after_fork()


not_forking = _Gate()
"""A context manager: the process does not fork while a thread is inside."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=not_forking.before_fork,
        after_in_parent=not_forking.after_fork,
        after_in_child=not_forking.in_child,
    )


class Lock:
    """A `threading.RLock` that no fork finds locked by another thread."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        not_forking.__enter__()
        try:
            self._lock.acquire()
        except BaseException:  # Ctrl-C
            not_forking.__exit__()
            raise

    def __exit__(self, *problem: object) -> None:
        self._lock.release()
        not_forking.__exit__()
