"""Do something that may never end, and wait for it only so long."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, action: Callable[[], Result]) -> Result:
    """Return what an action returns, or raise what it raises; TimeoutError if it takes longer.

    It then goes on in a thread of its own, which does not keep the process from ending.
    """
    done: queue.SimpleQueue[tuple[Result | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put((action(), None))
        except BaseException as problem:
            done.put((None, problem))

    threading.Thread(target=run, name="tileir: shared store", daemon=True).start()
    try:
        result, problem = done.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if problem is not None:
        raise problem
    return result  # type: ignore[return-value]  # nothing was raised, so this is the result
