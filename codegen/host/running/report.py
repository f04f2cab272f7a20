"""One call from a running kernel, and what does something about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Report(NamedTuple):
    """One call from a kernel: a number and an address, both as the site means them, and the block.

    What `data` points to is there for the duration of the call.
    """

    index: int
    data: int
    block: tuple[int, int, int]


Handler = Callable[[Report], None]
"""Does what a site asks for. An exception ends the launch, which raises it."""
