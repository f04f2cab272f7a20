"""No garbage collection while very many objects are made that all stay.

Python's cycle collector looks through everything that is alive again and again while the number of
objects grows. For a large module that is most of the time, and there is nothing to be found: ops
and values refer to each other in circles, but none of them is let go.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the cycle collector off inside; on again afterwards only if it was on before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
