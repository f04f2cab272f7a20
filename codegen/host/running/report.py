"""The types of a report, one callback from a running kernel, and of its handlers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

Names = Mapping[int, str]
"""Number of a parameter -> what the source calls the argument."""

NAMELESS: Names = MappingProxyType({})


class Report(NamedTuple):
    """One callback: a number and an address, whose meaning the site defines, and the block.

    The memory at `data` is valid for the duration of the call. `names` has the parameters whose
    names the launch knows.
    """

    index: int
    data: int
    block: tuple[int, int, int]
    names: Names = NAMELESS


Handler = Callable[[Report], None]
"""Handles the reports of a site. An exception ends the launch, which raises it."""
