"""The types of a report, one callback from a running kernel, and of its handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Report(NamedTuple):
    """One callback: a number and an address, whose meaning the site defines, and the block.

    The memory at `data` is valid for the duration of the call.
    """

    index: int
    data: int
    block: tuple[int, int, int]


Handler = Callable[[Report], None]
"""Handles the reports of a site. An exception ends the launch, which raises it."""
