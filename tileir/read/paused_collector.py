"""A pause of garbage collection while very many objects are made that all stay alive.

Python's cycle collector scans all live objects again and again while their number grows. For a
module of 200,000 ops that is 35 to 45 % of the time, in vain: ops and values refer to each other in
circles, but all of them stay in use.

The collector is one for the whole process, so the garbage of other threads waits, too. When several
threads pause it at once, the first of them to pause it turns it on again; the others then run the
rest with the collector on, which costs time and nothing else.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from tileir.formats.forks import not_forking


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the cycle collector off inside; turn it on again afterwards if it was on before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        with not_forking:  # the child would never turn it on again
            yield
    finally:
        if was_on:
            gc.enable()
