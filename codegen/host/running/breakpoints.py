"""Breakpoints of a running kernel: `tileir.breakpoint()` shows the tiles that it can see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileir.codegen.host.debugging.frames import Place, stop_at
from tileir.launch.breakpoints import ARGUMENTS

from .report import Handler, Report
from .traces import array_of


def handler(site: Mapping[str, Any]) -> Handler:
    """Make a handler that stops: other blocks that come to one wait until this one goes on."""

    def handle(report: Report) -> None:
        pairs = zip(site["names"], site["arguments"], strict=True)
        variables = {name: array_of(tile, report.data) for name, tile in pairs}
        _, _, called_at = site["location"].partition(", inlined at ")
        arguments = {name: value for known in ARGUMENTS for name, value in known().items()}
        stop_at(Place.of(called_at, site["function"], report.block), variables, arguments)

    return handle


def passing_handler(site: Mapping[str, Any]) -> Handler:
    """Make a handler that does not stop."""
    return lambda report: None
