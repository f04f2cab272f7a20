"""Where a kernel stops on the host, as far as frontends and commands know about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MARK = "tileir.breakpoint()\n"
"""How a breakpoint is written in bytecode: as a print of this text."""

BREAKS = ("assert", "finding")
"""What a launch may stop at: an assertion of the kernel that is false; what a check finds."""

ARGUMENTS: list[Callable[[], Mapping[str, Any]]] = []
"""What returns the arguments of the launch that runs, by their names in source: a frontend that
knows them adds a function of its own."""
