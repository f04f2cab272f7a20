"""Reports of a running kernel: printed text, a failed assertion, a wrong access.

Machine code has no strings. It calls one function with the number of a *site*, a point in the
kernel that can report; the kernel's table of sites says how Python handles it. A problem ends the
launch, which raises it.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tileir.codegen.host.checking import findings

from . import breakpoints, messages, traces
from .context import REPORT, LaunchContext
from .report import NAMELESS, Handler, Names, Report

HANDLERS: dict[str, Callable[[Mapping[str, Any]], Handler]] = {
    **findings.HANDLERS,
    **messages.HANDLERS,
    "breakpoint": breakpoints.handler,
    "trace": traces.print_handler,
}
"""Kind of a site -> function from the site's row in the table to its handler."""


def handlers_of(
    sites: Iterable[Mapping[str, Any]],
    on_trace: traces.OnTrace | None = None,
    print_assertions: bool = True,
    stopping: bool = True,
) -> list[Handler]:
    """Make the handlers of a kernel's sites, in order. A row of `sites` has its kind under "kind".

    Traced values are passed to `on_trace`, or printed if there is none. Breakpoints are passed by
    if `stopping` is false.
    """
    makers = dict(HANDLERS)
    if on_trace is not None:
        makers["trace"] = lambda site: traces.call_handler(site, on_trace)
    if not print_assertions:
        makers["assert"] = messages.raise_handler
    if not stopping:
        makers["breakpoint"] = breakpoints.passing_handler
    return [makers[site["kind"]](site) for site in sites]


class Reports:
    """Passes the reports of one launch to their handlers, one at a time.

    The first exception that a handler raises is appended to `problems` and sets the launch's stop
    flag; later reports are dropped.
    """

    def __init__(
        self,
        handlers: Sequence[Handler],
        context: LaunchContext,
        problems: list[BaseException],
        names: Names = NAMELESS,
    ) -> None:
        self._problems = problems
        self._names = names
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
                    self._handlers[site](Report(index, data or 0, (x, y, z), self._names))
        except BaseException as problem:  # ctypes would print it and go on
            self._problems.append(problem)
            self._stop.value = 1
