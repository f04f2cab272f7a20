"""What a running kernel says to the outside: printed text, a false assertion, a wrong access.

Machine code knows no strings. It calls one function with the number of a *site*, a place in the
kernel that can speak; what to do there is Python's business, and found in the kernel's table of
sites. A problem ends the launch and is raised by it.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tileir.codegen.host.checking import findings

from . import messages, traces
from .context import REPORT, LaunchContext
from .report import Handler, Report

HANDLERS: dict[str, Callable[[Mapping[str, Any]], Handler]] = {
    **findings.HANDLERS,
    **messages.HANDLERS,
    "trace": traces.printed,
}
"""Kind of a site -> makes the handler of a site from its row in the table of sites."""


def handlers_of(
    sites: Iterable[Mapping[str, Any]],
    on_trace: traces.OnTrace | None = None,
    print_assertions: bool = True,
) -> list[Handler]:
    """The handlers of a kernel's sites, in order. A row of `sites` has its kind under "kind".

    `on_trace` gets the traced values that are printed otherwise.
    """
    makers = dict(HANDLERS)
    if on_trace is not None:
        makers["trace"] = lambda site: traces.handed_to(site, on_trace)
    if not print_assertions:
        makers["assert"] = messages.raised
    return [makers[site["kind"]](site) for site in sites]


class Reports:
    """Hands the reports of one launch to their handlers, one at a time.

    The first exception that one of them raises is put into `problems`. With it the launch's stop
    flag is set, and whatever else its blocks have to say is dropped.
    """

    def __init__(
        self, handlers: Sequence[Handler], context: LaunchContext, problems: list[BaseException]
    ) -> None:
        self._problems = problems
        self._handlers = handlers
        self._one_at_a_time = threading.RLock()
        # The context owns the callback and the callback this object: a reference back would keep
        # the arguments of the launch alive until the next collection of cycles.
        self._stop = ctypes.c_int32.from_address(
            ctypes.addressof(context) + LaunchContext.stop.offset
        )
        context.report = REPORT(self._report)

    def _report(self, site: int, index: int, data: int | None, x: int, y: int, z: int) -> None:
        try:
            with self._one_at_a_time:
                if not self._stop.value:
                    self._handlers[site](Report(index, data or 0, (x, y, z)))
        except BaseException as problem:  # ctypes would print it and go on
            self._problems.append(problem)
            self._stop.value = 1
