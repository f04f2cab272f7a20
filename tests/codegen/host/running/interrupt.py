"""Ctrl-C at the right moment."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

LONGEST = 30
"""Seconds after which it comes in any case."""


def interrupt_when(condition: Callable[[], bool]) -> threading.Thread:
    """Send this process what Ctrl-C sends, once the condition holds. The thread is to be joined."""

    def wait() -> None:
        end = time.monotonic() + LONGEST
        while not condition() and time.monotonic() < end:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread
